/**
 * The promise under fire, on the embedded default: every event has exactly one effect and one onward message, poison
 * is dead exactly once, nobody innocent is, while host and sandbox are killed at random moments.
 * Repeat a run with CHAOS_SEED=<printed seed>.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { HostProcess } from '../support/host-process.ts';
import { chaosSeed, SeededRandom } from '../support/random.ts';
import { readProject } from '../support/script-project.ts';
import { tempDir } from '../support/temp-dir.ts';

const ORDERS = 500;
const POISON = 6;
const HOST_KILLS = 5;
const LANE_KILLS = 8;
const QUEUES = ['chaos.reserve', 'chaos.careless', 'chaos.left', 'chaos.right'];

interface Order {
  readonly queue: string;
  readonly eventId: string;
  readonly copies: number;
  readonly message: unknown;
}

test('500 orders, a third repeated, survive kills of host and sandbox with one effect each', async (t) => {
  const seed = chaosSeed();
  t.diagnostic(`chaos seed ${seed}`);
  const random = new SeededRandom(seed);
  const host = await startHost(t, random);
  const orders = makeOrders(random);
  const poison = makePoison();
  const kills = killAtRandom(host, random);
  await sendAll(host, random.shuffle([...orders, ...poison].flatMap(copiesOf)));
  await kills;
  await settled(t, host, orders, poison);
  assert.equal(await host.stop(), 0, host.output.slice(-2_000));
  checkEffects(host, orders, poison);
});

async function startHost(t: TestContext, random: SeededRandom): Promise<HostProcess> {
  const host = await HostProcess.create(tempDir(t), {
    log: { level: 'warn' },
    sandbox: { lanes: random.pick([2, 3]) },
    drainSeconds: 30,
  });
  t.after(() => host.kill());
  await host.start();
  const files = readProject(join(import.meta.dirname, 'scripts'));
  const pushed = await host.api('PUT', 'tenants/demo/engines', { files });
  assert.equal(pushed.body.Code, 1, JSON.stringify(pushed.body));
  return host;
}

function makeOrders(random: SeededRandom): Order[] {
  return Array.from({ length: ORDERS }, (_, i) => ({
    queue: QUEUES[i % QUEUES.length] as string,
    eventId: `order-${i}`,
    copies: i % 3 === 0 ? random.between(2, 3) : 1,
    message: { Sku: random.pick(['A', 'B']), Number: i },
  }));
}

function makePoison(): Order[] {
  return Array.from({ length: POISON }, (_, i) => ({
    queue: 'chaos.poison',
    eventId: `poison-${i}`,
    copies: 1,
    message: { Kind: ['loop', 'crash', 'throw'][i % 3] },
  }));
}

function copiesOf(order: Order): Order[] {
  return Array.from({ length: order.copies }, () => order);
}

/** Eight senders at once, each repeating until its message is accepted, as a careful producer does. */
async function sendAll(host: HostProcess, orders: readonly Order[]): Promise<void> {
  const rest = [...orders];
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let order = rest.pop(); order !== undefined; order = rest.pop()) {
        const body = { EventId: order.eventId, Message: order.message };
        const answer = await host.apiPatiently('POST', `tenants/demo/queues/${order.queue}/messages`, body);
        assert.equal(answer.body.Code, 1, JSON.stringify(answer.body));
      }
    }),
  );
}

async function killAtRandom(host: HostProcess, random: SeededRandom): Promise<void> {
  const plan = random.shuffle([...Array(HOST_KILLS).fill('host'), ...Array(LANE_KILLS).fill('lane')] as string[]);
  for (const victim of plan) {
    await new Promise((resolve) => setTimeout(resolve, random.between(50, 900)));
    if (victim === 'host') {
      await host.kill();
      await host.start();
    } else {
      const lanes = host.lanes();
      if (lanes.length > 0) killProcess(random.pick(lanes));
    }
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself between the look and the shot.
  }
}

/** Waits until every order and every onward message is done, and every poison dead. */
async function settled(
  t: TestContext,
  host: HostProcess,
  orders: readonly Order[],
  poison: readonly Order[],
): Promise<void> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    const state = readState(host);
    if (state.done >= orders.length * 2 && state.dead >= poison.length) return;
    if (Date.now() > deadline) {
      t.diagnostic(host.output.slice(-6_000));
      assert.fail(`not settled: ${JSON.stringify(state)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function readState(host: HostProcess): { done: number; dead: number } {
  return withDatabase(host, (db) => ({
    done: countOf(db, "select count(*) as n from mq_inbox where Status = 'done'"),
    dead: countOf(db, "select count(*) as n from mq_parked where State = 'dead'"),
  }));
}

function withDatabase<T>(host: HostProcess, read: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(host.dataDir, 'tenants/demo.db'), { readOnly: true, timeout: 5_000 });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

function countOf(db: DatabaseSync, sql: string): number {
  return Number(db.prepare(sql).get()?.n);
}

function idsOf(db: DatabaseSync, sql: string): string[] {
  return db
    .prepare(sql)
    .all()
    .map((row) => String(row.EventId))
    .sort();
}

function checkEffects(host: HostProcess, orders: readonly Order[], poison: readonly Order[]): void {
  withDatabase(host, (db) => {
    const expected = orders.map((order) => order.eventId).sort();
    assert.deepEqual(idsOf(db, 'select EventId from chaos_effect'), expected, 'one effect per event, none of poison');
    const onward = expected.map((eventId) => `on-${eventId}`).sort();
    assert.deepEqual(idsOf(db, 'select EventId from chaos_onward'), onward, 'one onward message per event');
    const dead = poison.map((order) => order.eventId).sort();
    assert.deepEqual(idsOf(db, "select EventId from mq_parked where State = 'dead'"), dead, 'each poison dead once');
    assert.equal(countOf(db, "select count(*) as n from mq_parked where State <> 'dead' and State <> 'resolved'"), 0);
    assert.equal(countOf(db, 'select count(*) as n from mq_outbox'), 0, 'nothing left unsent');
    assert.equal(countOf(db, "select count(*) as n from mq_inbox where Status <> 'done'"), 0, 'no torn transaction');
    assert.equal(stockTaken(db), expectedStock(orders), 'stock fell once per order');
  });
}

function stockTaken(db: DatabaseSync): number {
  return 200_000 - countOf(db, 'select sum(Stock) as n from chaos_stock');
}

function expectedStock(orders: readonly Order[]): number {
  const perQueue: Record<string, number> = {
    'chaos.reserve': 1,
    'chaos.careless': 0,
    'chaos.left': 2,
    'chaos.right': 2,
  };
  return orders.reduce((sum, order) => sum + (perQueue[order.queue] ?? 0), 0);
}
