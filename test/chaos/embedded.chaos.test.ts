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
import { checkEffects, type EffectReader, isSettled, readProgress } from './effects.ts';
import { killHost, killLane, pause, sendAll, strikeAll } from './load.ts';
import { copiesOf, type Order, planOrders, planPoison } from './plan.ts';

const ORDERS = 300;
const POISON = 6;
/** Poison costs lanes, so its engine is paused for longer and longer between the attempts. */
const SETTLE_MS = 300_000;

test('300 orders, a third repeated, survive kills of host and sandbox with one effect each', async (t) => {
  const seed = chaosSeed();
  t.diagnostic(`chaos seed ${seed}`);
  const random = new SeededRandom(seed);
  const host = await startHost(t, random);
  const orders = planOrders(ORDERS, random);
  const poison = planPoison(POISON);
  const blows = strikeAll([killHost(host, 5), killLane(host, 8, random)], random, 900);
  await sendAll([host], random.shuffle([...orders, ...poison].flatMap(copiesOf)));
  await blows;
  await untilSettled(t, host, orders, poison);
  assert.equal(await host.stop(), 0, host.output.slice(-2_000));
  await checkEffects(readerOf(host), orders, poison);
});

async function startHost(t: TestContext, random: SeededRandom): Promise<HostProcess> {
  const config = { log: { level: 'warn' }, sandbox: { lanes: random.pick([2, 3]) }, drainSeconds: 30 };
  const host = await HostProcess.create(tempDir(t), config);
  t.after(() => host.kill());
  await host.start();
  const files = readProject(join(import.meta.dirname, 'scripts'));
  const pushed = await host.api('PUT', 'tenants/demo/engines', { files });
  assert.equal(pushed.body.Code, 1, JSON.stringify(pushed.body));
  return host;
}

async function untilSettled(
  t: TestContext,
  host: HostProcess,
  orders: readonly Order[],
  poison: readonly Order[],
): Promise<void> {
  const deadline = Date.now() + SETTLE_MS;
  for (;;) {
    const progress = await readProgress(readerOf(host));
    if (isSettled(progress, orders, poison)) return;
    if (Date.now() > deadline) {
      t.diagnostic(host.output.slice(-6_000));
      assert.fail(`not settled: ${JSON.stringify(progress)}`);
    }
    await pause(200);
  }
}

function readerOf(host: HostProcess): EffectReader {
  const read = <T>(use: (db: DatabaseSync) => T): T => {
    const db = new DatabaseSync(join(host.dataDir, 'tenants/demo.db'), { readOnly: true, timeout: 5_000 });
    try {
      return use(db);
    } finally {
      db.close();
    }
  };
  return {
    count: async (sql) => read((db) => Number(db.prepare(sql).get()?.n)),
    ids: async (sql) =>
      read((db) =>
        db
          .prepare(sql)
          .all()
          .map((row) => String(row.EventId))
          .sort(),
      ),
  };
}
