import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { coveredPaths } from '../../scripts/compatibility/covered-members.ts';
import { MEMBER_ROWS } from '../../scripts/compatibility/member-rows.ts';
import type { EngineRunner } from '../../src/ports/engine-runner.ts';
import { UNSUPPORTED_FAMILIES, UNSUPPORTED_PATHS } from '../../src/protocol/unsupported-members.ts';
import { openLanes, reply, returnedBy, runScript } from '../support/lanes.ts';

let lanes: EngineRunner;
before(async () => {
  lanes = await openLanes();
});
after(() => lanes.close());

const INPUT = { CurrentUser: { Id: 'u1' }, EventName: 'MessageReceived', InvokeType: 'Client' } as const;

const CONTEXT: readonly [expression: string, value: unknown][] = [
  ['V8.CurrentSysUser === V8.CurrentUser && V8.CurrentUser.Id', 'u1'],
  ['V8.EventName + V8.InvokeType + V8.ApiEngineKey + V8.OsClient', 'MessageReceivedClientenginedemo'],
  ['[V8.Header, V8.FilesByteBase64]', [{}, {}]],
  ['typeof V8.Result', 'undefined'],
  ['V8.Action.GetDateTimeNow().slice(0, 10) === DateNow("yyyy-MM-dd")', true],
  ['Math.abs(V8.Action.GetTimestamp() - Date.now() / 1000) < 2', true],
  ['V8.Method.JsonStringify({ a: null, b: [null, 1], c: { d: null, e: 1.0 } })', '{"b":[null,1],"c":{"e":1}}'],
  ['V8.Method.JsonStringifyIndented({ a: 1 })', '{\n  "a": 1\n}'],
  [
    'V8.Method.JsonStringify(Object.defineProperty({}, "__proto__", { value: 1, enumerable: true }))',
    '{"__proto__":1}',
  ],
];

for (const [expression, value] of CONTEXT) {
  test(`${expression} is ${JSON.stringify(value)}`, async () => {
    assert.deepEqual(await returnedBy(lanes, `return ${expression}`, { input: INPUT }), value);
  });
}

/** Of the browser, of events this host does not have, or of no product (v8-surface.md 9, 10). */
const ABSENT = ['Form', 'OldForm', 'TableData', 'FormSet', 'FieldSet', 'Tips', 'Post', 'ParentV8', 'Router'].concat([
  'RunBackground',
  'HttpContext',
  'Engine',
  'V8Code',
  'WeChat.SendMessage',
  'Alidns.EnsureExactESACnameRecord',
  'IPHelper',
  'Method.UploadText',
  'Cache.HashTTL',
  'FormEngine.GetTableDataAnonymous',
]);

for (const path of ABSENT) {
  test(`typeof V8.${path} is undefined`, async () => {
    const safe = path.replace('.', '?.');
    assert.equal(await returnedBy(lanes, `return typeof V8.${safe}`), 'undefined');
  });
}

test('what the table calls absent reads as undefined', async () => {
  const rows = MEMBER_ROWS.filter(({ status }) => status === 'absent');
  const paths = rows.flatMap(({ members }) => members.map((member) => member.replace('.*', '').replace('.', '?.')));
  assert.ok(paths.includes('WF') && paths.includes('IPHelper'));
  const found = await returnedBy(lanes, `return [${paths.map((path) => `typeof V8.${path}`).join(', ')}]`);
  assert.deepEqual(found, Array(paths.length).fill('undefined'));
});

test('extensions of the platform are globals, too, which a script may have for itself', async () => {
  const names = ['Alipay', 'AlipayV3', 'WeChat', 'Alidns', 'Image', 'Tcp'];
  const same = names.map((name) => `${name} === V8.${name}`).join(' && ');
  assert.equal(await returnedBy(lanes, `return ${same}`), true);
  assert.equal(await returnedBy(lanes, 'return Tcp.Send({ Host: "h" }).ReasonCode'), 'MEMBER_UNSUPPORTED');
  assert.equal(await returnedBy(lanes, 'Image = 5; var Tcp = 2; return Image + Tcp'), 7);
  assert.equal(await returnedBy(lanes, 'return typeof Image'), 'object', 'for its own run');
});

