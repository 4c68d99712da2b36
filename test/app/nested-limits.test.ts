/** An engine that another one runs keeps to its own limits, and never outlives its caller's. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { AppError } from '../../src/core/errors.ts';
import { GateServer } from '../support/gate-server.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

/** A host whose engines have these time limits in their rows. Seconds. `URL` in a script is a server that is silent. */
async function openHost(
  t: TestContext,
  files: Record<string, string>,
  seconds: Record<string, number>,
  wallMs = 60_000,
) {
  const gate = await GateServer.listen(t);
  const dir = tempDir(t);
  const allow = [{ host: '127.0.0.1', port: gate.port }];
  const host = await TestHost.open(dir, { allow, limits: { wallMs } });
  t.after(() => host.close());
  const stuck = `V8.Http.GetResponse({ Url: 'http://127.0.0.1:${gate.port}/' }); return { Code: 1 };`;
  const url = `http://127.0.0.1:${gate.port}/`;
  const placed = Object.entries(files).map(([path, text]) => [path, text.replace('URL', url)]);
  await host.push({ 'stuck.js': stuck, ...Object.fromEntries(placed) });
  const database = new DatabaseSync(join(dir, 'tenants', 'demo.db'), { timeout: 10_000 });
  for (const [engine, value] of Object.entries(seconds)) {
    database.prepare('UPDATE sys_apiengine SET V8Limit = 1, Timeout = ? WHERE ApiEngineKey = ?').run(value, engine);
  }
  database.close();
  // biome-ignore lint/suspicious/noExplicitAny: results of scripts have any shape
  return (key: string): Promise<any> => host.host.services.run('demo', key, {}, 'en');
}

test('a nested engine that waits too long is ended, named, and its caller goes on', async (t) => {
  const run = await openHost(
    t,
    {
      'outer.js': "var inner = V8.ApiEngine.Run('stuck'); return { Code: 1, Data: inner, Ulid: V8.Method.NewUlid() };",
      'sleeper.js': 'await new Promise((resolve) => setTimeout(resolve, 50000)); return { Code: 1 };',
      'outer-too.js': "return { Code: 1, Data: V8.ApiEngine.Run('sleeper') };",
      'deep.js': "return { Code: 1, Data: V8.ApiEngine.Run('between') };",
      'between.js': "return V8.ApiEngine.Run('stuck-long');",
      'stuck-long.js': "return V8.ApiEngine.Run('sleeper-long');",
      'sleeper-long.js': 'await new Promise((resolve) => setTimeout(resolve, 50000)); return { Code: 1 };',
    },
    { stuck: 1, sleeper: 1, between: 1 },
  );
  for (const [key, engine] of [
    ['outer', 'stuck'],
    ['outer-too', 'sleeper'],
    ['deep', 'between'],
  ] as const) {
    const { Code, Data } = await run(key);
    assert.deepEqual([Code, Data.Code, Data.ReasonCode], [1, 0, 'V8_TIMEOUT'], key);
    assert.match(Data.Msg, new RegExp(`^Engine ${engine}: The run passed 1000 ms`));
    const { Limit, CallPath } = Data.DataAppend.V8Limit;
    assert.deepEqual([Limit, CallPath], [1_000, [key, engine]]);
  }
  assert.equal((await run('outer')).Ulid.length, 26, 'the caller makes its own calls afterwards');
});

test('a nested engine that computes too long is ended by its own time', async (t) => {
  const run = await openHost(
    t,
    { 'outer.js': "return { Code: 1, Data: V8.ApiEngine.Run('busy') };", 'busy.js': 'while (true) {}' },
    { busy: 1 },
  );
  const { Code, Data } = await run('outer');
  assert.deepEqual([Code, Data.Code, Data.ReasonCode], [1, 0, 'V8_CPU_LIMIT']);
  assert.equal(Data.DataAppend.V8Limit.Limit, 1_000);
  assert.match(Data.Msg, /^Engine busy: /);
});

test('what is left of its caller holds where that is less', async (t) => {
  const run = await openHost(
    t,
    {
      'outer.js': "return { Code: 1, Data: V8.ApiEngine.Run('sleeper') };",
      'sleeper.js': 'await new Promise((resolve) => setTimeout(resolve, 50000)); return { Code: 1 };',
    },
    { outer: 1, sleeper: 50 },
  );
  await assert.rejects(run('outer'), (error: AppError) => {
    assert.deepEqual([error.code, error.params.limit], ['V8_TIMEOUT', 1_000]);
    return true;
  });
});

test('what a nested engine still waits for when its time is up holds up nobody', async (t) => {
  const after = (key: string) =>
    `var inner = V8.ApiEngine.Run('${key}');
return { Code: 1, Data: inner, Ulid: V8.Method.NewUlid(), Cached: V8.Cache.Get('x') };`;
  const run = await openHost(
    t,
    {
      'sleeps.js': 'V8.Action.Sleep(50000); return { Code: 1 };',
      // More than are under way at once.
      'asks.js': `var ask = function () { return V8.Http.GetResponseAsync({ Url: 'URL' }); };
await Promise.all(Array.from({ length: 40 }, ask));
return { Code: 1 };`,
      'after-sleep.js': after('sleeps'),
      'after-requests.js': after('asks'),
    },
    { sleeps: 1, asks: 1 },
  );
  for (const key of ['after-sleep', 'after-requests']) {
    const begun = performance.now();
    const result = await run(key);
    assert.deepEqual([result.Code, result.Data.ReasonCode], [1, 'V8_TIMEOUT'], JSON.stringify(result));
    assert.equal(result.Ulid.length, 26);
    // The script would sleep, and the server be silent, far beyond this.
    assert.ok(performance.now() - begun < 30_000, key);
  }
});

test('a nested engine that asks for no time has that of its root', async (t) => {
  const run = await openHost(
    t,
    {
      'root.js': "return { Code: 1, Data: V8.ApiEngine.Run('plain') };",
      'plain.js': 'V8.Action.Sleep(2500); return { Code: 1 };',
    },
    { root: 30 },
    1_000,
  );
  const result = await run('root');
  assert.equal(result.Data.Code, 1, JSON.stringify(result));
});
