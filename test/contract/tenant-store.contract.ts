/** What every store of a tenant promises (ports/tenant-store.ts). Run against each adapter by test/adapters. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Binding } from '../../src/core/binding.ts';
import { AppError } from '../../src/core/errors.ts';
import type { DeadFilter } from '../../src/ports/dead-letters.ts';
import type { AttemptRecord } from '../../src/ports/journal.ts';
import type {
  EventContent,
  EventKey,
  InboxClaim,
  LeasedParkedRow,
  OutboxMessage,
  ParkRequest,
  TableDefinition,
  TenantStore,
} from '../../src/ports/tenant-store.ts';
import { deadLetterContract } from './dead-letters.contract.ts';
import type { OpenTenantStore } from './tenant-store-place.ts';
import { topicBindingContract } from './topic-bindings.contract.ts';

const DAY_MS = 24 * 3_600_000;
const LONG_MS = 3_600_000;
const RETENTION = {
  deadLettersMs: 30 * DAY_MS,
  inboxMs: 37 * DAY_MS,
  attemptsMs: 30 * DAY_MS,
  logsMs: 14 * DAY_MS,
  versionsMs: 365 * DAY_MS,
  auditMs: 365 * DAY_MS,
};
const WAIT_MS = 1_000;

const QUEUE = 'microi.tenant_a.orders';
const HASH = 'a'.repeat(64);
const keyOf = (eventId: string, queue = QUEUE): EventKey => ({ queue, eventId });
const contentOf = (eventId: string, messageHash = HASH): EventContent => ({ ...keyOf(eventId), messageHash });

const claimOf = (eventId: string, queue = QUEUE): InboxClaim => ({
  queue,
  eventId,
  messageHash: HASH,
  attempt: 1,
  engineKey: 'stock-reserve',
  version: '0123456789ab',
  runId: '01JDX0000000000000000000RN',
});

const parkOf = (eventId: string, change: Partial<ParkRequest> = {}): ParkRequest => ({
  queue: QUEUE,
  eventId,
  messageHash: HASH,
  cycle: 1,
  attempt: 2,
  state: 'waiting',
  delayMs: 0,
  body: new TextEncoder().encode('{"Message":"价格 1"}'),
  props: { messageId: eventId, headers: { traceparent: '00-1' } },
  reason: 'retry',
  error: 'it threw',
  engineKey: 'stock-reserve',
  version: '0123456789ab',
  ...change,
});

const outboxOf = (eventId: string, ordinal = 0): OutboxMessage => ({
  runId: '01JDX0000000000000000000RN',
  ordinal,
  queue: 'microi.tenant_a.next',
  eventId,
  body: new Uint8Array([0, 1, 255, 10]),
  props: { messageId: eventId, headers: {} },
});

const STOCK: TableDefinition = {
  name: 'shop_stock',
  fields: [
    { name: 'Sku', type: 'varchar(50)', unique: true },
    { name: 'Qty', type: 'int', unique: false },
  ],
  rows: [{ Sku: 'P-1', Qty: 100 }],
};

const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

/** Runs an event to its commit: claim, one effect, the packet. */
async function runEvent(store: TenantStore, eventId: string, options: { resolve?: boolean; queue?: string } = {}) {
  const tx = await store.begin(WAIT_MS);
  const claim = claimOf(eventId, options.queue);
  assert.equal(await tx.claim(claim), 'claimed');
  await takeOne(tx.tables);
  return tx.commit({ claims: [{ ...claim, resolveParked: options.resolve ?? false }], outbox: [] });
}

/** By a conditional update: two runs that both read 10 must not both write 9 (F15). */
async function takeOne(tables: TenantStore['tables']): Promise<void> {
  for (let taken = 0; taken === 0; ) {
    const [row] = await tables.select({ ...whole('shop_stock'), columns: ['Qty'], sort: [], limit: 1, offset: 0 });
    const unchanged = { glue: 'and', column: 'Qty', operator: 'eq', value: row?.Qty ?? null } as const;
    taken = await tables.update({ ...whole('shop_stock'), where: [unchanged] }, { Qty: Number(row?.Qty) - 1 });
  }
}

const whole = (table: string) => ({ table, where: [], includeDeleted: false });

async function stock(store: TenantStore): Promise<unknown> {
  const rows = await store.tables.select({ ...whole('shop_stock'), columns: ['Qty'], sort: [], limit: 1, offset: 0 });
  return rows[0]?.Qty;
}

async function assertPending(store: TenantStore, ready: number, gaveUp: number): Promise<void> {
  const { rows, failed, oldestRunId } = await store.outbox.pending();
  assert.deepEqual([rows, failed], [ready, gaveUp]);
  assert.equal(oldestRunId, ready === 0 ? undefined : outboxOf('').runId);
}

async function states(store: TenantStore): Promise<string[]> {
  const rows = await store.parked.list({ limit: 100 });
  return rows.map((row) => `${row.eventId} ${row.cycle}.${row.attempt} ${row.parkedState}`).sort();
}

async function replayed(store: TenantStore, filter: DeadFilter): Promise<number> {
  return (await store.deadLetters.replay(filter)).replayed.length;
}

async function leaseOne(store: TenantStore): Promise<LeasedParkedRow> {
  const [row] = await store.parked.leaseDue(10, LONG_MS);
  assert.ok(row, 'a row is due');
  return row;
}

export function tenantStoreContract(name: string, open: OpenTenantStore): void {
  describe(`tenant store: ${name}`, () => {
    transactions(open);
    identities(open);
    outbox(open);
    parking(open);
    ordering(open);
    replaying(open);
    deadLetterContract(open);
    crashes(open);
    retention(open);
    pushing(open);
    topicBindingContract(open);
    journal(open);
  });
}

