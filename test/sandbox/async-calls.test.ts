import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineRunner, HostCallAnswer } from '../../src/ports/engine-runner.ts';
import { liveLanes } from '../support/lane-leaks.ts';
import { endOf, openLanes, RecordingSink, reply, returnedBy, runScript, runStart } from '../support/lanes.ts';

let lanes: EngineRunner;
before(async () => {
  lanes = await openLanes();
});
after(async () => {
  await lanes.close();
  assert.deepEqual(liveLanes(), []);
});

/** The async member that the host-call table has from the first version. */
const RUN = 'V8.ApiEngine.RunAsync';

test('an async call gives a promise of what the synchronous one gives', async () => {
  const { outcome, calls } = await runScript(
    lanes,
    `const p = ${RUN}('a', {n: 1}); return [p instanceof Promise, await p, await ${RUN}('b')]`,
    { call: (_name, args) => reply({ Code: 1, Data: JSON.parse(args) }) },
  );
  assert.deepEqual(outcome.kind === 'returned' && JSON.parse(outcome.json), [
    true,
    { Code: 1, Data: ['a', { n: 1 }] },
    { Code: 1, Data: ['b'] },
  ]);
  assert.deepEqual(
    calls.map((call) => call.name),
    ['ApiEngine.Run', 'ApiEngine.Run'],
  );
});

/** Calls that touch no transaction, and calls that may. */
for (const [member, together] of [
  ['V8.Http.GetAsync', 4],
  ['V8.ApiEngine.RunAsync', 1],
] as const) {
  test(`${member}: calls made before the script comes to rest are under way ${together} at once`, async () => {
    let open = 0;
    let most = 0;
    const call = async (_name: string, args: string): Promise<HostCallAnswer> => {
      most = Math.max(most, ++open);
      await sleep(5);
      open -= 1;
      return reply(JSON.parse(args)[0]);
    };
    const source = `return Promise.all([1, 2, 3, 4].map((n) => ${member}(n)))`;
    assert.deepEqual(await returnedBy(lanes, source, { call }), [1, 2, 3, 4]);
    assert.equal(most, together);
  });
}

test('answers reach the script in the order they come, each with its own call', async () => {
  const call = async (_name: string, args: string): Promise<HostCallAnswer> => {
    const [ms] = JSON.parse(args) as number[];
    await sleep(ms);
    return reply(ms);
  };
  const source = `const seen = []; await Promise.all([120, 1, 60].map(async (ms) => seen.push([ms, await V8.Http.GetAsync(ms)])));
    return seen`;
  assert.deepEqual(await returnedBy(lanes, source, { call }), [
    [1, 1],
    [60, 60],
    [120, 120],
  ]);
});

test('what cannot be sent is answered by the promise, not thrown', async () => {
  const { outcome, calls } = await runScript(
    lanes,
    `const bad = {get x(){ throw new Error('mine') }};
     const answers = await Promise.all([${RUN}(1n), ${RUN}(bad), ${RUN}('x'.repeat(2000)), ${RUN}(NaN)]);
     return answers.map((answer) => answer.ReasonCode)`,
    { limits: { argumentBytes: 1000 } },
  );
  assert.deepEqual(outcome.kind === 'returned' && JSON.parse(outcome.json), [
    'PARAM_INVALID',
    'PARAM_INVALID',
    'V8_RESULT_TOO_LARGE',
    'PARAM_INVALID',
  ]);
  assert.equal(calls.length, 0);
});

test('calls that are too large together are answered in part', async () => {
  const { outcome, calls } = await runScript(
    lanes,
    `const answers = await Promise.all([1, 2, 3].map(() => ${RUN}('x'.repeat(400))));
     return answers.map((answer) => answer.ReasonCode ?? answer.Code)`,
    { limits: { argumentBytes: 1000 } },
  );
  assert.deepEqual(outcome.kind === 'returned' && JSON.parse(outcome.json), [1, 1, 'V8_RESULT_TOO_LARGE']);
  assert.equal(calls.length, 2);
});

test('a call that nobody awaits is made, and its answer waited for, before the run is over', async () => {
  let answered = false;
  const { outcome, calls } = await runScript(lanes, `${RUN}('later'); return {Code: 1}`, {
    call: async () => {
      await sleep(50);
      answered = true;
      return reply(1);
    },
  });
  assert.deepEqual([outcome, calls.length, answered], [{ kind: 'returned', json: '{"Code":1}' }, 1, true]);
});

test('a synchronous call between async ones is answered while they are under way', async () => {
  const call = async (name: string, args: string): Promise<HostCallAnswer> => {
    if (args.includes('slow')) await sleep(40);
    return reply(`${name}${args}`);
  };
  const source = `const p = V8.Http.GetAsync('slow'); await V8.Http.GetAsync('other'); const s = V8.Method.NewUlid(); return [await p, s]`;
  assert.deepEqual(await returnedBy(lanes, source, { call }), ['Http.Get["slow"]', 'Method.NewUlid[]']);
});

