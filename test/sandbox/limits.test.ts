import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EngineRunner } from '../../src/ports/engine-runner.ts';
import { liveLanes } from '../support/lane-leaks.ts';
import { endOf, openLanes, type RunOptions, reply, returnedBy, runScript } from '../support/lanes.ts';

let lanes: EngineRunner;
before(async () => {
  lanes = await openLanes(2);
});
after(async () => {
  await lanes.close();
  assert.deepEqual(liveLanes(), []);
});

/** The promise is a second; a test runs on machines that are five times slower. Milliseconds. */
const LATE_MS = 5_000;

/** Ends an attack while the test still waits: CPU, then wall, then the promise of budget plus one second. */
const TIGHT = { cpuMs: 300, wallMs: 5000 };

interface Attack {
  readonly name: string;
  readonly source: string;
  readonly ends: readonly string[];
  readonly options?: RunOptions;
}

const ATTACKS: readonly Attack[] = [
  { name: 'an endless loop', source: 'while (true) {}', ends: ['V8_CPU_LIMIT'] },
  { name: 'an endless loop after await', source: 'await null; while (true) {}', ends: ['V8_CPU_LIMIT'] },
  {
    name: 'an endless loop after a host call',
    source: 'V8.FormEngine.GetFormData("t"); while (true) {}',
    ends: ['V8_CPU_LIMIT'],
  },
  {
    name: 'a microtask bomb behind a good result',
    source: 'const f = () => Promise.resolve().then(f); f(); return {Code:1}',
    ends: ['V8_CPU_LIMIT'],
  },
  {
    name: 'a microtask bomb beside a floating rejection',
    source: 'Promise.reject(new Error("x")); const f = () => Promise.resolve().then(f); f(); return {Code:1}',
    ends: ['V8_CPU_LIMIT'],
  },
  { name: 'a fill loop', source: 'for (;;) new Array(1000).fill("x")', ends: ['V8_CPU_LIMIT'] },
  { name: 'an endless toJSON', source: 'return {toJSON(){ while (true) {} }}', ends: ['V8_CPU_LIMIT'] },
  {
    name: 'an endless getter of what was thrown',
    source: 'throw {get message(){ while (true) {} }}',
    ends: ['V8_CPU_LIMIT'],
  },
  {
    name: 'an endless getter of a floating rejection',
    source: 'Promise.reject({get message(){ while (true) {} }}); return {Code:1}',
    ends: ['V8_CPU_LIMIT', 'V8_TIMEOUT'],
  },
  {
    name: 'a catastrophic regular expression',
    source: 'return /^(a+)+$/.test("a".repeat(40) + "b")',
    ends: ['V8_CPU_LIMIT'],
  },
  {
    name: 'a BigInt bomb',
    source: 'let a = 3n ** 1000000n; for (;;) a = a * a',
    ends: ['V8_CPU_LIMIT', 'V8_TIMEOUT'],
  },
  {
    name: 'a sort of a huge array',
    source: 'return Array.from({length: 3e7}, (_, i) => -i).sort()',
    ends: ['V8_CPU_LIMIT', 'V8_MEMORY_LIMIT', 'V8_PROCESS_MEMORY', 'V8_TIMEOUT'],
  },
  {
    name: 'a split of 2^28 characters',
    source: 'return "x".repeat(2 ** 28).split("")',
    ends: ['V8_PROCESS_MEMORY', 'V8_PROCESS_CRASH', 'V8_MEMORY_LIMIT', 'V8_CPU_LIMIT', 'V8_TIMEOUT'],
    options: { limits: { cpuMs: 3000, wallMs: 5000 } },
  },
  {
    name: 'a heap of objects',
    source: 'const a = []; for (;;) a.push({a})',
    ends: ['V8_MEMORY_LIMIT'],
    options: { limits: { heapMb: 32, cpuMs: 5000, wallMs: 8000 } },
  },
  {
    name: 'buffers outside the heap',
    source: 'const a = []; for (;;) a.push(new Uint8Array(4e6).fill(1))',
    ends: ['V8_PROCESS_MEMORY', 'V8_MEMORY_LIMIT', 'threw'],
    options: { limits: { cpuMs: 5000, wallMs: 8000 } },
  },
  {
    name: 'more memory than the process may have',
    source: 'const a = []; for (;;) a.push("é".repeat(1e6) + Math.random())',
    ends: ['V8_PROCESS_MEMORY'],
    options: { limits: { rssMb: 90, heapMb: 512, cpuMs: 5000, wallMs: 8000 } },
  },
  { name: 'endless recursion', source: 'function f(){ f() } f()', ends: ['V8_RECURSION_LIMIT'] },
  {
    name: 'endless recursion through getters',
    source: 'const o = {get a(){ return this.a }}; return o.a',
    ends: ['V8_RECURSION_LIMIT'],
  },
  {
    name: 'a flood of results',
    source: 'return "x".repeat(2e6)',
    ends: ['V8_RESULT_TOO_LARGE'],
  },
  {
    name: 'a result that is too large in bytes only',
    source: 'return "中".repeat(4e5)',
    ends: ['V8_RESULT_TOO_LARGE'],
  },
  {
    name: 'a flood of host calls',
    source: 'for (;;) V8.Method.NewUlid()',
    ends: ['V8_HOST_CALL_LIMIT'],
    options: { limits: { hostCalls: 50, cpuMs: 5000 } },
  },
  {
    name: 'a parameter that is too large',
    source: 'return {Code:1}',
    ends: ['V8_RESULT_TOO_LARGE'],
    options: { limits: { paramBytes: 1000 }, input: { Param: 'x'.repeat(1000) } },
  },
];