function transactions(open: OpenTenantStore): void {
  describe('the transaction of a run', () => {
    it('commits effect, inbox row and outbox together, and they survive a restart', async (t) => {
      const { store, reopen } = await open(t);
      await store.createTables([STOCK]);
      const tx = await store.begin(WAIT_MS);
      await tx.claim(claimOf('e1'));
      await takeOne(tx.tables);
      const rows = await tx.commit({
        claims: [{ ...contentOf('e1'), resolveParked: false }],
        outbox: [outboxOf('o1'), outboxOf('o2', 1)],
      });
      assert.deepEqual(
        rows.map(({ eventId, ordinal, attempts }) => [eventId, ordinal, attempts]),
        [
          ['o1', 0, 0],
          ['o2', 1, 0],
        ],
      );
      const again = await reopen();
      assert.equal(await stock(again), 99);
      assert.deepEqual(await again.findInbox(keyOf('e1')), { status: 'done', messageHash: 'a'.repeat(64) });
      await assertPending(again, 2, 0);
    });

    it('leaves nothing of a rolled back run', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      const tx = await store.begin(WAIT_MS);
      await tx.claim(claimOf('e1'));
      await takeOne(tx.tables);
      await tx.rollback();
      assert.equal(await stock(store), 100);
      assert.equal(await store.findInbox(keyOf('e1')), undefined);
      assert.equal(await runEvent(store, 'e1').then(() => stock(store)), 99);
    });

    it('shows its effects to nobody before the commit', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      const tx = await store.begin(WAIT_MS);
      await tx.claim(claimOf('e1'));
      await takeOne(tx.tables);
      assert.equal(await stock(store), 100);
      assert.equal(await store.findInbox(keyOf('e1')), undefined);
      await tx.rollback();
    });

    it('answers duplicate for a committed event; the caller rolls back', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      await runEvent(store, 'e1');
      const copy = await store.begin(WAIT_MS);
      assert.equal(await copy.claim(claimOf('e1')), 'duplicate');
      await copy.rollback();
      assert.equal(await runEvent(store, 'e2').then(() => stock(store)), 98);
    });

    it('claims and commits several events at once', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      const tx = await store.begin(WAIT_MS);
      const answers = await tx.claimAll(['e2', 'e1'].map((eventId) => claimOf(eventId)));
      assert.deepEqual(answers, ['claimed', 'claimed']);
      for (const _ of ['e2', 'e1']) await takeOne(tx.tables);
      const claims = ['e2', 'e1'].map((eventId) => ({ ...contentOf(eventId), resolveParked: false }));
      await tx.commit({ claims, outbox: [] });
      assert.equal(await stock(store), 98);
      for (const eventId of ['e1', 'e2']) assert.equal((await store.findInbox(keyOf(eventId)))?.status, 'done');
    });

    it('tells which of several events are known, and goes on with the others', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      await runEvent(store, 'known');
      const tx = await store.begin(WAIT_MS);
      assert.deepEqual(await tx.claimAll(['e1', 'known', 'e2'].map((eventId) => claimOf(eventId))), [
        'claimed',
        'duplicate',
        'claimed',
      ]);
      assert.equal(tx.doom, undefined);
      for (const _ of ['e1', 'e2']) await takeOne(tx.tables);
      const claims = ['e1', 'e2'].map((eventId) => ({ ...contentOf(eventId), resolveParked: false }));
      await tx.commit({ claims, outbox: [] });
      assert.equal(await stock(store), 97);
    });

    it('goes on after a unique conflict in a table of the script, which names the field and is no duplicate', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      const tx = await store.begin(WAIT_MS);
      await tx.claim(claimOf('e1'));
      await assert.rejects(tx.tables.insert('shop_stock', { Id: '2', Sku: 'p-1' }), (error: unknown) => {
        assert.ok(error instanceof AppError);
        assert.equal(error.code, 'ROW_NOT_UNIQUE');
        assert.deepEqual(error.params, { table: 'shop_stock', field: 'Sku' });
        return true;
      });
      assert.equal(tx.doom, undefined);
      await takeOne(tx.tables);
      await tx.commit({ claims: [{ ...contentOf('e1'), resolveParked: false }], outbox: [] });
      assert.equal(await stock(store), 99);
    });

    it('refuses to commit a claim whose row is not there, and undoes everything', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      const tx = await store.begin(WAIT_MS);
      await takeOne(tx.tables);
      const packet = { claims: [{ ...contentOf('never-claimed'), resolveParked: false }], outbox: [outboxOf('o1')] };
      await assert.rejects(tx.commit(packet), hasCode('DB_TORN'));
      await tx.rollback();
      assert.equal(await stock(store), 100);
      await assertPending(store, 0, 0);
    });

    it('refuses to commit over an event that is done already', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      await runEvent(store, 'e1');
      const tx = await store.begin(WAIT_MS);
      await takeOne(tx.tables);
      await assert.rejects(
        tx.commit({ claims: [{ ...contentOf('e1'), resolveParked: false }], outbox: [] }),
        hasCode('DB_TORN'),
      );
      assert.equal(await stock(store), 99);
    });

    it('takes no statement after its end', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      const tx = await store.begin(WAIT_MS);
      await tx.commit({ claims: [], outbox: [] });
      await assert.rejects(takeOne(tx.tables), hasCode('DB_TX_LOST'));
      await assert.rejects(tx.commit({ claims: [], outbox: [] }), hasCode('DB_TX_LOST'));
      assert.equal(await stock(store), 100);
    });

    it('lets the event loop run while another transaction waits, and both commit (F11)', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      const first = await store.begin(WAIT_MS);
      await first.claim(claimOf('e1'));
      await takeOne(first.tables);
      const second = runEvent(store, 'e2');
      let ticks = 0;
      for (; ticks < 20; ticks++) await new Promise((resolve) => setImmediate(resolve));
      await first.commit({ claims: [{ ...contentOf('e1'), resolveParked: false }], outbox: [] });
      await second;
      assert.equal(ticks, 20);
      assert.equal(await stock(store), 98);
    });

    it('answers DB_BUSY while others hold every way to a transaction, and works again after it', async (t) => {
      const { store, holdTransactions } = await open(t);
      await store.createTables([STOCK]);
      const letGo = await holdTransactions();
      await assert.rejects(store.begin(30), hasCode('DB_BUSY'));
      assert.equal(await stock(store), 100);
      await letGo();
      assert.equal(await runEvent(store, 'e1').then(() => stock(store)), 99);
    });

    it('says that it can commit', async (t) => {
      const { store } = await open(t);
      await store.probe();
    });
  });
}

