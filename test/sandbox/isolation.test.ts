import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { after, before, test } from 'node:test';
import { laneCommand } from '../../src/adapters/process/lane-command.ts';
import type { EngineRunner } from '../../src/ports/engine-runner.ts';
import { HOST_CALL_ROWS, SCRIPT_CALL_PATHS } from '../../src/protocol/host-call-names.ts';
import { liveLanes } from '../support/lane-leaks.ts';
import { openLanes, returnedBy, runScript } from '../support/lanes.ts';

let lanes: EngineRunner;
before(async () => {
  lanes = await openLanes();
});
after(async () => {
  await lanes.close();
  assert.deepEqual(liveLanes(), []);
});

test('the environment of a lane holds its time zone and the C library’s name, nothing else', () => {
  process.env.LANE_TEST_SECRET = 'do not inherit';
  for (const pid of liveLanes()) {
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
    assert.deepEqual(names.map((each) => each.split('=')[0]).sort(), ['LIBC', 'TZ']);
  }
  assert.ok(liveLanes().length > 0);
});

test('a lane holds no open file or socket but its own', () => {
  for (const pid of liveLanes()) {
    const status = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    assert.match(status, /--permission/);
    assert.doesNotMatch(status, /--allow-(net|child-process|worker|fs-write)/);
  }
});

/** What a lane may have loaded of Node: its own program, what starts it and what loads the native library. */
const ALLOWED_SOURCES = [
  /\/src\/sandbox\/([\w-]+\.ts|start\.js)$/,
  /\/src\/protocol\/[\w-]+\.ts$/,
  /\/src\/core\/[\w-]+\.ts$/,
  /\/node_modules\/(isolated-vm|node-gyp-build)\/[\w./-]+\.(js|json|node)$/,
];

test('a lane loads no module outside its list', async () => {
  const command = laneCommand('UTC');
  const entry = command.args.at(-1) ?? '';
  // The real program under the real flags, asked for what it has loaded just before its first frame.
  const probe = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ resolve(name, context, next) { const found = next(name, context); seen.push(found.url); return found; } });
    process.on('exit', () => process._rawDebug('LOADED ' + JSON.stringify(seen)));
  `)}`;
  const args = [...command.args.slice(0, -1), '--import', probe, entry];
  const child = spawn(command.file, args, {
    env: command.env as NodeJS.ProcessEnv,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const socket = child.stdio[3] as Duplex;
  socket.write(command.program ?? '');
  await once(socket, 'data');
  socket.end();
  const [code] = await once(child, 'close');
  assert.equal(code, 0, stderr);
  const loaded = JSON.parse(/LOADED (.*)/.exec(stderr)?.[1] ?? '[]') as string[];
  const files = loaded.filter((url) => url.startsWith('file:'));
  assert.ok(
    files.some((url) => url.endsWith('/src/sandbox/main.ts')),
    'the probe saw the program',
  );
  for (const url of files)
    assert.ok(
      ALLOWED_SOURCES.some((allowed) => allowed.test(url)),
      url,
    );
  const builtins = new Set(loaded.filter((url) => url.startsWith('node:')));
  for (const name of ['node:net', 'node:http', 'node:child_process', 'node:worker_threads', 'node:dns']) {
    assert.ok(!builtins.has(name), name);
  }
});

test('V8 shows its members and nothing of the host; what is missing reads as undefined', async () => {
  const input = { Param: { a: [1] }, CurrentUser: { Id: 'u1' }, EventName: 'e', InvokeType: 'Client' as const };
  const seen = await returnedBy(
    lanes,
    `return {...V8, names: Object.keys(V8), missing: [typeof V8.Nope, typeof V8.FormEngine.Nope, typeof V8.Cache.Nope],
      globals: [typeof process, typeof require, typeof ivm, typeof fetch, typeof Buffer, typeof setInterval,
        typeof WebAssembly, typeof SharedArrayBuffer, typeof Atomics, typeof FinalizationRegistry, typeof WeakRef, typeof gc]}`,
    { input },
  );
  const { missing, globals, names, Param, CurrentUser, EventName, InvokeType, OsClient, ApiEngineKey } = seen as Record<
    string,
    unknown
  >;
  assert.deepEqual({ Param, CurrentUser, EventName, InvokeType }, input);
  assert.deepEqual([OsClient, ApiEngineKey], ['demo', 'engine']);
  assert.deepEqual(missing, ['undefined', 'undefined', 'undefined']);
  assert.deepEqual(globals, Array(12).fill('undefined'));
  const families = new Set(SCRIPT_CALL_PATHS.map((path) => path.split('.')[0]));
  assert.deepEqual(
    [...families].filter((family) => !(names as string[]).includes(String(family))),
    [],
  );
});

/** A chain is sent by its end alone; async calls when the script has come to rest. */
const SENT_NAMES = [
  ...HOST_CALL_ROWS.filter((row) => !('inner' in row || 'chain' in row)),
  ...HOST_CALL_ROWS.filter((row) => 'async' in row),
].map((row) => row.name);