for (const { name, source, ends, options = {} } of ATTACKS) {
  test(`${name} ends the run and nothing else`, async () => {
    const limits = { ...TIGHT, ...options.limits };
    const neighbour = keepRunning('neighbour');
    const startedAt = performance.now();
    const { outcome } = await runScript(lanes, source, { ...options, limits });
    const took = performance.now() - startedAt;
    assert.ok(ends.includes(endOf(outcome)), JSON.stringify(outcome).slice(0, 300));
    assert.ok(took < limits.wallMs + LATE_MS, `ended after ${Math.round(took)} ms`);
    assert.deepEqual(new Set(await neighbour.stop()), new Set([1]), 'the neighbour went on undisturbed');
    assert.deepEqual(await returnedBy(lanes, 'return {Code:1}'), { Code: 1 });
  });
}

/** Runs another tenant's script again and again. */
function keepRunning(tenant: string): { stop(): Promise<unknown[]> } {
  const values: unknown[] = [];
  let stopped = false;
  const loop = (async () => {
    while (!stopped) values.push(await returnedBy(lanes, 'return 1', { tenant }));
  })();
  return {
    async stop() {
      stopped = true;
      await loop;
      return values;
    },
  };
}

test('a run that waits for the host ends at its wall limit without losing its lane', async () => {
  const lane = await openLanes(1);
  try {
    const [before] = liveLanes().slice(-1);
    const startedAt = performance.now();
    const { outcome } = await runScript(lane, 'try { V8.Http.Post({}) } finally { V8.MQ.SendMsg({}) } return 1', {
      limits: { wallMs: 200 },
      call: () => new Promise(() => undefined),
    });
    assert.deepEqual(outcome, { kind: 'limit', error: { code: 'V8_TIMEOUT', params: { limit: 200 } } });
    assert.ok(performance.now() - startedAt < 5_000);
    assert.equal(await returnedBy(lane, 'return 5'), 5);
    assert.ok(before !== undefined && liveLanes().includes(before));
  } finally {
    await lane.close();
  }
});

test('time inside a host call is wall time, not the script’s', async () => {
  const slow = () => new Promise<ReturnType<typeof reply>>((resolve) => setTimeout(() => resolve(reply(1)), 400));
  const { outcome } = await runScript(lanes, 'return V8.Http.Post({})', { limits: { cpuMs: 100 }, call: slow });
  assert.deepEqual(outcome, { kind: 'returned', json: '1' });
});

test('arguments over their limit are answered, not sent', async () => {
  const { outcome, calls } = await runScript(
    lanes,
    'return [V8.MQ.SendMsg("x".repeat(2000)), V8.MQ.SendMsg("中".repeat(400)), V8.MQ.SendMsg("é", {_Lang:"en", a:"x".repeat(999)})]',
    { limits: { argumentBytes: 1000 } },
  );
  const answers = JSON.parse(outcome.kind === 'returned' ? outcome.json : '[]') as Record<string, unknown>[];
  assert.deepEqual(
    answers.map((each) => [each.Code, each.ReasonCode]),
    Array(3).fill([0, 'V8_RESULT_TOO_LARGE']),
  );
  assert.match(String(answers[2]?.Msg), /limit is 1000/);
  assert.equal(calls.length, 0);
});

test('the log is cut at its lines and bytes, with one warning at the end', async () => {
  const { log, warnings } = await runScript(lanes, 'for (let i = 0; i < 100; i++) console.log(i)', {
    limits: { logLines: 10 },
  });
  assert.equal(log.length, 10);
  assert.equal(warnings.length, 1);
  const large = await runScript(lanes, 'console.log("中".repeat(100)); console.log("x".repeat(1e7)); console.log(1)', {
    limits: { logBytes: 400 },
  });
  assert.deepEqual(large.log, [`log ${'中'.repeat(100)}`]);
  assert.equal(large.warnings.length, 1);
});

test('memory that one run left does not end the next one', async () => {
  const source = 'const a = []; for (let i = 0; i < 60; i++) a.push("é".repeat(5e5) + i); return a.length';
  for (let i = 0; i < 8; i++) assert.equal(await returnedBy(lanes, source, { tenant: `tenant${i}` }), 60);
});