function identities(open: OpenTenantStore): void {
  const pairs = [
    ['abc', 'ABC'],
    ['café', 'cafe'],
    ['straße', 'strasse'],
    ['a', 'a '],
    ['1', '１'],
  ] as const;
  describe('the identity of an event (F8)', () => {
    for (const [one, other] of pairs) {
      it(`keeps ${JSON.stringify(one)} and ${JSON.stringify(other)} apart`, async (t) => {
        const { store } = await open(t);
        await store.createTables([STOCK]);
        for (const eventId of [one, other]) await store.parked.park(parkOf(eventId));
        for (const eventId of [one, other]) assert.equal(await store.crashes.count(keyOf(eventId)), 1);
        await runEvent(store, one, { resolve: true });
        assert.equal(await store.findInbox(keyOf(other)), undefined);
        assert.deepEqual(await states(store), [`${one} 1.2 resolved`, `${other} 1.2 waiting`].sort());
        assert.equal(await store.crashes.count(keyOf(other)), 2);
        await runEvent(store, other);
        assert.equal(await stock(store), 98);
        assert.equal((await store.journal.story(one)).inbox.length, 1);
      });
    }

    it('counts the same EventId in two queues as two events', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      await runEvent(store, 'e1');
      await runEvent(store, 'e1', { queue: 'microi.tenant_a.Orders' });
      assert.equal(await stock(store), 98);
    });
  });
}

function outbox(open: OpenTenantStore): void {
  describe('the outbox', () => {
    const send = async (store: TenantStore, ...eventIds: string[]) => {
      const tx = await store.begin(WAIT_MS);
      return tx.commit({ claims: [], outbox: eventIds.map(outboxOf) });
    };

    it('leaves fresh rows to the host that committed them, until their lease ends', async (t) => {
      const { store, elapse } = await open(t);
      await send(store, 'o1', 'o2');
      assert.deepEqual(await store.outbox.lease(10, LONG_MS), []);
      await elapse(31_000);
      const rows = await store.outbox.lease(10, LONG_MS);
      assert.deepEqual(
        rows.map(({ eventId }) => eventId),
        ['o1', 'o2'],
      );
      assert.deepEqual(rows[0]?.body, new Uint8Array([0, 1, 255, 10]));
      assert.deepEqual(rows[0]?.props, { messageId: 'o1', headers: {} });
      assert.deepEqual(await store.outbox.lease(10, LONG_MS), [], 'leased rows are not given out twice');
    });

    it('keeps identities, properties and bodies of any characters and sizes', async (t) => {
      const { store, elapse } = await open(t);
      const sent = [`o'?"\\ 😀 %_;--`, 'o', 'large'].map((eventId, ordinal) => ({
        ...outboxOf(eventId, ordinal),
        body: new TextEncoder().encode('价?\\'.repeat(eventId === 'large' ? 60_000 : 1)),
        props: { messageId: eventId, headers: { traceparent: `'?\\"` } },
      }));
      const tx = await store.begin(WAIT_MS);
      await tx.claimAll(sent.map(({ eventId }) => claimOf(eventId)));
      const claims = sent.map(({ eventId }) => ({ ...contentOf(eventId), resolveParked: true }));
      const rows = await tx.commit({ claims, outbox: sent });
      for (const { eventId } of sent) assert.equal((await store.findInbox(keyOf(eventId)))?.status, 'done', eventId);
      await elapse(31_000);
      const leased = await store.outbox.lease(10, LONG_MS);
      assert.deepEqual(leased, rows);
      assert.deepEqual(
        leased.map(({ seq: _, attempts: _a, ...message }) => message),
        sent,
      );
    });

    it('gives what an earlier life left, leased or not, to the owner of the database; a shared one has none', async (t) => {
      const { store, reopen } = await open(t);
      await send(store, 'o1');
      const rows = await (await reopen()).outbox.lease(10, LONG_MS, { orphans: true });
      assert.deepEqual(
        rows.map(({ eventId }) => eventId),
        store.singleWriter ? ['o1'] : [],
      );
    });

    it('forgets what was sent', async (t) => {
      const { store } = await open(t);
      const [row] = await send(store, 'o1', 'o2');
      await store.outbox.sent([row?.seq ?? 0]);
      await assertPending(store, 1, 0);
    });

    it('shows a row as failed after ten permanent errors and blocks nobody with it', async (t) => {
      const { store, elapse } = await open(t);
      const [bad] = await send(store, 'bad', 'good');
      for (let i = 0; i < 9; i++) await store.outbox.failed(bad?.seq ?? 0, 'name refused');
      await assertPending(store, 2, 0);
      await store.outbox.failed(bad?.seq ?? 0, 'name refused');
      await assertPending(store, 1, 1);
      await elapse(31_000);
      const rows = await store.outbox.lease(10, LONG_MS);
      assert.deepEqual(
        rows.map(({ eventId }) => eventId),
        ['good'],
      );
      const story = await store.journal.story('bad');
      assert.deepEqual(story.outbox, [
        { queue: 'microi.tenant_a.next', state: 'failed', attempts: 10, lastError: 'name refused' },
      ]);
    });

    it('lets people see its rows, and send again or give up the failed ones alone', async (t) => {
      const { store } = await open(t);
      const [one, two, waits] = await send(store, 'one', 'two', 'waits');
      for (const row of [one, two]) {
        for (let i = 0; i < 10; i++) await store.outbox.failed(row?.seq ?? 0, 'name refused');
      }
      const [first, ...rest] = await store.outbox.list({ limit: 10 });
      const seen = { seq: one?.seq, runId: outboxOf('').runId, queue: 'microi.tenant_a.next', eventId: 'one' };
      assert.deepEqual(first, { ...seen, state: 'failed', attempts: 10, lastError: 'name refused', bytes: 4 });
      assert.deepEqual(
        rest.map(({ eventId, state }) => [eventId, state]),
        [
          ['two', 'failed'],
          ['waits', 'ready'],
        ],
      );
      const page = await store.outbox.list({ state: 'failed', after: one?.seq ?? 0, limit: 1 });
      assert.deepEqual(
        page.map(({ eventId }) => eventId),
        ['two'],
      );
      const whole = await store.outbox.find(one?.seq ?? 0);
      assert.deepEqual([whole?.body, whole?.headers], [outboxOf('one').body, {}]);
      assert.equal(await store.outbox.find(10_000), undefined);
      assert.equal(await store.outbox.discard({ seq: waits?.seq ?? 0 }), 0, 'one that waits stays');
      assert.equal(await store.outbox.retry({ seq: waits?.seq ?? 0 }), 0);
      assert.equal(await store.outbox.retry({ seq: one?.seq ?? 0 }), 1);
      const due = await store.outbox.lease(10, LONG_MS);
      assert.deepEqual(
        due.map(({ eventId, attempts }) => [eventId, attempts]),
        [['one', 0]],
      );
      assert.equal(await store.outbox.discard('all'), 1);
      await assertPending(store, 2, 0);
    });
  });
}