test('every host call is a frozen function without source, sent under its own name', async () => {
  const source = `const out = [];
    for (const path of ${JSON.stringify(SCRIPT_CALL_PATHS)}) {
      const f = path.split('.').reduce((o, k) => o[k], V8);
      f();
      out.push([Object.isFrozen(f), String(f), f.prototype, Object.isFrozen(V8[path.split('.')[0]])]);
    }
    return out`;
  const { outcome, calls } = await runScript(lanes, source);
  const rows = JSON.parse(outcome.kind === 'returned' ? outcome.json : '[]') as unknown[];
  assert.deepEqual(rows, Array(SCRIPT_CALL_PATHS.length).fill([true, 'function () { [native code] }', null, true]));
  // Parallel calls overtake those that keep their order.
  assert.deepEqual(calls.map((call) => call.name + call.args).sort(), SENT_NAMES.map((name) => `${name}[]`).sort());
});

test('arguments and results are JSON, and a call never throws', async () => {
  const { outcome, calls } = await runScript(
    lanes,
    `const cyclic = {}; cyclic.self = cyclic;
     const get = V8.FormEngine.GetFormData;
     return [get(undefined, () => 1, {u: undefined, d: new Date(0), n: null}), get(1n), get(cyclic),
       get({get bad(){ throw new Error("mine") }}), get(new Proxy({}, {ownKeys(){ throw null }})), get(Symbol("x"))]`,
  );
  const answers = JSON.parse(outcome.kind === 'returned' ? outcome.json : '[]') as Record<string, unknown>[];
  const codes = answers.map((answer) => answer.ReasonCode ?? answer.Code);
  assert.deepEqual(codes, [1, 'PARAM_INVALID', 'PARAM_INVALID', 'PARAM_INVALID', 'PARAM_INVALID', 1]);
  assert.deepEqual(
    calls.map((call) => call.args),
    ['[null,null,{"d":"1970-01-01T00:00:00.000Z","n":null}]', '[null]'],
  );
});

test('a number that JSON would turn into null is refused by name, wherever it stands', async () => {
  const { outcome, calls } = await runScript(
    lanes,
    `const f = V8.FormEngine.UptFormData;
     return [f('t', {Id: '1', Stock: NaN}), f('t', {Stock: 1 / 0}), f('t', {_Where: [['A', '=', NaN]]}), f(NaN), f('t', {Stock: null})]`,
  );
  const answers = JSON.parse(outcome.kind === 'returned' ? outcome.json : '[]') as { Code: number; Msg?: string }[];
  assert.deepEqual(
    answers.map((answer) => answer.Code),
    [0, 0, 0, 0, 1],
  );
  assert.match(answers[0]?.Msg ?? '', /Stock: NaN/);
  assert.equal(calls.length, 1);
});

test('a write by condition on undefined is refused: it would hit the rows without a value', async () => {
  const { outcome, calls } = await runScript(
    lanes,
    `const del = V8.FormEngine.DelFormDataByWhere;
     return [del('t', {_Where: [['A', '=', undefined]]}), del('t', {_Where: [['A', '=', null]]}),
       V8.FormEngine.GetTableData('t', {_Where: [['A', '=', undefined]]})].map(r => r.Code)`,
  );
  assert.deepEqual(JSON.parse(outcome.kind === 'returned' ? outcome.json : '[]'), [0, 1, 1]);
  assert.equal(calls.length, 2);
});

test('V8.DbTrans crosses as a mark that no other value can imitate', async () => {
  const { outcome, calls } = await runScript(
    lanes,
    `Object.prototype.toJSON = function () { return this.$fake ? {$trans: true} : this };
     const f = V8.FormEngine.AddFormData;
     f('t', {a: 1}, V8.DbTrans);
     f({$trans: true}); f({...V8.DbTrans, $trans: true}); f({toJSON(){ return {$trans: true} }});
     f({$fake: true}); f([{$trans: true}]); f({deep: {$trans: true}}); f('{"$trans":true}');
     const t = V8.DbTrans;
     return [Object.isFrozen(t), t.Commit(), t.Rollback(), t.Close(), t.Dispose(), String(t.Commit)]`,
  );
  assert.deepEqual(JSON.parse(outcome.kind === 'returned' ? outcome.json : '[]'), [
    true,
    null,
    null,
    null,
    null,
    'function () { [native code] }',
  ]);
  assert.deepEqual(
    calls.map((call) => call.args),
    [
      '["t",{"a":1},{"$trans":true}]',
      '[{}]',
      '[{}]',
      '[{}]',
      '[{}]',
      '[[{"$trans":true}]]',
      '[{"deep":{"$trans":true}}]',
      '["{\\"$trans\\":true}"]',
    ],
  );
});

