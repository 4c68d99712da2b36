import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OutboxMessage, ParkRequest, TenantStore } from '../../../src/ports/tenant-store.ts';
import { sqlAsAdmin } from '../../support/services/mariadb.ts';
import { emptySchema, openMysql, openMysqlPlace, outsideSession, storeOver } from './mysql-place.ts';
import { claimOf, packetOf, WAIT_MS } from './mysql-shop.ts';

const ROWS = 120;
const LEASE_MS = 30_000;
const LONG_AGO = 'utc_timestamp(3) - interval 1 hour';

const messageOf = (ordinal: number): OutboxMessage => ({
  runId: 'R',
  ordinal,
  queue: 'microi.tenant_a.next',
  eventId: `o${ordinal}`,
  body: new Uint8Array([ordinal]),
  props: { headers: {} },
});

const parkOf = (eventId: string): ParkRequest => ({
  queue: 'microi.tenant_a.orders',
  eventId,
  messageHash: '',
  cycle: 1,
  attempt: 2,
  state: 'waiting',
  delayMs: 0,
  body: new Uint8Array([1]),
  props: { headers: {} },
  reason: 'retry',
  error: '',
  engineKey: null,
  version: null,
});

/** Two hosts on one schema with an outbox whose leases ran out. */
async function openTwo(t: Parameters<typeof openMysql>[0]) {
  const schema = await emptySchema();
  const [one, other] = [storeOver(await openMysql(t, schema.url)), storeOver(await openMysql(t, schema.url))];
  const tx = await one.begin(WAIT_MS);
  await tx.commit({ claims: [], outbox: Array.from({ length: ROWS }, (_, i) => messageOf(i)) });
  const admin = (statement: string) => sqlAsAdmin(schema.adminUrl, `use ${schema.name}; ${statement}`);
  await admin(`update mq_outbox set ClaimUntil = ${LONG_AGO}`);
  return { schema, one, other, admin };
}

const seqs = (rows: Awaited<ReturnType<TenantStore['outbox']['lease']>>) => rows.map(({ seq }) => seq);

describe('two relays at once (F14)', () => {
  it('lease disjoint rows, all of them, in their order', async (t) => {
    const { one, other } = await openTwo(t);
    const leases = await Promise.all(
      Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? one : other).outbox.lease(10, LEASE_MS).then(seqs)),
    );
    const all = leases.flat();
    assert.equal(new Set(all).size, all.length, 'no row is given out twice');
    assert.equal(all.length, ROWS);
    for (const lease of leases)
      assert.deepEqual(
        lease,
        lease.toSorted((a, b) => a - b),
      );
    assert.deepEqual(await one.outbox.lease(10, LEASE_MS), []);
  });

  it('get back what a frozen one had leased', async (t) => {
    const { one, other, admin } = await openTwo(t);
    const first = await one.outbox.lease(ROWS, LEASE_MS);
    assert.deepEqual(await other.outbox.lease(ROWS, LEASE_MS), []);
    await admin(`update mq_outbox set ClaimUntil = ${LONG_AGO} where Ordinal < 7`);
    const again = await other.outbox.lease(ROWS, LEASE_MS);
    assert.deepEqual(seqs(again), seqs(first).slice(0, 7));
  });

  it('hold no run up, and none of them holds them up', async (t) => {
    const { one, other } = await openTwo(t);
    const run = await one.begin(WAIT_MS);
    await run.claim(claimOf('e1'));
    const sweep = other.outbox.lease(ROWS, LEASE_MS);
    const started = performance.now();
    await run.commit({ ...packetOf('e1'), outbox: [messageOf(999)] });
    assert.equal((await sweep).length, ROWS);
    assert.ok(performance.now() - started < 2_500);
  });

  it('lease no row of a run that is still open', async (t) => {
    const { schema, one } = await openTwo(t);
    const outside = await outsideSession(t, schema.url);
    await outside.run(`start transaction; insert into mq_outbox (RunId, Ordinal, QueueName, EventId, Body, Props, ClaimUntil, State)
      values ('X', 0, 'q', 'open', 'x', '{}', ${LONG_AGO}, 'ready')`);
    const rows = await one.outbox.lease(10, LEASE_MS);
    assert.equal(rows.length, 10);
    assert.ok(rows.every(({ eventId }) => eventId !== 'open'));
    await outside.run('rollback');
  });
});

describe('two movers at once', () => {
  it('lease disjoint parked rows, all of them', async (t) => {
    const { store } = await openMysqlPlace(t);
    const schema = await emptySchema();
    const [one, other] = [storeOver(await openMysql(t, schema.url)), storeOver(await openMysql(t, schema.url))];
    for (let i = 0; i < 40; i++) await store.parked.park(parkOf(`e${i}`));
    const leases = await Promise.all(
      Array.from({ length: 8 }, (_, i) => (i % 2 ? one : other).parked.leaseDue(5, LEASE_MS)),
    );
    const ids = leases.flat().map(({ eventId }) => eventId);
    assert.equal(new Set(ids).size, 40);
    assert.equal(ids.length, 40);
  });
});

describe('a purge (F12)', () => {
  it('holds no claim up, and removes large numbers by batches', async (t) => {
    const { schema, one, admin } = await openTwo(t);
    const values = Array.from(
      { length: 2_500 },
      (_, i) =>
        `('tenant_a', 'q', 'old${i}', 'done', '${'a'.repeat(64)}', 1, 'k', 'v', 'R', utc_timestamp(3) - interval 100 day)`,
    );
    await admin(`insert into mq_inbox (TenantLower, QueueName, EventId, Status, MessageHash, Attempt, EngineKey, Version, RunId, DoneAt)
      values ${values.join(', ')}`);
    const outside = await outsideSession(t, schema.url);
    // A purge in progress, as long as it likes.
    await outside.run('set session transaction isolation level read committed; start transaction');
    await outside.run(
      "delete from mq_inbox where Status = 'done' and DoneAt < utc_timestamp(3) - interval 99 day limit 1000",
    );
    const run = await one.begin(WAIT_MS);
    await run.claim(claimOf('new'));
    await run.commit(packetOf('new'));
    await outside.run('rollback');
    const DAY_MS = 86_400_000;
    const day = { attemptsMs: DAY_MS, logsMs: DAY_MS, versionsMs: DAY_MS, auditMs: DAY_MS };
    const retention = { deadLettersMs: 30 * DAY_MS, inboxMs: 37 * DAY_MS, ...day };
    assert.equal(await one.purge(retention), 2_500);
    assert.equal((await one.findInbox(claimOf('new')))?.status, 'done');
  });
});
