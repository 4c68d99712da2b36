import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { judgeDelivery } from '../../src/core/verdict.ts';
import type { EngineRunner } from '../../src/ports/engine-runner.ts';
import { readCases } from '../support/cases.ts';
import { liveLanes } from '../support/lane-leaks.ts';
import { endOf, openLanes, returnedBy, runScript } from '../support/lanes.ts';

let lanes: EngineRunner;
before(async () => {
  lanes = await openLanes();
});
after(async () => {
  await lanes.close();
  assert.deepEqual(liveLanes(), [], 'no lane outlives its pool');
});

/** Endless loops among the vectors must end soon; the verdict does not depend on when. */
const SHORT = { cpuMs: 200 };

interface OutcomeCase {
  readonly script: string;
  readonly ack: boolean;
}

for (const [file, legacyAck] of [
  ['queue-outcomes.json', false],
  ['queue-outcomes-legacy.json', true],
] as const) {
  for (const { script, ack } of readCases<OutcomeCase>(file)) {
    test(`${file}: ${script || '(empty)'} ${ack ? 'acknowledges' : 'does not acknowledge'}`, async () => {
      const { outcome } = await runScript(lanes, script, { limits: SHORT });
      const verdict = judgeDelivery(outcome, { engineKey: 'engine', legacyAck });
      assert.equal(verdict.kind === 'success', ack, JSON.stringify(outcome));
    });
  }
}

test('a result is what JSON makes of it', async () => {
  assert.deepEqual(await returnedBy(lanes, 'return {Code:1, f(){}, u:undefined, get g(){return 2}, d:new Date(0)}'), {
    Code: 1,
    g: 2,
    d: '1970-01-01T00:00:00.000Z',
  });
});

test('V8.Result counts only when nothing was returned', async () => {
  assert.deepEqual(await returnedBy(lanes, 'V8.Result = {Code:1}; (function(){ return; })();'), { Code: 1 });
  assert.equal(await returnedBy(lanes, 'V8.Result = {Code:1}; return null'), null);
  assert.deepEqual(await returnedBy(lanes, 'V8.Result = {Code:1}; await null;'), { Code: 1 });
  assert.deepEqual((await runScript(lanes, 'return')).outcome, { kind: 'nothing' });
});

test('the value of the last statement is not the result', async () => {
  assert.deepEqual((await runScript(lanes, '({Code:1})')).outcome, { kind: 'nothing' });
});

test('a result that JSON refuses says why', async () => {
  for (const [source, why] of [
    ['return {a:1n}', /BigInt/],
    ['const a = {}; a.a = a; return a', /circular/],
    ['return {get Code(){ throw new Error("no code") }}', /no code/],
    ['return function f(){}', /function/],
    ['return {toJSON(){ throw null }}', /null/],
  ] as const) {
    const { outcome } = await runScript(lanes, source);
    assert.equal(outcome.kind, 'unwritable', source);
    assert.match(outcome.kind === 'unwritable' ? outcome.message : '', why, source);
  }
});

test('a throw carries name, message and the script’s own lines', async () => {
  const source = 'function save() {\n  throw new TypeError("boo");\n}\nsave();';
  assert.deepEqual((await runScript(lanes, source, { engineKey: 'stock-reserve' })).outcome, {
    kind: 'threw',
    error: {
      name: 'TypeError',
      message: 'boo',
      stack: ['at save (stock-reserve.js:2:9)', 'at stock-reserve.js:4:1'],
      at: { file: 'stock-reserve.js', line: 2, column: 9 },
    },
  });
});

test('a throw after await keeps its line', async () => {
  const { outcome } = await runScript(lanes, 'await null;\n\n  throw new Error("late")');
  assert.deepEqual(outcome.kind === 'threw' && outcome.error.at, { file: 'engine.js', line: 3, column: 9 });
});

test('the first character of the source is line 1, column 1', async () => {
  const { outcome } = await runScript(lanes, 'nowhere()');
  assert.deepEqual(outcome.kind === 'threw' && outcome.error.at, { file: 'engine.js', line: 1, column: 1 });
});

const THROWN: readonly [source: string, name: string, message: string][] = [
  ['throw "text"', '', 'text'],
  ['throw {Code:0, Msg:"no stock"}', '', '{"Code":0,"Msg":"no stock"}'],
  ['throw null', '', 'null'],
  ['throw undefined', '', 'undefined'],
  ['throw 7n', '', '7'],
  ['throw Symbol("s")', '', 'Symbol(s)'],
  ['return Promise.reject({Code:1})', '', '{"Code":1}'],
  ['throw new Proxy({}, {get(){ throw 1 }, ownKeys(){ throw 1 }})', '[unreadable]', '[unreadable]'],
  ['throw {get message(){ throw 1 }, get stack(){ throw 2 }, name: "Odd"}', 'Odd', '[unreadable]'],
  ['throw {toString: 1, toJSON(){ throw 1 }}', '', '[unreadable]'],
  ['const e = new Error("x"); e.message = {}; e.stack = 5; throw e', '', 'Error: '],
];

for (const [source, name, message] of THROWN) {
  test(`${source} is read inside the isolate`, async () => {
    const { outcome } = await runScript(lanes, source);
    assert.equal(outcome.kind, 'threw');
    assert.deepEqual(outcome.kind === 'threw' && [outcome.error.name, outcome.error.message], [name, message]);
  });
}