/** Messages of an order key (delivery.md F17). */
function ordering(open: OpenTenantStore): void {
  const first = (options: Parameters<typeof parkOf>[1] = {}) => parkOf('e1', { orderKey: 'k', ...options });
  const behind = (eventId: string, orderKey = 'k') =>
    parkOf(eventId, { attempt: 1, state: 'behind', reason: 'order', orderKey });

  describe('order of a key', () => {
    it('the first parked message of a key has its turn, the others wait; other keys and queues are free', async (t) => {
      const { store } = await open(t);
      const place = (eventId: string, key: string) => store.parked.placeOf(contentOf(eventId), key);
      assert.equal(await place('e1', 'k'), 'free');
      await store.parked.park(first());
      for (const id of ['e3', 'e2']) await store.parked.park(behind(id));
      assert.deepEqual(await Promise.all(['e1', 'e2', 'e3', 'new'].map((id) => place(id, 'k'))), [
        'first',
        'behind',
        'behind',
        'behind',
      ]);
      assert.equal(await place('new', 'K'), 'free', 'keys are compared byte by byte');
      assert.equal(await store.parked.placeOf({ ...contentOf('new'), queue: 'microi.tenant_a.next' }, 'k'), 'free');
      assert.equal(await store.parked.placeOf({ ...contentOf('e1'), messageHash: 'other' }, 'k'), 'behind');
    });

    it('a published row stays until its message is decided; then the rest of the key follows in its order', async (t) => {
      const { store, elapse } = await open(t);
      await store.createTables([STOCK]);
      await store.parked.park(first());
      for (const id of ['e3', 'e2']) await store.parked.park(behind(id));
      assert.equal(await store.parked.releaseBehind(10), 0);
      await store.parked.published(await leaseOne(store));
      assert.deepEqual(await states(store), ['e1 1.2 waiting', 'e2 1.1 behind', 'e3 1.1 behind']);
      assert.deepEqual(await store.parked.leaseDue(10, LONG_MS), [], 'it is in its queue');
      await runEvent(store, 'e1', { resolve: true });
      assert.equal(await store.parked.releaseBehind(10), 2);
      const rows = await store.parked.leaseDue(10, LONG_MS);
      assert.deepEqual(
        rows.map(({ eventId, orderKey }) => [eventId, orderKey]),
        [
          ['e3', 'k'],
          ['e2', 'k'],
        ],
      );
      for (const row of rows) await store.parked.published(row);
      await store.parked.park(behind('e2'));
      assert.deepEqual(await states(store), ['e2 1.1 behind', 'e3 1.1 waiting'], 'it came before its turn');
      await elapse(3_600_000);
      assert.equal((await leaseOne(store)).eventId, 'e3', 'one that got lost is sent again');
    });

    it('a message keeps its place with the next attempt and loses it with its last', async (t) => {
      const { store } = await open(t);
      await store.parked.park(first());
      await store.parked.park(behind('e2'));
      await store.parked.park(first({ attempt: 3 }));
      assert.equal(await store.parked.placeOf(contentOf('e1'), 'k'), 'first');
      await store.parked.park(first({ attempt: 3, state: 'dead', reason: 'budget-exhausted' }));
      assert.equal(await store.parked.placeOf(contentOf('e2'), 'k'), 'first');
      assert.equal(await replayed(store, { eventId: 'e1' }), 1);
      assert.equal(await store.parked.placeOf(contentOf('e1'), 'k'), 'first', 'it was before e2');
    });
  });
}

