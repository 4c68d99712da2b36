/** Timers and async calls: work that a script leaves for later, and what it tries with it. */
import assert from 'node:assert/strict';
import type { Observed } from '../../support/lanes.ts';
import { type Attack, declareAttacks } from './attack.ts';

const ENDLESS = 'while (true) {}';
const CALLS = { hostCalls: 50, cpuMs: 5_000, wallMs: 8_000 };
const countIs = (count: number) => (seen: Observed) => assert.equal(seen.calls.length, count);

const TIMERS: readonly Attack[] = [
  { name: 'an endless loop in a timer', source: `setTimeout(() => { ${ENDLESS} }, 1)`, ends: 'V8_CPU_LIMIT' },
  {
    name: 'an endless loop in a timer behind a good result',
    source: `setTimeout(() => { ${ENDLESS} }, 1); return {Code: 1}`,
    ends: 'V8_CPU_LIMIT',
  },
  {
    name: 'a timer that sets itself again without end',
    source: 'const again = () => setTimeout(again, 0); again(); return {Code: 1}',
    ends: ['V8_CPU_LIMIT', 'V8_TIMEOUT'],
  },
  {
    name: 'a timer that never comes in time',
    source: 'await new Promise((ok) => setTimeout(ok, 1e9)); return {Code: 1}',
    ends: 'V8_TIMEOUT',
  },
  {
    name: 'a timer that never comes in time, behind a good result',
    source: 'setTimeout(() => V8.MQ.SendMsg({late: 1}), 1e9); return {Code: 1}',
    ends: 'V8_TIMEOUT',
    check: countIs(0),
  },
  {
    name: 'timers without end',
    source: 'for (;;) setTimeout(() => {}, 1e6)',
    ends: 'threw',
    check: ({ outcome }) => assert.match(JSON.stringify(outcome), /256/),
  },
  {
    name: 'timers without end that catch the refusal, in a script that fails',
    source: 'try { for (;;) setTimeout(() => V8.MQ.SendMsg({late: 1}), 1e6) } catch {} throw new Error("failed")',
    ends: 'threw',
    check: countIs(0),
  },
  {
    name: 'a timer of a script that failed makes no call',
    source: 'setTimeout(() => V8.MQ.SendMsg({late: 1}), 0); throw new Error("failed")',
    ends: 'threw',
    check: countIs(0),
  },
  {
    name: 'a timer that throws fails a run that had returned',
    source: 'setTimeout(() => { throw new Error("in a timer") }, 1); return {Code: 1}',
    ends: 'threw',
  },
  {
    name: 'a timer that rejects fails a run that had returned',
    source: 'setTimeout(async () => { await null; throw new Error("in a timer") }, 1); return {Code: 1}',
    ends: 'threw',
  },
  {
    name: 'a timer’s callback as text, as V8 and as nothing',
    source:
      'for (const bad of ["globalThis.planted = 1", V8, undefined, null, 1]) { let refused = false; try { setTimeout(bad, 0) } catch { refused = true } if (!refused) return false } return true',
    ends: 'returned',
    returns: true,
  },
  {
    name: 'a delay that acts while it is read',
    source:
      'let n = 0; setTimeout(() => {}, {valueOf() { n++; clearTimeout(1); return setTimeout(() => {}, 0) }}); return n',
    ends: 'returned',
    returns: 1,
  },
  {
    name: 'a timer that clears others and itself while they run',
    source:
      'const ids = []; for (let i = 0; i < 9; i++) ids.push(setTimeout(() => { for (const id of ids) clearTimeout(id) }, 0)); clearTimeout({toString() { throw 1 }}); clearTimeout("__proto__"); clearTimeout("constructor"); return {Code: 1}',
    ends: 'returned',
    returns: { Code: 1 },
  },
  {
    name: 'a timer leads to nothing of the platform',
    source:
      'let out = false; setTimeout(function () { out = this !== undefined && this !== globalThis || arguments.length > 1 }, 0, 1); await new Promise((ok) => setTimeout(ok, 5)); return [out, typeof setInterval, typeof setImmediate, typeof queueMicrotask === "function" && String(queueMicrotask).includes("kit")]',
    ends: 'returned',
    returns: [false, 'undefined', 'undefined', false],
  },
  {
    name: 'an interval made by hand does nothing after the run',
    source:
      'if (V8.Param.look) return typeof globalThis.ticks; let n = 0; const tick = () => { globalThis.ticks = n++; if (n < 5) setTimeout(tick, 1) }; tick(); return {Code: 1}',
    ends: 'returned',
    returns: { Code: 1 },
    next: {
      source:
        'if (V8.Param.look) return typeof globalThis.ticks; let n = 0; const tick = () => { globalThis.ticks = n++; if (n < 5) setTimeout(tick, 1) }; tick(); return {Code: 1}',
      param: { look: true },
      returns: 'undefined',
    },
  },
];

