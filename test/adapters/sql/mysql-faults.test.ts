import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { coerceError } from '../../../src/core/errors.ts';
import type { ParkRequest, TenantStore } from '../../../src/ports/tenant-store.ts';
import { eventually } from '../../support/eventually.ts';
import { type FreshDatabase, freshDatabase } from '../../support/services/fresh-database.ts';
import { type MariaDb, startMariaDb } from '../../support/services/mariadb.ts';
import { TcpProxy } from '../../support/services/tcp-proxy.ts';
import { openMysql, storeOver } from './mysql-place.ts';
import { claimOf, fillShop, hasCode, packetOf, set, WAIT_MS } from './mysql-shop.ts';

let server: MariaDb;

before(async () => {
  server = await startMariaDb();
});

after(() => server[Symbol.asyncDispose]());

async function openShop(t: TestContext, way: 'proxy' | 'direct' = 'proxy') {
  const schema = await freshDatabase({ adminUrl: server.url });
  await fillShop(server.url, schema.name);
  const proxy = await TcpProxy.open(schema.url);
  t.after(() => proxy[Symbol.asyncDispose]());
  const database = await openMysql(t, way === 'proxy' ? proxy.url(schema.url) : schema.url);
  const quantities = async () => {
    const rows = await server.sql(`select Id, Qty from ${schema.name}.shop order by Id`);
    return rows.map(({ Id, Qty }) => `${Id}${Qty}`).join(' ');
  };
  return { schema, proxy, database, store: storeOver(database), quantities };
}

const parkOf = (eventId: string): ParkRequest => ({
  ...claimOf(eventId),
  cycle: 1,
  state: 'dead',
  delayMs: 0,
  body: new Uint8Array(10),
  props: { headers: {} },
  reason: 'rejected',
  error: '',
});

async function doneEvents(schema: FreshDatabase): Promise<string[]> {
  const rows = await server.sql(`select EventId from ${schema.name}.mq_inbox where Status = 'done'`);
  return rows.map(({ EventId }) => String(EventId)).sort();
}

async function committed(schema: FreshDatabase, eventId: string): Promise<void> {
  await eventually(async () => assert.ok((await doneEvents(schema)).includes(eventId), `${eventId} was not committed`));
}

describe('a commit whose answer is lost', () => {
  it('is unknown; the effects are there when the server had read it', async (t) => {
    const { schema, proxy, store, quantities } = await openShop(t);
    const tx = await store.begin(WAIT_MS);
    await tx.claim(claimOf('e1'));
    await set(tx, 'a', 9);
    proxy.pause('replies');
    const commit = assert.rejects(tx.commit(packetOf('e1')), hasCode('DB_COMMIT_UNKNOWN'));
    await committed(schema, 'e1');
    proxy.cut();
    proxy.resume();
    await commit;
    assert.equal(await quantities(), 'a9 b10 c10');
    const copy = await store.begin(WAIT_MS);
    assert.equal(await copy.claim(claimOf('e1')), 'duplicate');
    await copy.rollback();
  });

  it('is unknown; the effects are not there when it never arrived, and the event can run again', async (t) => {
    const { schema, proxy, store, quantities } = await openShop(t);
    const tx = await store.begin(WAIT_MS);
    await tx.claim(claimOf('e1'));
    await set(tx, 'a', 9);
    proxy.pause('requests');
    const commit = assert.rejects(tx.commit(packetOf('e1')), hasCode('DB_COMMIT_UNKNOWN'));
    proxy.cut();
    proxy.resume();
    await commit;
    const again = await store.begin(WAIT_MS);
    assert.equal(await again.claim(claimOf('e1')), 'claimed');
    await set(again, 'a', 8);
    await again.commit(packetOf('e1'));
    assert.equal(await quantities(), 'a8 b10 c10');
    assert.deepEqual(await doneEvents(schema), ['e1']);
  });

  it('keeps every confirmed commit over SIGKILLs of the server, and each event has its effect at most once', async (t) => {
    const { schema, store } = await openShop(t, 'direct');
    await server.sql(
      `create table ${schema.name}.effect (Id varchar(36) primary key, EventId varchar(50)) engine=InnoDB`,
    );
    const counts = { confirmed: new Set<string>(), unknown: new Set<string>(), clean: 0 };
    for (let round = 1; round <= 2; round++) {
      const stop = new AbortController();
      const runs = Promise.all([1, 2, 3, 4].map((n) => commitUntil(stop.signal, store, `r${round}-${n}`, counts)));
      await sleep(300);
      await server.kill();
      stop.abort();
      await runs;
      await server.start();
    }
    const done = await doneEvents(schema);
    const effects = await server.sql(`select EventId, count(*) as times from ${schema.name}.effect group by EventId`);
    assert.deepEqual(effects.map(({ EventId }) => String(EventId)).sort(), done);
    assert.ok(effects.every(({ times }) => Number(times) === 1));
    for (const eventId of counts.confirmed) assert.ok(done.includes(eventId), `${eventId} was confirmed`);
    for (const eventId of done) assert.ok(counts.confirmed.has(eventId) || counts.unknown.has(eventId), eventId);
    assert.ok(counts.confirmed.size > 10, `${counts.confirmed.size} confirmed`);
  });
});