function parking(open: OpenTenantStore): void {
  describe('parking', () => {
    it('keeps body, properties and reason exactly', async (t) => {
      const { store } = await open(t);
      await store.parked.park(parkOf('e1', { state: 'dead', reason: 'budget-exhausted' }));
      const [row] = await store.parked.list({ state: 'dead', limit: 10 });
      assert.ok(row);
      const { dueAt, firstAt, lastAt, parkedState, ...request } = row;
      assert.deepEqual(request, parkOf('e1', { state: 'dead', reason: 'budget-exhausted' }));
      assert.equal(parkedState, 'dead');
      assert.ok(dueAt <= lastAt && firstAt === lastAt);
      assert.ok(Math.abs(firstAt - Date.now()) < 60_000, 'milliseconds since 1970');
    });

    it('parks the copies of one attempt once', async (t) => {
      const { store } = await open(t);
      await Promise.all([store.parked.park(parkOf('e1')), store.parked.park(parkOf('e1', { error: 'a copy' }))]);
      assert.deepEqual(await states(store), ['e1 1.2 waiting']);
    });

    it('writes nothing when the event is done', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      await runEvent(store, 'e1');
      await store.parked.park(parkOf('e1'));
      await store.parked.park(parkOf('e1', { state: 'dead', reason: 'rejected' }));
      assert.deepEqual(await states(store), []);
    });

    it('leases what is due, once', async (t) => {
      const { store, elapse } = await open(t);
      await store.parked.park(parkOf('now'));
      await store.parked.park(parkOf('later', { delayMs: 60_000 }));
      assert.deepEqual(
        (await store.parked.leaseDue(10, LONG_MS)).map(({ eventId }) => eventId),
        ['now'],
      );
      assert.deepEqual(await store.parked.leaseDue(10, LONG_MS), []);
      await elapse(60_001);
      assert.deepEqual(
        (await store.parked.leaseDue(10, LONG_MS)).map(({ eventId }) => eventId),
        ['later'],
      );
    });

    it('gives a row out again when its lease ran out', async (t) => {
      const { store, elapse } = await open(t);
      await store.parked.park(parkOf('e1'));
      const first = await leaseOne(store);
      await elapse(LONG_MS + 1);
      const second = await leaseOne(store);
      assert.notEqual(second.claimUntil, first.claimUntil - LONG_MS - 1);
      await store.parked.published(first);
      assert.deepEqual(await states(store), ['e1 1.2 waiting'], 'the old lease proves nothing any more');
      await store.parked.published(second);
      assert.deepEqual(await states(store), []);
    });

    it('knows when the next row is due', async (t) => {
      const { store } = await open(t);
      assert.equal(await store.parked.nextDueInMs(), undefined);
      await store.parked.park(parkOf('later', { delayMs: 60_000 }));
      const wait = await store.parked.nextDueInMs();
      assert.ok(wait !== undefined && wait > 50_000 && wait <= 60_000);
      await store.parked.park(parkOf('now'));
      assert.equal(await store.parked.nextDueInMs(), 0);
      await leaseOne(store);
      assert.ok(((await store.parked.nextDueInMs()) ?? 0) > 50_000, 'a leased row is due when its lease ends');
    });

    it('ends the row of a first-cycle message when it is published', async (t) => {
      const { store } = await open(t);
      await store.parked.park(parkOf('e1'));
      await store.parked.published(await leaseOne(store));
      assert.deepEqual(await states(store), []);
    });

    it('does not lose a dead letter to the waiting row that the mover had no time to remove', async (t) => {
      const { store } = await open(t);
      await store.parked.park(parkOf('e1', { attempt: 2 }));
      const leased = await leaseOne(store);
      await store.parked.park(parkOf('e1', { attempt: 2, state: 'dead', reason: 'budget-exhausted', error: 'last' }));
      await store.parked.published(leased);
      const [row] = await store.parked.list({ limit: 10 });
      assert.deepEqual([row?.parkedState, row?.reason, row?.error], ['dead', 'budget-exhausted', 'last']);
    });

    it('does not wake a dead letter up by a late copy of the attempt before', async (t) => {
      const { store } = await open(t);
      await store.parked.park(parkOf('e1', { state: 'dead', reason: 'rejected' }));
      await store.parked.park(parkOf('e1', { state: 'waiting' }));
      assert.deepEqual(await states(store), ['e1 1.2 dead']);
    });

    it('resolves the rows of an event with the commit of its later attempt, and clears its crashes', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      await store.parked.park(parkOf('e1', { attempt: 3, state: 'dead', reason: 'rejected' }));
      await store.parked.park(parkOf('e1'));
      await store.parked.park(parkOf('other'));
      await store.crashes.count(keyOf('e1'));
      await runEvent(store, 'e1', { resolve: true });
      assert.deepEqual(await states(store), ['e1 1.2 resolved', 'e1 1.3 resolved', 'other 1.2 waiting']);
      assert.equal(await store.crashes.count(keyOf('e1')), 1);
    });

    it('drops an earlier attempt that still waits: its message has gone on', async (t) => {
      const { store } = await open(t);
      await store.parked.park(parkOf('e1'));
      await store.parked.park(parkOf('e1', { attempt: 3 }));
      assert.deepEqual(await states(store), ['e1 1.3 waiting']);
      await store.parked.park(parkOf('e1', { attempt: 4, state: 'dead', reason: 'budget-exhausted' }));
      assert.deepEqual(await states(store), ['e1 1.4 dead']);
    });

    it("gives each content of an EventId rows of its own; neither takes, ends nor removes the other's", async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      const other = (attempt: number, state: 'waiting' | 'dead') =>
        parkOf('e1', { attempt, state, reason: state === 'dead' ? 'budget-exhausted' : 'retry', messageHash: 'other' });
      await store.parked.park(parkOf('e1'));
      await store.parked.park(other(2, 'waiting'));
      await store.parked.park(other(2, 'waiting'));
      assert.deepEqual(await states(store), ['e1 1.2 waiting', 'e1 2.2 waiting']);
      await store.parked.park(parkOf('e1', { attempt: 4, state: 'dead', reason: 'budget-exhausted' }));
      await store.parked.park({ ...other(4, 'dead'), cycle: 2 });
      assert.deepEqual(await states(store), ['e1 1.4 dead', 'e1 2.4 dead']);
      await runEvent(store, 'e1', { resolve: true });
      assert.deepEqual(await states(store), ['e1 1.4 resolved', 'e1 2.4 dead']);
    });

    it('does not replay, nor call resolved, a dead letter whose EventId was done with another content', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      await store.parked.park(parkOf('e1', { state: 'dead', reason: 'rejected', messageHash: 'other' }));
      await runEvent(store, 'e1');
      assert.equal(await replayed(store, { eventId: 'e1' }), 0);
      const [row] = await store.parked.list({ state: 'dead', limit: 10 });
      assert.equal(row?.reason, 'event-id-reused');
    });

    it('keeps every other content of an EventId that was done, each once, and never replays or resolves it', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      await runEvent(store, 'e1');
      const reused = (text: string) =>
        parkOf('e1', { attempt: 1, state: 'dead', reason: 'event-id-reused', messageHash: text });
      for (const text of ['a', 'b', 'a']) await store.parked.park(reused(text));
      assert.deepEqual(await states(store), ['e1 1.1 dead', 'e1 2.1 dead']);
      assert.equal(await replayed(store, { all: true }), 0);
      await store.parked.resolve(contentOf('e1'));
      assert.deepEqual(await states(store), ['e1 1.1 dead', 'e1 2.1 dead']);
    });

    it('resolves on request only what the inbox says is done', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      await store.parked.park(parkOf('e1'));
      await store.parked.resolve(contentOf('e1'));
      assert.deepEqual(await states(store), ['e1 1.2 waiting']);
      await runEvent(store, 'e1');
      await store.parked.resolve(contentOf('e1'));
      assert.deepEqual(await states(store), ['e1 1.2 resolved']);
    });

    it('lists by state and queue', async (t) => {
      const { store } = await open(t);
      await store.parked.park(parkOf('e1'));
      await store.parked.park(parkOf('e2', { state: 'dead', reason: 'rejected' }));
      await store.parked.park(parkOf('e3', { queue: 'microi.tenant_a.next', state: 'dead', reason: 'rejected' }));
      const ids = async (filter: Parameters<TenantStore['parked']['list']>[0]) =>
        (await store.parked.list(filter)).map(({ eventId }) => eventId).sort();
      assert.deepEqual(await ids({ state: 'dead', limit: 10 }), ['e2', 'e3']);
      assert.deepEqual(await ids({ queue: QUEUE, limit: 10 }), ['e1', 'e2']);
      assert.equal((await ids({ limit: 2 })).length, 2);
    });
  });
}

