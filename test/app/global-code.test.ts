import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { outside, tenantFile } from '../support/outside.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

const CODE = `// the tenant's own functions
function DateNow() { return 'mine'; }
function total(row) { return calc('*', row.Price, row.Qty) }
V8.Action.Greet = function (name) { return 'hello ' + name; };
function boom() { throw new Error('from global code'); }
var shared = { count: 0 } // without a semicolon`;

const SCRIPTS = {
  'use.js': `(function () { shared.count += 1 })();
return [DateNow(), total({ Price: 1.1, Qty: 3 }), V8.Action.Greet('Li'), shared.count];`,
  'await.js': 'const r = await V8.ApiEngine.RunAsync("use"); return [r[0], DateNow()];',
  'throws.js': `
throw new Error('from the engine');`,
  'calls-boom.js': 'return boom();',
  'nested.js': "return V8.ApiEngine.Run('calls-boom');",
  'circle.js': "return V8.ApiEngine.Run('circle-2', V8.Param);",
  'circle-2.js': "return V8.ApiEngine.Run({ ApiEngineKey: 'circle' });",
  'event.js': 'return { Code: 1, Data: [V8.EventName, V8.MQTT, V8.Param] };',
  'hand-on.js': "return V8.ApiEngine.Run('event', { EventName: 'MessageReceived', MQTT: { Topic: 't' }, a: 1 });",
} as const;

async function openHost(t: TestContext, code: string): Promise<(key: string) => Promise<unknown>> {
  const dir = tempDir(t);
  const host = await TestHost.open(dir);
  t.after(() => host.close());
  await host.push(SCRIPTS);
  const insert = "INSERT INTO sys_config (Id, GlobalServerV8Code, IsDeleted) VALUES ('1', ?, 0)";
  await outside(dir, tenantFile('demo'), insert, code);
  return (key) => host.host.services.run('demo', key, {}, 'en');
}

for (const [how, code] of [
  ['plain', CODE],
  ['Base64 as older editors saved it', Buffer.from(CODE, 'utf8').toString('base64')],
] as const) {
  test(`global code (${how}) runs before each script, anew for each run`, async (t) => {
    const run = await openHost(t, code);
    assert.deepEqual(await run('use'), ['mine', 3.3, 'hello Li', 1]);
    assert.deepEqual(await run('use'), ['mine', 3.3, 'hello Li', 1]);
    assert.deepEqual(await run('await'), ['mine', 'mine']);
  });
}

test('an error names the file it is in, with that file’s own line', async (t) => {
  const run = await openHost(t, CODE);
  await assert.rejects(run('throws'), /Error: from the engine \[行:2, 列:7\]/);
  await assert.rejects(run('calls-boom'), (error: { params: { stack: string } }) => {
    assert.match(String(error), /\(GlobalServerV8Code\.js\)/);
    assert.match(error.params.stack, /^at boom \(GlobalServerV8Code\.js:5:/);
    assert.match(error.params.stack, /at calls-boom\.js:1:8/);
    return true;
  });
  const nested = (await run('nested')) as { Code: number; DataAppend: { Stack: string[] } };
  assert.equal(nested.Code, 0);
  assert.match(String(nested.DataAppend.Stack[0]), /GlobalServerV8Code\.js:5/);
});

test('broken global code is named as such', async (t) => {
  const run = await openHost(t, 'var a = ;\n');
  await assert.rejects(run('use'), /GlobalServerV8Code\.js:1:9/);
});

test('engines that call each other without end are named', async (t) => {
  const run = await openHost(t, '');
  const result = (await run('circle')) as { Code: number; Msg: string; ReasonCode: string };
  assert.deepEqual([result.Code, result.ReasonCode], [0, 'V8_NESTED_DEPTH_LIMIT']);
  assert.match(result.Msg, /deeper than 32 \(circle(-2)? → circle(-2)? → circle(-2)? → …\)/);
});

test('an event handed on is the other engine’s event', async (t) => {
  const run = await openHost(t, '');
  const { Data } = (await run('hand-on')) as { Data: unknown };
  assert.deepEqual(Data, ['MessageReceived', { Topic: 't' }, { a: 1 }]);
});
