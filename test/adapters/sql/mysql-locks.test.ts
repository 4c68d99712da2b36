import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { MysqlAddress } from '../../../src/adapters/sql/address-mysql.ts';
import { MysqlDatabase } from '../../../src/adapters/sql/database-mysql.ts';
import { migrate } from '../../../src/adapters/sql/migrate.ts';
import type { TenantStore } from '../../../src/ports/tenant-store.ts';
import { type FreshDatabase, freshDatabase } from '../../support/services/fresh-database.ts';
import { POOLS, storeOver } from './mysql-place.ts';
import { claimOf, fillShop, hasCode, packetOf, read, set, WAIT_MS } from './mysql-shop.ts';

/** The tests wait for the server's timers at the same time, each with events of its own. */
describe('a copy of an event that another run holds (F10)', { concurrency: true }, () => {
  let schema: FreshDatabase;
  let database: MysqlDatabase;
  let store: TenantStore;

  before(async () => {
    schema = await freshDatabase();
    await fillShop(schema.adminUrl, schema.name);
    database = await MysqlDatabase.open(MysqlAddress.parse(schema.url), { pools: POOLS, timeZone: 'Asia/Shanghai' });
    await migrate(database, { extend: false });
    store = storeOver(database);
  });

  after(() => database.close());

  it('waits about three seconds, and takes the event when the holder gives it up', async () => {
    const holder = await store.begin(WAIT_MS);
    await holder.claim(claimOf('slow'));
    const copy = await store.begin(WAIT_MS);
    const started = performance.now();
    await assert.rejects(copy.claim(claimOf('slow')), hasCode('DB_BUSY'));
    const waited = performance.now() - started;
    assert.ok(waited > 2_000 && waited < 20_000, `${waited} ms`);
    await copy.rollback();
    const next = await store.begin(WAIT_MS);
    const claimed = next.claim(claimOf('slow'));
    await holder.rollback();
    assert.equal(await claimed, 'claimed');
    await next.rollback();
  });

  it('gets it from a frozen host after fifteen seconds, and that host can commit nothing any more', async (t) => {
    const child = fork(new URL('./mysql-holder-child.ts', import.meta.url), [schema.url, 'frozen']);
    t.after(() => child.kill('SIGKILL'));
    await once(child, 'message');
    child.kill('SIGSTOP');
    const started = performance.now();
    const tx = await claimWithin(store, 'frozen', 60_000);
    const waited = performance.now() - started;
    assert.ok(waited > 8_000, `${waited} ms`);
    await set(tx, 'a', 2);
    await tx.commit(packetOf('frozen'));
    child.kill('SIGCONT');
    child.send('commit');
    const [outcome] = await once(child, 'message');
    assert.match(String(outcome), /^DB_(UNAVAILABLE|COMMIT_UNKNOWN)$/);
    assert.equal(await read(store, 'a'), 2);
    assert.equal((await store.findInbox(claimOf('frozen')))?.status, 'done');
  });

  it('never gets it from a live host, however long its run thinks between two statements', async () => {
    const tx = await store.begin(WAIT_MS);
    await tx.claim(claimOf('thinking'));
    await sleep(18_000);
    assert.equal(tx.doom, undefined);
    await set(tx, 'b', 3);
    await tx.commit(packetOf('thinking'));
    assert.equal((await store.findInbox(claimOf('thinking')))?.status, 'done');
  });

  it('would have been fenced without the heartbeat: the session has the timer', async () => {
    const tx = await database.begin(WAIT_MS);
    const { rows } = await sql<{ idle: number }>`select @@idle_transaction_timeout as idle`.execute(tx.system);
    assert.equal(rows[0]?.idle, 15);
    await tx.rollback();
  });
});

async function claimWithin(store: TenantStore, eventId: string, ms: number) {
  const deadline = performance.now() + ms;
  for (;;) {
    const tx = await store.begin(WAIT_MS);
    const answer = await tx.claim(claimOf(eventId)).catch(() => 'busy');
    if (answer === 'claimed') return tx;
    await tx.rollback();
    assert.ok(performance.now() < deadline, `${eventId} was not given up within ${ms} ms`);
  }
}