function replaying(open: OpenTenantStore): void {
  const dead = (eventId: string, change: Partial<ParkRequest> = {}) =>
    parkOf(eventId, { state: 'dead', reason: 'budget-exhausted', attempt: 4, ...change });

  describe('replay (F12)', () => {
    it('starts a new cycle at attempt 1, due now, without its crashes', async (t) => {
      const { store } = await open(t);
      await store.parked.park(dead('e1'));
      await store.crashes.count(keyOf('e1'));
      assert.equal(await replayed(store, { eventId: 'e1' }), 1);
      assert.deepEqual(await states(store), ['e1 2.1 waiting']);
      assert.equal((await leaseOne(store)).attempt, 1);
      assert.equal(await store.crashes.count(keyOf('e1')), 1);
    });

    it('is done by exactly one of two people', async (t) => {
      const { store } = await open(t);
      await store.parked.park(dead('e1'));
      const counts = await Promise.all([replayed(store, { all: true }), replayed(store, { eventId: 'e1' })]);
      assert.deepEqual(counts.sort(), [0, 1]);
      assert.deepEqual(await states(store), ['e1 2.1 waiting']);
    });

    it('ends resolved when the event is done meanwhile', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      await store.parked.park(dead('e1'));
      await runEvent(store, 'e1');
      assert.equal(await replayed(store, { eventId: 'e1' }), 0);
      assert.deepEqual(await states(store), ['e1 1.4 resolved']);
    });

    it('stays visible as replayed once published, and can die again without losing the dead letter', async (t) => {
      const { store } = await open(t);
      await store.parked.park(dead('e1'));
      await replayed(store, { eventId: 'e1' });
      await store.parked.published(await leaseOne(store));
      assert.deepEqual(await states(store), ['e1 2.1 replayed']);
      await store.parked.park(dead('e1', { cycle: 2, attempt: 1 }));
      assert.deepEqual(await states(store), ['e1 2.1 dead']);
    });

    it('replays two dead rows of one event side by side', async (t) => {
      const { store } = await open(t);
      await store.parked.park(dead('e1', { attempt: 1 }));
      await store.parked.park(dead('e1', { attempt: 4 }));
      assert.equal(await replayed(store, { queue: QUEUE }), 2);
      assert.deepEqual(await states(store), ['e1 2.1 waiting', 'e1 3.1 waiting']);
    });

    it('touches nothing without a filter, and only what the filter names', async (t) => {
      const { store } = await open(t);
      await store.parked.park(dead('e1'));
      await store.parked.park(dead('e2', { queue: 'microi.tenant_a.next' }));
      assert.equal(await replayed(store, {}), 0);
      assert.equal(await replayed(store, { queue: 'microi.tenant_a.next' }), 1);
      assert.deepEqual(await states(store), ['e1 1.4 dead', 'e2 2.1 waiting']);
    });
  });
}

function crashes(open: OpenTenantStore): void {
  describe('crash counts (F3)', () => {
    it('rise with each start, fall when the host takes one back, and end with a verdict', async (t) => {
      const { store, reopen } = await open(t);
      assert.equal(await store.crashes.count(keyOf('e1')), 1);
      assert.equal(await store.crashes.count(keyOf('e1')), 2);
      const again = await reopen();
      assert.equal(await again.crashes.count(keyOf('e1')), 3);
      await again.crashes.uncount(keyOf('e1'));
      assert.equal(await again.crashes.count(keyOf('e1')), 3);
      await again.crashes.clear(keyOf('e1'));
      assert.equal(await again.crashes.count(keyOf('e1')), 1);
      await again.crashes.uncount(keyOf('never-counted'));
      assert.equal(await again.crashes.count(keyOf('never-counted')), 1);
    });
  });
}

