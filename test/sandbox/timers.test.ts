import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EngineRunner } from '../../src/ports/engine-runner.ts';
import { liveLanes } from '../support/lane-leaks.ts';
import { endOf, openLanes, returnedBy, runScript } from '../support/lanes.ts';

let lanes: EngineRunner;
before(async () => {
  lanes = await openLanes();
});
after(async () => {
  await lanes.close();
  assert.deepEqual(liveLanes(), []);
});

test('a timer runs after the script and before the result is final', async () => {
  const { outcome, log, calls } = await runScript(
    lanes,
    `setTimeout(() => { console.log('timer'); V8.MQ.SendMsg({}) }, 30); console.log('script'); return {Code: 1}`,
  );
  assert.deepEqual(outcome, { kind: 'returned', json: '{"Code":1}' });
  assert.deepEqual(log, ['log script', 'log timer']);
  assert.equal(calls.length, 1);
});

test('the result is taken when the script returns, not when its timers have run', async () => {
  const source = 'const r = {Code: 1}; V8.Result = 5; setTimeout(() => { r.Code = 0; V8.Result = 7 }, 1); return r';
  assert.deepEqual(await returnedBy(lanes, source), { Code: 1 });
});

const ORDERS: readonly [name: string, source: string, order: string][] = [
  ['by time', 'at(20, "b"); at(60, "c"); at(1, "a")', 'abc'],
  ['of the same time by age', 'at(5, "a"); at(5, "b"); at(5, "c")', 'abc'],
  ['negative, absent and no number are zero', 'at(-5, "a"); at(undefined, "b"); at("x", "c"); at(0, "d")', 'abcd'],
  ['text is a number', 'at("30", "b"); at("1", "a")', 'ab'],
  ['microtasks come between', 'at(0, "a", () => Promise.resolve().then(() => out("m"))); at(0, "b")', 'amb'],
  ['a timer of a timer', 'at(1, "a", () => at(1, "b"))', 'ab'],
  ['a cleared timer does not run', 'const id = at(5, "x"); at(1, "a"); clearTimeout(id)', 'a'],
  ['a timer clears another', 'const id = at(30, "x"); at(1, "a", () => clearTimeout(id))', 'a'],
  ['clearing what is none does nothing', 'clearTimeout(); clearTimeout(99); clearTimeout({}); at(0, "a")', 'a'],
  ['arguments are passed on', 'setTimeout(out, 1, "a"); setTimeout((x, y) => out(x + y), 2, "b", "c")', 'abc'],
];

for (const [name, source, order] of ORDERS) {
  test(`timers: ${name}`, async () => {
    const { log, outcome } = await runScript(
      lanes,
      `const out = (x) => console.log(x); const at = (ms, x, then) => setTimeout(() => { out(x); then && then() }, ms);
       ${source}; return 1`,
    );
    assert.deepEqual(outcome, { kind: 'returned', json: '1' });
    assert.equal(log.map((line) => line.slice('log '.length)).join(''), order);
  });
}

test('sleeping by a timer works, at the top and inside a timer', async () => {
  const sleep = 'const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));';
  assert.equal(await returnedBy(lanes, `${sleep} await sleep(5); await sleep(1); return 4`), 4);
  const { log } = await runScript(
    lanes,
    `${sleep} setTimeout(async () => { await sleep(20); console.log('slept'); await V8.ApiEngine.RunAsync('x'); console.log('called') }, 1); return 1`,
  );
  assert.deepEqual(log, ['log slept', 'log called']);
});

test('ids are numbers, one for each timer', async () => {
  assert.deepEqual(await returnedBy(lanes, 'return [1, 2, 3].map(() => setTimeout(() => {}, 1))'), [1, 2, 3]);
  assert.deepEqual(await returnedBy(lanes, 'return setTimeout(() => {}, 1)'), 1);
});

test('a callback that is no function is refused', async () => {
  for (const callback of ['"code()"', 'undefined', '{}']) {
    const { outcome } = await runScript(lanes, `setTimeout(${callback}, 1)`);
    assert.equal(outcome.kind === 'threw' && outcome.error.name, 'TypeError', callback);
  }
});

test('at most 256 timers are pending at once', async () => {
  assert.equal(await returnedBy(lanes, 'for (let i = 0; i < 256; i++) setTimeout(() => {}, 0); return 1'), 1);
  const { outcome, warnings } = await runScript(lanes, 'for (let i = 0; i < 257; i++) setTimeout(() => {}, 1e6)');
  assert.match(outcome.kind === 'threw' ? outcome.error.message : '', /256/);
  assert.match(warnings[0] ?? '', /late effect.*setTimeout × 256/);
});

test('a script that failed drops its timers at once', async () => {
  const startedAt = performance.now();
  const { outcome, log } = await runScript(
    lanes,
    'setTimeout(() => console.log("late"), 5); setTimeout(() => {}, 30_000); throw new Error("no")',
    { limits: { wallMs: 20_000 } },
  );
  assert.equal(outcome.kind, 'threw');
  assert.deepEqual(log, []);
  assert.ok(performance.now() - startedAt < 10_000);
});

const FAILURES: readonly [name: string, source: string][] = [
  ['throws', 'setTimeout(() => { throw new Error("in the timer") }, 1); return {Code: 1}'],
  ['rejects', 'setTimeout(async () => { await null; throw new Error("in the timer") }, 1); return {Code: 1}'],
  [
    'throws while the script waits',
    'setTimeout(() => { throw new Error("in the timer") }, 1); await new Promise(() => {})',
  ],
];

for (const [name, source] of FAILURES) {
  test(`a timer that ${name} fails the run, and nothing runs after it`, async () => {
    const { outcome, log } = await runScript(lanes, `setTimeout(() => console.log("after"), 60); ${source}`);
    assert.equal(outcome.kind === 'threw' && outcome.error.message, 'in the timer');
    assert.deepEqual(outcome.kind === 'threw' && outcome.error.at?.file, 'engine.js');
    assert.deepEqual(log, []);
  });
}

test('waiting for a timer is wall time, not the script’s', async () => {
  const source = 'await new Promise((resolve) => setTimeout(resolve, 600)); return 1';
  assert.equal(await returnedBy(lanes, source, { limits: { cpuMs: 300 } }), 1);
  const { outcome } = await runScript(lanes, source.replace('600', '60_000'), { limits: { wallMs: 300 } });
  assert.deepEqual(outcome, { kind: 'limit', error: { code: 'V8_TIMEOUT', params: { limit: 300 } } });
});

test('a loop in a timer, and timers that make timers for ever, end by the CPU limit', async () => {
  for (const source of [
    'setTimeout(() => { for (;;) {} }, 1); return 1',
    'const f = () => setTimeout(f, 0); f(); return 1',
    'const f = () => { setTimeout(f, 0); let n = 0; while (n < 1e5) n++ }; f(); await new Promise(() => {})',
  ]) {
    const { outcome } = await runScript(lanes, source, { limits: { cpuMs: 300, wallMs: 10_000 } });
    assert.equal(endOf(outcome), 'V8_CPU_LIMIT', source);
  }
});

test('a timer of one run does not run in the next', async () => {
  await runScript(lanes, 'const f = () => { setTimeout(f, 0); console.log("mine") }; f(); throw 1');
  const { log, outcome } = await runScript(lanes, 'await new Promise((r) => setTimeout(r, 20)); return 1');
  assert.deepEqual([outcome.kind, log], ['returned', []]);
});