test('a thrown message and stack are cut before they cross', async () => {
  const { outcome } = await runScript(lanes, 'const e = new Error("m".repeat(1e6)); throw e');
  assert.ok(outcome.kind === 'threw' && outcome.error.message.length < 2100);
});

test('a floating rejection is a warning with its line and never the outcome', async () => {
  const { outcome, warnings } = await runScript(lanes, 'Promise.reject(new Error("adrift"));\nreturn {Code:1}');
  assert.deepEqual(outcome, { kind: 'returned', json: '{"Code":1}' });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /adrift.*行:1/);
});

test('a floating rejection of an async handler does not hide its result, whatever it imitates', async () => {
  for (const floating of ['new Error("x")', '{a:1}', 'null', '"text"', 'undefined']) {
    const source = `Promise.reject(${floating}); V8.FormEngine.AddFormData('t', {}); await null; return {Code:1}`;
    const { outcome, calls } = await runScript(lanes, source);
    assert.deepEqual(outcome, { kind: 'returned', json: '{"Code":1}' }, floating);
    assert.equal(calls.length, 1);
  }
});

test('a floating rejection does not reach the next run', async () => {
  await runScript(lanes, 'Promise.reject(new Error("mine")); return 1');
  const { outcome, warnings } = await runScript(lanes, 'return 2');
  assert.deepEqual([outcome, warnings], [{ kind: 'returned', json: '2' }, []]);
});

test('a promise that can never settle fails at once', async () => {
  for (const source of ['await new Promise(() => {})', 'return {then(){}}', 'await {then(){}}; return {Code:1}']) {
    assert.equal(endOf((await runScript(lanes, source)).outcome), 'V8_NEVER_SETTLES', source);
  }
});

test('top-level await works, and await of something that is no promise too', async () => {
  assert.equal(await returnedBy(lanes, 'const a = await Promise.resolve(20);\nreturn a + await 1'), 21);
  assert.deepEqual(await returnedBy(lanes, 'return await V8.FormEngine.GetFormData("t")'), { Code: 1 });
});

test('await before a bracket is an await, not a call', async () => {
  assert.equal(await returnedBy(lanes, 'return await (async () => 8)()'), 8);
  assert.deepEqual(await returnedBy(lanes, 'const [a] = await [9];\nreturn await (a)'), 9);
});

test('scripts are sloppy: await can be a name and undeclared variables are globals', async () => {
  assert.equal(await returnedBy(lanes, 'var await = 3; x = 4; return await + globalThis.x'), 7);
});

test('a syntax error names file, line and column', async () => {
  for (const [source, line, column] of [
    ['let a = 1;\n  let b = ;', 2, 11],
    ['let b = ;', 1, 9],
    ['await 1;\nlet c = ;', 2, 9],
    ['for await (const x of []) {}\nlet d = }', 2, 9],
  ] as const) {
    const { outcome } = await runScript(lanes, source, { engineKey: 'broken' });
    assert.deepEqual(outcome.kind === 'syntax' && outcome.at, { file: 'broken.js', line, column }, source);
  }
});

test('a source that ends too early is told so at its own end', async () => {
  const early = 'Unexpected end of input';
  for (const [source, line, column, message] of [
    ['return {', 1, 9, early],
    ['if (1) {\r\n  f();\r\n', 3, 1, early],
    ['await 1;\nif (2) {', 2, 9, early],
    ['return [1,', 1, 11, early],
    ['return f(1', 1, 10, 'missing ) after argument list'],
  ] as const) {
    const { outcome } = await runScript(lanes, source, { engineKey: 'broken' });
    assert.ok(outcome.kind === 'syntax', source);
    assert.deepEqual([outcome.at, outcome.message], [{ file: 'broken.js', line, column }, message], source);
  }
});

test('a source that closes the function around it is a syntax error', async () => {
  for (const source of [
    '}); evil(function () {',
    '}); evil(',
    '})(); (function(){ V8.Result = 1',
    '} }); ({ run() {',
    'await 1; }); evil(async function () {',
    '/*',
    '`',
  ]) {
    const { outcome } = await runScript(lanes, source);
    assert.equal(outcome.kind, 'syntax', source);
    assert.equal(outcome.kind === 'syntax' && outcome.at.file, 'engine.js', source);
  }
});

test('compiling tells the same without running', async () => {
  assert.deepEqual(await lanes.compile('demo', 'fine', 'while (true) {}'), { ok: true });
  assert.deepEqual(await lanes.compile('demo', 'fine', 'await 1; return 2'), { ok: true });
  const broken = await lanes.compile('demo', 'broken', 'if (');
  assert.deepEqual(!broken.ok && broken.at, { file: 'broken.js', line: 1, column: 5 });
  assert.equal((await lanes.compile('demo', 'sly', '}); evil(function () {')).ok, false);
});

test('a new version of an engine is run, not the one compiled before', async () => {
  assert.equal(await returnedBy(lanes, 'return 1'), 1);
  assert.equal(await returnedBy(lanes, 'return 2'), 2);
});

test('nothing of a run is left for the next one', async () => {
  const dirty = 'globalThis.n = (globalThis.n || 0) + 1; Array.prototype.map = () => "pwn"; V8.x = 1; return n';
  assert.equal(await returnedBy(lanes, dirty), 1);
  assert.equal(await returnedBy(lanes, dirty), 1);
  assert.deepEqual(await returnedBy(lanes, 'return [[1].map(x => x), typeof n, typeof V8.x]'), [
    [1],
    'undefined',
    'undefined',
  ]);
});
