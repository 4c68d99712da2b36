import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EngineRunner } from '../../../src/ports/engine-runner.ts';
import { liveLanes } from '../../support/lane-leaks.ts';
import { openLanes, returnedBy, runScript } from '../../support/lanes.ts';
import { LEAK_PROBES } from './probes.ts';

let lanes: EngineRunner;
before(async () => {
  lanes = await openLanes();
});
after(async () => {
  await lanes.close();
  assert.deepEqual(liveLanes(), []);
});

test('there are at least 82 probes', () => {
  assert.ok(new Set(LEAK_PROBES.map(({ name }) => name)).size >= 82);
});

for (const { name, write, look } of LEAK_PROBES) {
  test(`the next run finds nothing of ${name}`, async () => {
    // One source, so that both runs have the same engine and version and, when it is clean, the same context.
    const source = `if (V8.Param.write) { ${write}; return } return ${look}`;
    const param = { write: true };
    assert.equal(await returnedBy(lanes, source), false, 'nothing is there before');
    await runScript(lanes, source, { input: { Param: param } });
    assert.equal(await returnedBy(lanes, source), false);
    assert.equal(await returnedBy(lanes, source), false);
  });

  test(`the second run finds nothing of ${name}`, async () => {
    // What proves a context clean is made when a script has run in it.
    const source = `if (V8.Param.write) { ${write}; return } return ${look}`;
    await runScript(lanes, source, { engineKey: 'second', input: { Param: { write: true } } });
    assert.equal(await returnedBy(lanes, source, { engineKey: 'second' }), false);
  });
}

test('nothing reaches another engine, another version or another tenant', async () => {
  const write = 'globalThis.leak = 1; Object.prototype.leak = 1; Array.prototype.map = 1; return 1';
  const look = 'return ["leak" in globalThis, "leak" in {}, [].map === 1]';
  await returnedBy(lanes, write, { engineKey: 'writer' });
  for (const other of [{ engineKey: 'reader' }, { engineKey: 'writer' }, { tenant: 'other', engineKey: 'writer' }]) {
    assert.deepEqual(await returnedBy(lanes, look, other), [false, false, false]);
  }
});

/** What scripts do every day to built-ins must work within a run, and is gone in the next (sandbox.md 3). */
const IDIOMS: readonly [name: string, source: string, value: unknown][] = [
  ['Date.prototype.Format', 'Date.prototype.Format = () => 7; return new Date().Format()', 7],
  [
    'a polyfill of String',
    'String.prototype.trimAll = function () { return this.replace(/ /g, "") }; return "a b".trimAll()',
    'ab',
  ],
  [
    'a polyfill only where it is missing',
    'if (!Array.prototype.last) Array.prototype.last = function () { return this[this.length - 1] }; return [1, 2].last()',
    2,
  ],
  ['Math.sum', 'Math.sum = (...a) => a.reduce((x, y) => x + y); return Math.sum(1, 2)', 3],
  ['a toString of an object', 'const o = {}; o.toString = () => "mine"; return String(o)', 'mine'],
  ['a toString of a prototype', 'function P() {} P.prototype.toString = () => "P"; return String(new P())', 'P'],
  [
    'an ES5 subclass of Error',
    'function E(m) { this.message = m; this.name = "E" } E.prototype = Object.create(Error.prototype); E.prototype.constructor = E; const e = new E("x"); return [e.name, e.message, e instanceof Error]',
    ['E', 'x', true],
  ],
  [
    'a subclass of Error',
    'class E extends Error { constructor(m) { super(m); this.name = "E" } } return String(new E("x"))',
    'E: x',
  ],
  [
    'a subclass of ReferenceError',
    'class E extends ReferenceError { constructor(m) { super(m); this.name = "E" } } return String(new E("x"))',
    'E: x',
  ],
  ['a column named constructor', 'const row = {}; row.constructor = 5; return row.constructor', 5],
  [
    'counting words such as toString',
    'const c = {}; for (const w of ["toString", "a"]) c[w] = Object.hasOwn(c, w) ? c[w] + 1 : 1; return c.toString',
    1,
  ],
  ['a valueOf', 'const o = {}; o.valueOf = () => 4; return o + 1', 5],
  [
    'BigInt.prototype.toJSON',
    'BigInt.prototype.toJSON = function () { return String(this) }; return {a: 1n}',
    { a: '1' },
  ],
  [
    'a replaced JSON.stringify',
    'const s = JSON.stringify; JSON.stringify = (x) => "<" + s(x) + ">"; return JSON.stringify(1)',
    '<1>',
  ],
  ['Array.prototype.map replaced', 'Array.prototype.map = function () { return "mine" }; return [1].map()', 'mine'],
  ['an implicit global', 'total = 3; return total + globalThis.total', 6],
  ['RegExp.$1', '/(b)/.test("abc"); return RegExp.$1', 'b'],
  [
    'Object.defineProperty',
    'const o = Object.defineProperty({}, "a", {value: 1}); return [o.a, Object.defineProperty.name, Object.defineProperty.length]',
    [1, 'defineProperty', 3],
  ],
  [
    'Error.captureStackTrace',
    'const o = {}; Error.captureStackTrace(o); return /engine\\.js:1/.test(o.stack.split("\\n")[1])',
    true,
  ],
];

for (const [name, source, value] of IDIOMS) {
  test(`works in every run: ${name}`, async () => {
    for (let i = 0; i < 3; i++) assert.deepEqual(await returnedBy(lanes, source), value);
  });
}