function retention(open: OpenTenantStore): void {
  describe('retention (F12)', () => {
    it('removes what is too old and nothing younger', async (t) => {
      const { store, elapse } = await open(t);
      await store.createTables([STOCK]);
      await runEvent(store, 'old');
      await store.parked.park(parkOf('old-dead', { state: 'dead', reason: 'rejected' }));
      await elapse(38 * DAY_MS);
      await runEvent(store, 'young');
      await store.parked.park(parkOf('young-dead', { state: 'dead', reason: 'rejected' }));
      assert.equal(await store.purge(RETENTION), 2);
      assert.equal(await store.findInbox(keyOf('old')), undefined);
      assert.equal((await store.findInbox(keyOf('young')))?.status, 'done');
      assert.deepEqual(await states(store), ['young-dead 1.2 dead']);
    });

    it('keeps the inbox row of an event that still has a parked row, so that its message is found done', async (t) => {
      const { store, elapse } = await open(t);
      await store.createTables([STOCK]);
      await store.parked.park(parkOf('parked'));
      for (const eventId of ['parked', 'alone']) await runEvent(store, eventId);
      await elapse(400 * DAY_MS);
      assert.equal(await store.purge(RETENTION), 1);
      assert.equal((await store.findInbox(keyOf('parked')))?.status, 'done');
      assert.equal(await store.findInbox(keyOf('alone')), undefined);
    });

    it('never keeps the inbox shorter than the dead letters and seven days', async (t) => {
      const { store, elapse } = await open(t);
      await store.createTables([STOCK]);
      await runEvent(store, 'e1');
      await elapse(36 * DAY_MS);
      await store.purge({ ...RETENTION, inboxMs: DAY_MS });
      assert.equal((await store.findInbox(keyOf('e1')))?.status, 'done');
    });

    it('never removes a message that waits', async (t) => {
      const { store, elapse } = await open(t);
      await store.parked.park(parkOf('e1'));
      await elapse(400 * DAY_MS);
      assert.equal(await store.purge(RETENTION), 0);
      assert.deepEqual(await states(store), ['e1 1.2 waiting']);
    });
  });
}

const bindingOf = (queue: string, change: Partial<Binding> = {}): Binding => ({
  id: '',
  logicalQueue: queue,
  physicalQueue: `microi.tenant_a.${queue}`,
  engineKey: 'stock-reserve',
  retries: true,
  retryCount: 3,
  inbox: true,
  legacyAck: false,
  prefetch: 1,
  timeoutSeconds: 30,
  backoff: { kind: 'exponential', baseMs: 1_000, capMs: 60_000 },
  ...change,
});

const engineOf = (key: string, source = 'return { Code: 1 };') => ({ key, name: key, source, version: 'v'.repeat(12) });

function pushing(open: OpenTenantStore): void {
  const push = { engines: [engineOf('stock-reserve')], bindings: [bindingOf('orders')], prune: false, dryRun: false };

  describe('push', () => {
    it('adds engines and bindings that read back as they were pushed', async (t) => {
      const { store } = await open(t);
      const report = await store.push(push);
      assert.deepEqual(report, {
        added: ['engine stock-reserve', 'queue orders'],
        changed: [],
        unchanged: [],
        pruned: [],
      });
      const engine = await store.engines.find('STOCK-Reserve');
      assert.equal(engine?.source, 'return { Code: 1 };');
      assert.match(engine?.version ?? '', /^[0-9a-f]{12}$/);
      assert.deepEqual([engine?.enabled, engine?.stopHttp], [true, false]);
      const { bindings, refusals } = await store.bindings.readAll();
      assert.deepEqual(refusals, []);
      assert.deepEqual(
        bindings.map(({ id: _, ...binding }) => ({ ...binding, id: '' })),
        [bindingOf('orders')],
      );
    });

    it('says what changes, changes nothing twice, and writes nothing on a dry run', async (t) => {
      const { store } = await open(t);
      await store.push(push);
      const next = {
        engines: [engineOf('stock-reserve', 'return { Code: 0 };'), engineOf('order-chain')],
        bindings: [bindingOf('orders', { retryCount: 5 })],
        prune: false,
        dryRun: true,
      };
      const expected = {
        added: ['engine order-chain'],
        changed: ['engine stock-reserve', 'queue orders'],
        unchanged: [],
        pruned: [],
      };
      assert.deepEqual(await store.push(next), expected);
      assert.deepEqual(await store.push({ ...next, dryRun: false }), expected);
      const again = await store.push({ ...next, dryRun: false });
      assert.deepEqual(again.unchanged, ['engine stock-reserve', 'engine order-chain', 'queue orders']);
      assert.equal((await store.engines.list()).length, 2);
      assert.equal((await store.bindings.readAll()).bindings[0]?.retryCount, 5);
    });

    it('removes pushed bindings only when asked to', async (t) => {
      const { store } = await open(t);
      await store.push(push);
      const empty = { engines: [], bindings: [], dryRun: false };
      assert.deepEqual((await store.push({ ...empty, prune: false })).pruned, []);
      assert.deepEqual((await store.push({ ...empty, prune: true })).pruned, ['queue orders']);
      assert.deepEqual((await store.bindings.readAll()).bindings, []);
      assert.ok(await store.engines.find('stock-reserve'), 'engines are never removed');
    });

    it('finds no engine where there is none', async (t) => {
      const { store } = await open(t);
      assert.equal(await store.engines.find('nobody'), undefined);
    });
  });

  describe('tables', () => {
    it('are created once, with the fixed columns and their rows', async (t) => {
      const { store } = await open(t);
      assert.deepEqual(await store.createTables([STOCK]), ['shop_stock']);
      await store.tables.update(whole('shop_stock'), { Qty: 7 });
      assert.deepEqual(await store.createTables([STOCK]), []);
      assert.equal(await stock(store), 7);
      const [row] = await store.tables.select({ ...whole('shop_stock'), columns: [], sort: [], limit: 1, offset: 0 });
      assert.deepEqual(Object.keys(row ?? {}).slice(0, 6), [
        'Id',
        'CreateTime',
        'UpdateTime',
        'UserId',
        'UserName',
        'IsDeleted',
      ]);
    });

    it('are refused with a bad name, a bad type or the name of a table of the host', async (t) => {
      const { store } = await open(t);
      const table = (name: string, type: string): TableDefinition => ({
        name,
        fields: [{ name: 'A', type, unique: false }],
        rows: [],
      });
      await assert.rejects(store.createTables([table('a"; drop', 'int')]), hasCode('PARAM_INVALID'));
      await assert.rejects(store.createTables([table('shop_x', 'int); drop')]), hasCode('PARAM_INVALID'));
      await assert.rejects(store.createTables([table('mq_inbox', 'int')]), hasCode('TABLE_READ_ONLY'));
    });
  });
}

