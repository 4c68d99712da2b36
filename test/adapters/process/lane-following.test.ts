/** Runs of a quick engine that go behind each other in one lane. */
import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { PROBATION_RUNS } from '../../../src/core/probation.ts';
import type { EngineRunner, LaneRequest, RunSlot } from '../../../src/ports/engine-runner.ts';
import type { RunStart } from '../../../src/protocol/messages.ts';
import { eventually } from '../../support/eventually.ts';
import { openLanes, openNumberedLanes, RecordingSink, reply, runStart } from '../../support/lanes.ts';

const QUICK = runStart('return 1;', { engineKey: 'quick' });
const MOST = 8;

function requestOf({ engineKey, version }: RunStart, mayFollow = true): LaneRequest {
  return { engine: { key: engineKey, version }, mayFollow };
}

async function run(pool: EngineRunner, start: RunStart, sink = new RecordingSink(undefined)): Promise<unknown> {
  const slot = await pool.acquire(start.tenant, requestOf(start));
  try {
    return await slot.run(start, sink);
  } finally {
    slot.release();
  }
}

/** Runs the engine until it is known to be quick: on a crowded machine a run may take longer now and then. */
async function makeKnown(pool: EngineRunner, start: RunStart, sink = new RecordingSink(undefined)): Promise<void> {
  await eventually(async () => {
    for (let i = 0; i < PROBATION_RUNS; i++) await run(pool, start, sink);
    const first = await pool.acquire(start.tenant, requestOf(start));
    const second = pool.acquire(start.tenant, requestOf(start));
    const isGranted = granted(second);
    await soon();
    const isKnown = isGranted();
    first.release();
    (await second).release();
    assert.ok(isKnown, 'not quick yet');
  });
}

/** Lets what is ready happen. */
async function soon(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}

function granted(turn: Promise<RunSlot>): () => boolean {
  let done = false;
  void turn.then(() => {
    done = true;
  });
  return () => done;
}

test('runs of a quick engine share a lane, so many and no more, and end in their order', async (t) => {
  const pool = await openLanes(1);
  t.after(() => pool.close());
  await makeKnown(pool, QUICK);
  const slots = await Promise.all(Array.from({ length: MOST }, () => pool.acquire('demo', requestOf(QUICK))));
  assert.deepEqual([pool.status().busy, pool.load()[0]?.running], [1, MOST]);
  const turn = pool.acquire('demo', requestOf(QUICK));
  const isGranted = granted(turn);
  const order: number[] = [];
  await Promise.all(
    slots.map(async (slot, i) => {
      const outcome = await slot.run(QUICK, new RecordingSink(undefined));
      order.push(i);
      assert.deepEqual(outcome, { kind: 'returned', json: '1' });
    }),
  );
  assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.equal(isGranted(), false);
  slots[2]?.release();
  slots[2]?.release();
  (await turn).release();
  for (const slot of slots) slot.release();
  assert.deepEqual([pool.status(), pool.load()[0]?.running ?? 0], [{ lanes: 1, busy: 0, waiting: 0 }, 0]);
});

test('nobody goes behind an engine that is not known, not quick, or whose caller holds something', async (t) => {
  const pool = await openLanes(1);
  t.after(() => pool.close());
  const slow = runStart('V8.Method.NewGuid(); return 1;', { engineKey: 'slow' });
  const sink = new RecordingSink(async () => {
    await new Promise((resolve) => setTimeout(resolve, 4));
    return reply(1);
  });
  for (let i = 0; i < PROBATION_RUNS + 5; i++) await run(pool, slow, sink);
  await makeKnown(pool, QUICK);
  const pairs: readonly (readonly [LaneRequest, LaneRequest])[] = [
    [requestOf(slow), requestOf(slow)],
    [requestOf({ ...QUICK, version: 'new' }), requestOf({ ...QUICK, version: 'new' })],
    [requestOf(QUICK), requestOf(QUICK, false)],
    [requestOf(QUICK, false), requestOf(QUICK)],
    [requestOf(QUICK), requestOf(slow)],
  ];
  for (const [first, second] of pairs) {
    const slot = await pool.acquire('demo', first);
    const turn = pool.acquire('demo', second);
    const isGranted = granted(turn);
    await soon();
    assert.equal(isGranted(), false, JSON.stringify([first, second]));
    slot.release();
    (await turn).release();
  }
});