test('V8.Action belongs to the run: what a script puts on it, the next one does not see', async () => {
  assert.equal(await returnedBy(lanes, 'V8.Action.Mine = () => 5; return V8.Action.Mine()'), 5);
  assert.equal(await returnedBy(lanes, 'return typeof V8.Action.Mine'), 'undefined');
});

test('settings are asked for at first use and once', async () => {
  const call = (name: string) => reply({ From: name });
  const used = await runScript(
    lanes,
    'V8.SysConfig.Mine = 1; return [V8.SysConfig, V8.OsClientModel, V8.ClientModel]',
    {
      call,
    },
  );
  assert.equal(
    used.outcome.kind === 'returned' && used.outcome.json,
    '[{"From":"SysConfig.Read","Mine":1},{"From":"OsClientModel.Read"},{"From":"OsClientModel.Read"}]',
  );
  assert.deepEqual(
    used.calls.map(({ name }) => name),
    ['SysConfig.Read', 'OsClientModel.Read', 'OsClientModel.Read'],
  );
  assert.deepEqual((await runScript(lanes, 'return typeof V8.Param', { call })).calls, []);
  assert.equal(await returnedBy(lanes, 'return V8.SysConfig.Mine === undefined', { call }), true);
});

test('every unsupported member is a function that says so and what to do', async () => {
  const source = `
    var read = (path) => path.split('.').reduce((object, name) => object[name], V8);
    return Promise.all(V8.Param.map(async (path) => [path, typeof read(path), await read(path)({ _Lang: 'en' })]));`;
  const answers = (await returnedBy(lanes, source, { input: { Param: [...UNSUPPORTED_PATHS] } })) as [
    string,
    string,
    { Code: number; ReasonCode: string; Msg: string },
  ][];
  assert.equal(answers.length, UNSUPPORTED_PATHS.length);
  for (const [path, kind, answer] of answers) {
    assert.deepEqual([kind, answer.Code, answer.ReasonCode], ['function', 0, 'MEMBER_UNSUPPORTED'], path);
    assert.match(answer.Msg, new RegExp(`V8\\.${path.replace('.', '\\.')} is not supported`));
  }
});

test('V8.System is not the global System, whose parts stay as they are', async () => {
  const expression =
    'return [V8.System === System, typeof System.Guid, typeof V8.System.GetOSInfo, typeof V8.System.Guid]';
  assert.deepEqual(await returnedBy(lanes, expression), [false, 'object', 'function', 'undefined']);
});

test('unsupported members return promises where the platform’s do', async () => {
  for (const { family, members, promises, twins } of UNSUPPORTED_FAMILIES) {
    const path = `V8.${family}.${members[0]}`;
    assert.equal(await returnedBy(lanes, `return ${path}({}) instanceof Promise`), promises === true, path);
    if (twins) assert.equal(await returnedBy(lanes, `return ${path}Async({}) instanceof Promise`), true);
  }
});

test('the compatibility table lists exactly what a script finds', async () => {
  const source = `
    var found = [];
    (function walk(object, prefix) {
      Object.keys(object).forEach(function (name) {
        var value = object[name];
        if (typeof value === 'function') found.push(prefix + name);
        else if (prefix === '' && !Object.isFrozen(value)) found.push(name);
        if (value !== null && typeof value === 'object') walk(value, prefix + name + '.');
      });
    })(V8, '');
    return found;`;
  const input = { Param: 0, CurrentUser: 'x' };
  const found = (await returnedBy(lanes, source, { input, call: () => reply({}) })) as string[];
  const functions = found.filter((path) => path.includes('.'));
  const listed = coveredPaths().filter((path) => path.includes('.'));
  assert.deepEqual(functions.toSorted(), listed.toSorted());
});