function journal(open: OpenTenantStore): void {
  const attempt = (runId: string, change: Partial<AttemptRecord> = {}): AttemptRecord => ({
    runId,
    queue: QUEUE,
    eventId: 'e1',
    attempt: 1,
    engineKey: 'stock-reserve',
    version: '0123456789ab',
    startedAt: Date.now(),
    endedAt: Date.now() + 5,
    verdict: 'acked',
    reason: '',
    message: '',
    hostCalls: [{ name: 'MQ.SendMsg', durationMs: 2, code: 1, target: 'microi.tenant_a.next' }],
    ...change,
  });
  const received = (messageId: string) =>
    ({
      type: '接收',
      queue: QUEUE,
      message: '{"Sku":"P-1"}',
      sendTime: null,
      receiveTime: '2026-11-29 10:00:00',
      completeTime: '2026-11-29 10:00:01',
      status: '成功',
      statusInfo: '正常',
      messageId,
    }) as const;

  describe('the journal', () => {
    it('tells the whole story of one event and of no other (G7)', async (t) => {
      const { store } = await open(t);
      await store.createTables([STOCK]);
      await store.parked.park(parkOf('e1'));
      await runEvent(store, 'e1', { resolve: true });
      const first = attempt('R1', { verdict: 'parked', reason: 'SCRIPT_THREW', startedAt: 1_000 });
      const second = attempt('R2', { attempt: 2, startedAt: 2_000 });
      for (const record of [second, first, attempt('R3', { eventId: 'E1' })]) store.journal.attempt(record);
      for (const id of ['e1', 'E1']) store.journal.receiveLog(received(id));
      store.journal.sysLog({ type: 'console', title: 't', content: 'c', level: 1, eventId: 'e1', runId: 'R1' });
      const story = await store.journal.story('e1');
      assert.deepEqual(story.attempts, [first, second]);
      assert.deepEqual(story.receiveLog, [received('e1')]);
      assert.deepEqual(
        story.sysLog.map(({ content, level }) => [content, level]),
        [['c', 1]],
      );
      assert.deepEqual(
        story.parked.map(({ state }) => state),
        ['resolved'],
      );
      assert.deepEqual(
        story.inbox.map(({ queue, status }) => [queue, status]),
        [[QUEUE, 'done']],
      );
      assert.match(story.inbox[0]?.doneAt ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    });

    it('lists the latest attempts by verdict', async (t) => {
      const { store } = await open(t);
      for (let i = 1; i <= 3; i++)
        store.journal.attempt(attempt(`R${i}`, { startedAt: i, verdict: i === 2 ? 'dead' : 'acked' }));
      assert.deepEqual(
        (await store.journal.attempts({ limit: 2 })).map(({ runId }) => runId),
        ['R3', 'R2'],
      );
      assert.deepEqual(
        (await store.journal.attempts({ verdict: 'dead', limit: 9 })).map(({ runId }) => runId),
        ['R2'],
      );
    });

    it('counts runs of engines by span of time and verdict', async (t) => {
      const { store } = await open(t);
      const starts = { R1: 59_999, R2: 60_000, R3: 119_999, R4: 120_000, R5: 120_001 };
      for (const [runId, startedAt] of Object.entries(starts))
        store.journal.attempt(attempt(runId, { startedAt, verdict: runId === 'R5' ? 'dead' : 'done' }));
      store.journal.attempt(attempt('R6', { startedAt: 120_000, verdict: 'replayed', engineKey: '' }));
      assert.deepEqual(await store.journal.runCounts(60_000, 60_000), [
        { at: 60_000, verdict: 'done', runs: 2 },
        { at: 120_000, verdict: 'dead', runs: 1 },
        { at: 120_000, verdict: 'done', runs: 1 },
      ]);
    });

    it('keeps its rows when the run they tell of is rolled back, and while a run holds the writer', async (t) => {
      const { store } = await open(t);
      const tx = await store.begin(WAIT_MS);
      store.journal.sysLog({ type: 'console', title: 't', content: 'c', level: 1, eventId: 'e1', runId: 'R1' });
      await tx.rollback();
      assert.equal((await store.journal.story('e1')).sysLog.length, 1);
    });

    it('is written before the store is closed', async (t) => {
      const { store, reopen } = await open(t);
      store.journal.attempt(attempt('R1'));
      assert.equal((await (await reopen()).journal.story('e1')).attempts.length, 1);
    });
  });
}