test('hundreds of calls and answers with line feeds and __proto__ arrive whole', async () => {
  const call = (_name: string, args: string) => reply({ text: 'a\nb 中 🎉', args: JSON.parse(args) });
  const source = `const out = await Promise.all(Array.from({length: 500}, (_, i) => ${RUN}('line\\n' + i)));
    return [out.length, out[499].args[0], out[0].text, out.every((each, i) => each.args[0] === 'line\\n' + i)]`;
  assert.deepEqual(await returnedBy(lanes, source, { call }), [500, 'line\n499', 'a\nb 中 🎉', true]);
});

test('the limit of host calls counts async ones', async () => {
  const source = `await Promise.all(Array.from({length: 60}, () => ${RUN}('x'))); return 1`;
  const { outcome } = await runScript(lanes, source, { limits: { hostCalls: 50 } });
  assert.equal(endOf(outcome), 'V8_HOST_CALL_LIMIT');
  assert.equal(await returnedBy(lanes, 'return 2'), 2);
});

test('a promise that nothing can settle fails at once, also beside answered calls', async () => {
  const { outcome } = await runScript(lanes, `await ${RUN}('x'); await new Promise(() => {}); return 1`);
  assert.equal(endOf(outcome), 'V8_NEVER_SETTLES');
});

test('a loop after an answer ends by the limit of the whole run', async () => {
  const { outcome } = await runScript(lanes, `await ${RUN}('x'); for (;;) {}`, { limits: { cpuMs: 300 } });
  assert.equal(endOf(outcome), 'V8_CPU_LIMIT');
});

test('a run that waits for async calls ends at its wall limit without losing its lane', async () => {
  const [pid] = liveLanes();
  const { outcome } = await runScript(lanes, `await ${RUN}('x'); return 1`, {
    limits: { wallMs: 200 },
    call: () => new Promise(() => undefined),
  });
  assert.deepEqual(outcome, { kind: 'limit', error: { code: 'V8_TIMEOUT', params: { limit: 200 } } });
  assert.ok(pid !== undefined && liveLanes().includes(pid));
  assert.equal(await returnedBy(lanes, 'return 3'), 3);
});

test('a run that failed sends none of the calls it had not sent, and says so', async () => {
  const { outcome, calls, warnings } = await runScript(lanes, `${RUN}('never'); throw new Error('no')`);
  assert.equal(outcome.kind, 'threw');
  assert.deepEqual(calls, []);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /late effect.*Async × 1/);
});

test('a host call after the run failed is refused and shown as a late effect', async () => {
  const { outcome, calls, warnings } = await runScript(
    lanes,
    `let late; Promise.resolve().then(() => { late = V8.MQ.SendMsg({}); console.log(late.ReasonCode) });
     throw new Error('no')`,
  );
  assert.equal(outcome.kind, 'threw');
  assert.deepEqual(calls, []);
  assert.match(warnings[0] ?? '', /late effect.*V8\.MQ\.SendMsg\(\)/);
});

test('engines nested by async calls run one after another, in isolates of their own', async () => {
  const inner = (source: string): HostCallAnswer => ({
    kind: 'nested',
    run: runStart(source, { engineKey: 'inner' }),
    calls: new RecordingSink(() => reply({ Code: 1, Data: 'deep' })),
    finish: async (outcome) => JSON.stringify(outcome),
  });
  const call = (_name: string, args: string): HostCallAnswer =>
    inner(`await null; const r = V8.MQ.SendMsg({}); return [${JSON.stringify(args)}, r.Data]`);
  const source = `const [a, b] = await Promise.all([${RUN}('a'), ${RUN}('b')]); return [a.json, b.json, await ${RUN}('c')]`;
  const seen = (await returnedBy(lanes, source, { call })) as [string, string, { json: string }];
  assert.deepEqual(JSON.parse(seen[0]), ['["a"]', 'deep']);
  assert.deepEqual(JSON.parse(seen[1]), ['["b"]', 'deep']);
  assert.deepEqual(JSON.parse(seen[2].json), ['["c"]', 'deep']);
});

test('a script that breaks Promise, Array and JSON still gets its answers', async () => {
  const source = `const call = ${RUN};
    Array.prototype[Symbol.iterator] = null; Promise.prototype.then = null; JSON.parse = null; Promise.resolve = null;
    Object.defineProperty(Object.prototype, '1', {set(){ throw 1 }, get(){ throw 2 }, configurable: true});
    Object.prototype.resolvers = Object.prototype.calls = null;
    const a = await call('x'); return a.Code`;
  assert.equal(await returnedBy(lanes, source), 1);
});