test('while another tenant is here nobody follows: it would wait for all of them', async (t) => {
  const pool = await openLanes(2);
  t.after(() => pool.close());
  await makeKnown(pool, QUICK);
  const mine = await Promise.all([1, 2].map(() => pool.acquire('demo', requestOf(QUICK))));
  const theirs = pool.acquire('other', {});
  const behind = pool.acquire('demo', requestOf(QUICK));
  const followed = granted(behind);
  await soon();
  assert.equal(followed(), false);
  mine[0]?.release();
  (await theirs).release();
  mine[1]?.release();
  (await behind).release();
});

test('those behind a run that costs the lane run elsewhere, once each', async (t) => {
  const pool = await openNumberedLanes(1);
  t.after(() => pool.close());
  const asking = runStart('return V8.Method.NewGuid();', { engineKey: 'asking' });
  await makeKnown(pool, asking);
  const slots = await Promise.all([1, 2, 3].map(() => pool.acquire('demo', requestOf(asking))));
  const killing = new RecordingSink(async () => {
    process.kill(pool.pid(0), 'SIGKILL');
    return new Promise(() => undefined);
  });
  const sinks = [killing, new RecordingSink(undefined), new RecordingSink(undefined)];
  const outcomes = await Promise.all(
    slots.map(async (slot, i) => {
      const outcome = await slot.run(asking, sinks[i] ?? killing);
      slot.release();
      return outcome.kind;
    }),
  );
  assert.deepEqual(outcomes, ['crashed', 'returned', 'returned']);
  assert.deepEqual(
    sinks.map(({ calls }) => calls.length),
    [1, 1, 1],
  );
  await eventually(() => assert.deepEqual(pool.status(), { lanes: 1, busy: 0, waiting: 0 }));
});

test('a caller that leaves without a run leaves the others theirs', async (t) => {
  const pool = await openLanes(1);
  t.after(() => pool.close());
  await makeKnown(pool, QUICK);
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => pool.acquire('demo', requestOf(QUICK))));
  first?.release();
  assert.equal((await second?.run(QUICK, new RecordingSink(undefined)))?.kind, 'returned');
  second?.release();
  assert.equal(pool.status().busy, 1);
  assert.equal((await third?.run(QUICK, new RecordingSink(undefined)))?.kind, 'returned');
  third?.release();
  assert.equal(pool.status().busy, 0);
});

test('lanes are counted where they are taken: one that its first slot leaves for another is still one', async (t) => {
  const pool = await openNumberedLanes(1);
  t.after(() => pool.close());
  await makeKnown(pool, QUICK);
  const [first, second] = await Promise.all([1, 2].map(() => pool.acquire('demo', requestOf(QUICK))));
  process.kill(pool.pid(0), 'SIGKILL');
  await eventually(async () => {
    assert.equal((await first?.run(QUICK, new RecordingSink(undefined)))?.kind, 'returned');
    assert.equal(pool.status().busy, 2, 'the first has gone to the lane apart, the second has not');
  });
  first?.release();
  assert.equal(pool.status().busy, 1);
  assert.equal((await second?.run(QUICK, new RecordingSink(undefined)))?.kind, 'returned');
  second?.release();
  assert.deepEqual(pool.status(), { lanes: 1, busy: 0, waiting: 0 });
});

test('the lane apart is given back by whoever leaves it last', async (t) => {
  const pool = await openNumberedLanes(1, { maxLanesPerTenant: 8 });
  t.after(() => pool.close());
  const asking = runStart('return V8.Method.NewGuid();', { engineKey: 'asking' });
  await makeKnown(pool, QUICK);
  (await pool.acquire('neighbour', {})).release();
  const shared = await pool.acquire('demo', {});
  const killed = await pool.acquire('demo', requestOf(asking));
  const kill = new RecordingSink(async () => {
    process.kill(pool.pid(1), 'SIGKILL');
    return new Promise(() => undefined);
  });
  assert.equal((await killed.run(asking, kill)).kind, 'crashed');
  killed.release();
  const first = await pool.acquire('demo', requestOf(QUICK));
  // Once the neighbour is gone nobody needs protection, and a run may go behind the one that was put apart.
  let second: RunSlot | undefined;
  await eventually(async () => {
    second = await pool.acquire('demo', { ...requestOf(QUICK), waitMs: 50 });
  });
  assert.equal(pool.status().busy, 2);
  first.release();
  assert.equal(pool.status().busy, 2);
  second?.release();
  shared.release();
  assert.equal(pool.status().busy, 0);
  (await pool.acquire('neighbour', {})).release();
  (await pool.acquire('demo', { waitMs: 5_000 })).release();
});