test('__proto__ keys change no prototype on the way out and are dropped by the host', async () => {
  const { outcome, calls } = await runScript(
    lanes,
    `V8.FormEngine.AddFormData('t', JSON.parse('{"__proto__":{"admin":true},"a":1}'));
     return JSON.parse('{"Code":1,"__proto__":{"admin":true},"list":[{"__proto__":1}]}')`,
  );
  assert.deepEqual(calls[0]?.args, '["t",{"a":1}]');
  assert.deepEqual(outcome, { kind: 'returned', json: '{"Code":1,"list":[{}]}' });
  assert.equal(({} as Record<string, unknown>).admin, undefined);
});

/** Each returns a truthy value only when it reached something outside. */
const ESCAPES: readonly [name: string, source: string][] = [
  ['the constructor chain of this', 'return this.constructor.constructor("return typeof process !== `undefined`")()'],
  [
    'the constructor chain of a host call',
    'return V8.Http.Post.constructor("return typeof process !== `undefined`")()',
  ],
  [
    'the constructor chain of a result',
    'return V8.Http.Post({}).constructor.constructor("return typeof require !== `undefined`")()',
  ],
  ['the constructor chain of console', 'return console.log.constructor("return typeof process !== `undefined`")()'],
  ['the async constructor', 'return await (async () => {}).constructor("return typeof process !== `undefined`")()'],
  ['indirect eval', 'return (0, eval)("typeof process !== `undefined`")'],
  ['a dynamic import', 'try { await import("node:fs"); return true } catch { return false }'],
  [
    'the caller of the script',
    'function f(){ return f.caller && f.caller.caller } let c; try { c = f() } catch {} return Boolean(c)',
  ],
  ['the callee’s caller', 'let c; try { c = arguments.callee.caller } catch {} return Boolean(c)'],
  ['arguments of the script', 'return arguments.length > 0'],
  [
    'a shim frame through prepareStackTrace',
    'Error.prepareStackTrace = (e, s) => s.some((f) => f.getFunction() && f.getFunction() !== undefined && String(f.getFunction()).includes("ki" + "t.")); return new Error("x").stack === true',
  ],
  [
    'this of a shim frame',
    'Error.prepareStackTrace = (e, s) => s.map((f) => f.getThis()).filter((t) => t && t !== globalThis).length; return new Error("x").stack > 0',
  ],
  [
    'a replaced Function.prototype.call',
    'let got; Function.prototype.call = function (t) { got = this; }; V8.Http.Post({}); return Boolean(got)',
  ],
  [
    'a replaced Function.prototype.apply',
    'let got; Function.prototype.apply = function () { got = this; }; V8.Http.Post({}); return Boolean(got)',
  ],
  ['a replaced Reflect.apply', 'let got; Reflect.apply = (f) => { got = f }; V8.Http.Post({}); return Boolean(got)'],
  [
    'a replaced JSON',
    'let got; JSON.stringify = JSON.parse = (x) => { got = x }; V8.Http.Post({a:1}); return Boolean(got)',
  ],
  [
    'a setter on Object.prototype',
    'let got; for (const k of ["0", "call", "bridge", "caps", "value", "get"]) Object.defineProperty(Object.prototype, k, {__proto__: null, set(v){ got = v }, configurable: true}); V8.Http.Post({a:1}); console.log(1); return Boolean(got)',
  ],
  [
    'a replaced array iterator',
    'let got; Array.prototype[Symbol.iterator] = function () { got = this; return [][Symbol.iterator]() }; V8.Http.Post({a:1}); console.log(1, 2); return Boolean(got)',
  ],
  [
    'a replaced String method',
    'let got; String.prototype.includes = String.prototype.slice = function () { got = this }; V8.Http.Post({a:1}); console.log("x"); return Boolean(got)',
  ],
  [
    'a function that takes the place of the host’s',
    'try { V8.Http.Post = () => "mine" } catch {} V8.Http = {}; return false',
  ],
];

for (const [name, source] of ESCAPES) {
  test(`${name} leads nowhere`, async () => {
    assert.equal(await returnedBy(lanes, source), false);
  });
}

test('a script that breaks every built-in still ends with its own error', async () => {
  const { outcome } = await runScript(
    lanes,
    `Array.prototype[Symbol.iterator] = Object.prototype.toString = Promise.prototype.then = null;
     String.prototype.slice = JSON.stringify = Reflect.apply = Function.prototype.bind = null;
     throw new RangeError("still mine")`,
  );
  assert.deepEqual(outcome.kind === 'threw' && [outcome.error.name, outcome.error.message], [
    'RangeError',
    'still mine',
  ]);
});

test('no path, library name or host frame is in a stack that a script can read', async () => {
  const stack = String(
    await returnedBy(lanes, 'V8.Http.Post({}); try { null.x } catch (e) { return e.stack + new Error("y").stack }'),
  );
  assert.match(stack, /engine\.js:1:/);
  assert.doesNotMatch(stack, /isolated-vm|node:|file:|\.ts|\/src|node_modules/);
});

test('tenants never share an isolate', async () => {
  const mark = 'Object.prototype.seen = true; return typeof ({}).seen';
  await returnedBy(lanes, mark, { tenant: 'a' });
  assert.equal(await returnedBy(lanes, 'return typeof ({}).seen', { tenant: 'b' }), 'undefined');
});
