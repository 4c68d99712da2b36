/** Who runs next, and in which lane: order of starts and places, never times. */
import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { TenantHomes } from '../../../src/adapters/process/tenant-homes.ts';
import { PROBATION_RUNS } from '../../../src/core/probation.ts';
import type { EngineRunner, LaneRequest, RunSlot } from '../../../src/ports/engine-runner.ts';
import { eventually } from '../../support/eventually.ts';
import { endOf, openLanes, openNumberedLanes, RecordingSink, reply, runStart } from '../../support/lanes.ts';

/** Lets what is ready happen: for checks that nothing more does. What must happen is waited for. */
const settle = () => sleep(20);

/** Waits for a state, however long a busy machine takes to get there, and sees that it stays. */
async function settlesAt(state: () => unknown, expected: unknown, message = 'settles'): Promise<void> {
  const check = () => assert.deepEqual(state(), expected, message);
  await eventually(check);
  await settle();
  check();
}

/** Asks for slots and writes down who gets one. */
class Starts {
  readonly order: string[] = [];
  readonly #pool: EngineRunner;
  readonly #held = new Map<string, RunSlot[]>();
  readonly #turns: Promise<unknown>[] = [];

  constructor(pool: EngineRunner) {
    this.#pool = pool;
  }

  ask(tenant: string, count = 1, request: LaneRequest = {}): void {
    for (let i = 0; i < count; i++) {
      const turn = this.#pool.acquire(tenant, request).then((slot) => {
        this.order.push(tenant);
        this.#held.set(tenant, [...(this.#held.get(tenant) ?? []), slot]);
      });
      // A test that failed closes the pool, which sends away who still waits.
      turn.catch(() => undefined);
      this.#turns.push(turn);
    }
  }

  held(tenant: string): number {
    return this.#held.get(tenant)?.length ?? 0;
  }

  async end(tenant: string): Promise<void> {
    this.#held.get(tenant)?.shift()?.release();
    await settle();
  }

  async endAll(): Promise<void> {
    let open = true;
    const turns = Promise.all(this.#turns).then(() => (open = false));
    while (open || [...this.#held.values()].some((slots) => slots.length > 0)) {
      for (const tenant of this.#held.keys()) await this.end(tenant);
    }
    await turns;
  }
}

test('a backlog of one tenant delays the next message of another by one run at most', async (t) => {
  const pool = await openNumberedLanes(2);
  t.after(() => pool.close());
  const starts = new Starts(pool);
  starts.ask('flood', 20);
  await settlesAt(() => starts.held('flood'), 2, 'alone, a tenant has every lane');
  starts.ask('single');
  await settlesAt(
    () => pool.load().map(({ tenant, running, waiting }) => [tenant, running, waiting]),
    [
      ['flood', 2, 18],
      ['single', 0, 1],
    ],
  );
  const order = ['flood', 'flood', 'single'];
  await starts.end('flood');
  await settlesAt(() => starts.order, order);
  starts.ask('single', 3);
  for (let i = 0; i < 3; i++) {
    await starts.end('single');
    order.push('single');
    await settlesAt(() => starts.order, order, 'with a neighbour the flood has one lane less than there are');
    await starts.end('flood');
    order.push('flood');
    await settlesAt(() => starts.order, order);
  }
  await starts.endAll();
  assert.equal(starts.order.length, 24);
  assert.deepEqual([pool.status().busy, pool.load()], [0, []]);
});

test('runs at once are capped for a tenant and an engine; others pass', async (t) => {
  const pool = await openNumberedLanes(3, { caps: { host: 128, tenant: 2, engine: 1 } });
  t.after(() => pool.close());
  const starts = new Starts(pool);
  starts.ask('a', 2, { engine: { key: 'x', version: '1' } });
  starts.ask('a', 2, { engine: { key: 'y', version: '1' } });
  await settlesAt(() => [starts.held('a'), pool.status().waiting], [2, 2]);
  starts.ask('b', 2, { maxRuns: { engine: 2 } });
  await settlesAt(() => [starts.held('b'), pool.status().waiting], [1, 3], 'three lanes, and a third run of no tenant');
  await starts.endAll();
});

test('a caller leaves the line after its time, a drain sends everybody away', async (t) => {
  const pool = await openLanes(1);
  t.after(() => pool.close());
  const slot = await pool.acquire('a', {});
  const draining = new AbortController();
  await assert.rejects(pool.acquire('b', { waitMs: 5 }), { code: 'V8_EXECUTION_QUEUE_TIMEOUT' });
  const waiting = assert.rejects(pool.acquire('b', { signal: draining.signal }), { code: 'DRAINING' });
  draining.abort();
  await waiting;
  slot.release();
});

/** Runs a script and kills the given process while it runs. @returns how the run ended. */
async function endWhenKilled(pool: EngineRunner, tenant: string, pid: number, request: LaneRequest = {}) {
  const slot = await pool.acquire(tenant, request);
  const sink = new RecordingSink(async () => {
    process.kill(pid, 'SIGKILL');
    await sleep(300);
    return reply({ Code: 1 });
  });
  const start = { ...runStart('V8.MQ.SendMsg({}); return 1', { tenant }), version: request.engine?.version ?? '0' };
  const outcome = await slot.run(start, sink);
  slot.release();
  return endOf(outcome);
}

/** Tenants with different home lanes of two. */
const [AT_0, AT_1] = ['t0', 't1', 't2', 't3', 't4'].reduce<[string, string]>(
  (found, tenant) => (new TenantHomes(2).of(tenant) === 0 ? [tenant, found[1]] : [found[0], tenant]),
  ['', ''],
);

test('a tenant runs in its home lane, and elsewhere when that one is gone', async (t) => {
  const pool = await openNumberedLanes(2);
  t.after(() => pool.close());
  assert.equal(await endWhenKilled(pool, AT_1, pool.pid(1)), 'V8_PROCESS_CRASH');
  assert.equal(await endWhenKilled(pool, AT_0, pool.pid(2)), 'returned', 'it was not in the lane apart');
  assert.equal(await endWhenKilled(pool, AT_0, pool.pid(0)), 'V8_PROCESS_CRASH');
});

test('another lane is taken when the home lane has been busy for long', async (t) => {
  const pool = await openNumberedLanes(2);
  t.after(() => pool.close());
  const first = await pool.acquire(AT_0, {});
  await sleep(10);
  assert.equal(await endWhenKilled(pool, AT_0, pool.pid(1)), 'V8_PROCESS_CRASH');
  first.release();
});

test('with neighbours, a new version runs in the lane apart until it has shown that it behaves', async (t) => {
  const pool = await openNumberedLanes(2);
  t.after(() => pool.close());
  (await pool.acquire('neighbour', {})).release();
  const request = { engine: { key: 'engine', version: 'v1' } };
  assert.equal(await endWhenKilled(pool, AT_0, pool.pid(2), request), 'V8_PROCESS_CRASH');
  const good = { engine: { key: 'good', version: 'v1' } };
  for (let run = 0; run < PROBATION_RUNS; run++) {
    const slot = await pool.acquire(AT_1, good);
    await slot.run(
      { ...runStart('return 1', { tenant: AT_1, engineKey: 'good' }), version: 'v1' },
      new RecordingSink(undefined),
    );
    slot.release();
  }
  assert.equal(await endWhenKilled(pool, AT_1, pool.pid(1), good), 'V8_PROCESS_CRASH', 'home');
});

test('while the lane apart is occupied, a new version waits a little and then runs with the others', async (t) => {
  const pool = await openNumberedLanes(2);
  t.after(() => pool.close());
  (await pool.acquire('neighbour', {})).release();
  const first = await pool.acquire('a', { engine: { key: 'x', version: 'v1' } });
  const second = await pool.acquire('b', { engine: { key: 'y', version: 'v1' } });
  assert.deepEqual(pool.status(), { lanes: 2, busy: 2, waiting: 0 });
  first.release();
  second.release();
});

/** A run of the tenant that costs its lane. */
async function loseLane(pool: EngineRunner, tenant: string): Promise<void> {
  const slot = await pool.acquire(tenant, {});
  const start = runStart("JSON.parse('['.repeat(5e6)); return 1", { tenant, limits: { rssMb: 110 } });
  const { kind } = await slot.run(start, new RecordingSink(undefined));
  slot.release();
  assert.ok(kind === 'limit' || kind === 'crashed', kind);
}

test('a tenant that cost a lane is quarantined: its runs go apart, one at a time, and cost nobody else', async (t) => {
  const pool = await openNumberedLanes(2);
  t.after(() => pool.close());
  (await pool.acquire('neighbour', {})).release();
  await loseLane(pool, AT_0);
  assert.deepEqual(
    pool.load().map(({ tenant, quarantined }) => [tenant, quarantined]),
    [[AT_0, true]],
  );
  const starts = new Starts(pool);
  starts.ask(AT_0, 2);
  const places = () => [starts.held(AT_0), pool.status().waiting];
  await settlesAt(places, [1, 1]);
  await sleep(1_200);
  assert.deepEqual(places(), [1, 1], 'no time makes it leave the lane apart');
  assert.equal(await endWhenKilled(pool, AT_1, pool.pid(1)), 'V8_PROCESS_CRASH', 'the neighbour is at home');
  await starts.endAll();
});

test('a quarantined tenant is not stopped by somebody else in the lane apart', async (t) => {
  const pool = await openNumberedLanes(2);
  t.after(() => pool.close());
  const slow = await pool.acquire('slow', { engine: { key: 'x', version: 'v1' } });
  await loseLane(pool, AT_0);
  const held = await pool.acquire('slow2', { engine: { key: 'x', version: 'v1' } });
  (await pool.acquire(AT_0, {})).release();
  held.release();
  slow.release();
});