async function commitUntil(
  signal: AbortSignal,
  store: TenantStore,
  prefix: string,
  counts: { confirmed: Set<string>; unknown: Set<string>; clean: number },
): Promise<void> {
  for (let i = 1; !signal.aborted; i++) {
    const eventId = `${prefix}-${i}`;
    try {
      const tx = await store.begin(WAIT_MS);
      await tx.claim(claimOf(eventId)).catch(async (error: unknown) => {
        await tx.rollback();
        throw error;
      });
      await tx.tables.insert('effect', { Id: eventId, EventId: eventId }).catch(() => undefined);
      await tx.commit(packetOf(eventId));
      counts.confirmed.add(eventId);
    } catch (error: unknown) {
      const { code } = coerceError(error);
      if (code === 'DB_COMMIT_UNKNOWN') counts.unknown.add(eventId);
      else assert.match(code, /^DB_(UNAVAILABLE|TX_LOST)$/);
    }
  }
}

describe('a server that is away', () => {
  it('is said to be unavailable at once, and everything works when it is back', async (t) => {
    const { proxy, store, quantities } = await openShop(t);
    await proxy.refuse();
    await assert.rejects(store.begin(WAIT_MS), hasCode('DB_UNAVAILABLE'));
    await assert.rejects(store.probe(), hasCode('DB_UNAVAILABLE'));
    await assert.rejects(store.findInbox(claimOf('e1')), hasCode('DB_UNAVAILABLE'));
    await assert.rejects(
      store.tables.count({ table: 'shop', where: [], includeDeleted: false }),
      hasCode('DB_UNAVAILABLE'),
    );
    await proxy.listen();
    await store.probe();
    const tx = await store.begin(WAIT_MS);
    await tx.claim(claimOf('e1'));
    await set(tx, 'a', 1);
    await tx.commit(packetOf('e1'));
    assert.equal(await quantities(), 'a1 b10 c10');
  });

  it('costs the first statement on a connection that died in the pool nothing: it is sent again on a new one', async (t) => {
    const { proxy, store } = await openShop(t);
    const warm = await store.begin(WAIT_MS);
    await warm.claim(claimOf('warm'));
    await warm.rollback();
    const accepted = proxy.accepted;
    const tx = await store.begin(WAIT_MS);
    proxy.cut();
    assert.equal(await tx.claim(claimOf('e1')), 'claimed');
    assert.equal(tx.doom, undefined);
    assert.ok(proxy.accepted > accepted, 'a new connection was opened');
    await tx.commit(packetOf('e1'));
    assert.equal((await store.findInbox(claimOf('e1')))?.status, 'done');
  });

  it('is never asked twice within a transaction: what was done there is lost', async (t) => {
    const { proxy, store, quantities } = await openShop(t);
    const tx = await store.begin(WAIT_MS);
    await tx.claim(claimOf('e1'));
    await set(tx, 'a', 9);
    proxy.cut();
    await assert.rejects(set(tx, 'b', 9), hasCode('DB_UNAVAILABLE'));
    assert.equal(tx.doom, 'DB_UNAVAILABLE');
    await assert.rejects(tx.commit(packetOf('e1')), hasCode('DB_UNAVAILABLE'));
    assert.equal(await quantities(), 'a10 b10 c10');
  });
});

describe('a row that the server does not take', () => {
  it('is refused before it is sent, with the setting to raise, and the session lives', async (t) => {
    await server.sql('set global max_allowed_packet = 1048576');
    t.after(() => server.sql('set global max_allowed_packet = 16777216'));
    const { store } = await openShop(t, 'direct');
    const large = { ...parkOf('large'), body: new Uint8Array(2_000_000) };
    await assert.rejects(store.parked.park(large), (error: unknown) => {
      assert.ok(hasCode('DB_STATEMENT')(error), String(error));
      assert.match(String(error), /max_allowed_packet of 1048576/);
      return true;
    });
    await store.parked.park(parkOf('small'));
    assert.equal((await store.parked.list({ limit: 10 })).length, 1);
  });
});

describe('a server that answers nothing', () => {
  it('does not hold the host: a probe fails soon, a run under a statement ends when it is told to', async (t) => {
    const { database, store } = await openShop(t);
    const tx = await database.begin(WAIT_MS);
    await sql`update shop set Qty = 9 where Id = 'a'`.execute(tx.script);
    await server.freeze();
    t.after(() => server.thaw());
    const stuck = sql`update shop set Qty = 9 where Id = 'b'`.execute(tx.script).then(
      () => 'answered',
      (error: unknown) => coerceError(error).code,
    );
    const started = performance.now();
    await assert.rejects(store.probe(), hasCode('DB_UNAVAILABLE'));
    await tx.abort();
    assert.equal(await stuck, 'DB_UNAVAILABLE');
    assert.ok(performance.now() - started < 20_000, `${performance.now() - started} ms`);
    server.thaw();
    await store.probe();
    const next = await store.begin(WAIT_MS);
    assert.equal(await next.claim(claimOf('e1')), 'claimed');
    await next.rollback();
  });
});