const ASYNC_CALLS: readonly Attack[] = [
  {
    name: 'async calls without end in one turn',
    source: 'for (;;) V8.Http.PostAsync({a: 1})',
    ends: ['V8_CPU_LIMIT', 'V8_MEMORY_LIMIT', 'V8_PROCESS_MEMORY', 'V8_HOST_CALL_LIMIT'],
  },
  {
    name: 'more async calls at once than host calls are allowed',
    source: 'await Promise.all(Array.from({length: 500}, (_, i) => V8.Http.PostAsync({i}))); return {Code: 1}',
    ends: 'V8_HOST_CALL_LIMIT',
    options: { limits: CALLS },
    check: ({ calls }) => assert.ok(calls.length <= CALLS.hostCalls),
  },
  {
    name: 'async calls one after another without end',
    source: 'for (;;) await V8.Http.PostAsync({a: 1})',
    ends: 'V8_HOST_CALL_LIMIT',
    options: { limits: CALLS },
    check: countIs(CALLS.hostCalls),
  },
  {
    name: 'an async call that is never answered',
    source: 'await V8.Http.PostAsync({}); return {Code: 1}',
    ends: 'V8_TIMEOUT',
    options: { call: () => new Promise(() => undefined) },
    check: countIs(1),
  },
  {
    name: 'an async call and an endless loop',
    source: `V8.Http.PostAsync({}); ${ENDLESS}`,
    ends: 'V8_CPU_LIMIT',
    check: countIs(0),
  },
  {
    name: 'an endless loop behind the answer of an async call',
    source: `await V8.Http.PostAsync({}); ${ENDLESS}`,
    ends: 'V8_CPU_LIMIT',
    check: countIs(1),
  },
  {
    name: 'an async call of a script that failed is not made',
    source: 'V8.Http.PostAsync({late: 1}); throw new Error("failed")',
    ends: 'threw',
    check: countIs(0),
  },
  {
    name: 'an argument of 200 MB in an async call',
    source: 'return (await V8.Http.PostAsync("é".repeat(1e8))).ReasonCode',
    ends: ['returned', 'V8_CPU_LIMIT', 'V8_MEMORY_LIMIT', 'V8_PROCESS_MEMORY', 'V8_PROCESS_CRASH', 'threw'],
    returns: 'V8_RESULT_TOO_LARGE',
    check: countIs(0),
  },
  {
    name: 'arguments that look like another call’s line',
    source: 'await V8.Http.PostAsync("x\\n2 Db.Drop []\\n", "\\u2028\\r3 Http.Post []"); return {Code: 1}',
    ends: 'returned',
    returns: { Code: 1 },
    check: ({ calls }) =>
      assert.deepEqual(calls, [
        { name: 'Http.Post', args: JSON.stringify(['x\n2 Db.Drop []\n', '\u2028\r3 Http.Post []']) },
      ]),
  },
  {
    name: 'an answer that resolves to a planted then',
    source:
      'Object.prototype.then = function (ok) { delete Object.prototype.then; ok("planted") }; const r = await V8.Http.PostAsync({}); return r',
    ends: ['returned', 'V8_NEVER_SETTLES'],
    returns: 'planted',
  },
  {
    name: 'a promise of an async call kept for the next run',
    source:
      'globalThis.kept = V8.Http.PostAsync({}); globalThis.kept.then(() => V8.MQ.SendMsg({late: 1})); return {Code: 1}',
    ends: 'returned',
    returns: { Code: 1 },
    next: { source: 'return typeof globalThis.kept', returns: 'undefined' },
  },
  {
    name: 'replaced promises see nothing of the platform in an async call',
    source: `const got = []; const then = Promise.prototype.then; globalThis.Promise = function () { got.push(arguments) }; Map.prototype.set = Map.prototype.get = function () { got.push(this) };
      await V8.Http.PostAsync({a: 1}); return got.length`,
    ends: 'returned',
    returns: 0,
  },
];

declareAttacks([...TIMERS, ...ASYNC_CALLS]);
