/** What every store promises about dead letters (ports/dead-letters.ts). Run by tenant-store.contract.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ParkedFilter, ParkedPlace } from '../../src/ports/dead-letters.ts';
import type { ParkRequest, TenantStore } from '../../src/ports/tenant-store.ts';
import type { OpenTenantStore } from './tenant-store-place.ts';

const QUEUE = 'microi.tenant_a.orders';
const OTHER = 'microi.tenant_a.next';
const HASH = 'a'.repeat(64);
const EDITED = 'b'.repeat(64);

const dead = (eventId: string, change: Partial<ParkRequest> = {}): ParkRequest => ({
  queue: QUEUE,
  eventId,
  messageHash: HASH,
  cycle: 1,
  attempt: 4,
  state: 'dead',
  delayMs: 0,
  body: new TextEncoder().encode('{"Message":1}'),
  props: { messageId: eventId, headers: {} },
  reason: 'budget-exhausted',
  error: `no stock for order ${eventId}-17`,
  engineKey: 'stock-reserve',
  version: '0123456789ab',
  ...change,
});

const edited = (eventId: string, messageHash = EDITED) => ({
  eventId,
  messageHash,
  body: new TextEncoder().encode('{"Message":2}'),
  props: { messageId: eventId, headers: { kept: '1' } },
});

const keyOf = (eventId: string) => ({ queue: QUEUE, eventId, cycle: 1, attempt: 4 });

async function finish(store: TenantStore, eventId: string, messageHash = HASH): Promise<void> {
  const tx = await store.begin(1_000);
  const claim = { queue: QUEUE, eventId, messageHash, attempt: 1, engineKey: 'e', version: 'v', runId: 'R' };
  await tx.claim(claim);
  await tx.commit({ claims: [{ ...claim, resolveParked: false }], outbox: [] });
}

async function ids(store: TenantStore, filter: ParkedFilter = {}): Promise<string[]> {
  const page = await store.deadLetters.list({ ...filter, state: 'dead', limit: 100 });
  return page.rows.map(({ eventId }) => eventId).sort();
}

export function deadLetterContract(open: OpenTenantStore): void {
  describe('dead letters', () => {
    it('are found by every part of a filter', async (t) => {
      const { store } = await open(t);
      await store.parked.park(dead('e1'));
      await store.parked.park(dead('e2', { queue: OTHER, reason: 'rejected' }));
      await store.parked.park(dead('e3', { engineKey: 'Other', error: 'table missing' }));
      await store.parked.park(dead('e4', { state: 'waiting', delayMs: 60_000, reason: 'retry' }));
      assert.deepEqual(await ids(store), ['e1', 'e2', 'e3']);
      assert.deepEqual(await ids(store, { queue: OTHER }), ['e2']);
      assert.deepEqual(await ids(store, { reason: 'rejected' }), ['e2']);
      assert.deepEqual(await ids(store, { engineKey: 'OTHER' }), ['e3']);
      assert.deepEqual(await ids(store, { eventId: 'e1' }), ['e1']);
      assert.deepEqual(await ids(store, { before: Date.UTC(2020, 0) }), []);
      assert.deepEqual(await ids(store, { before: Date.UTC(2999, 0) }), ['e1', 'e2', 'e3']);
    });

    it('come page by page, each once, also those of one moment', async (t) => {
      const { store } = await open(t);
      const all = Array.from({ length: 7 }, (_, i) => `e${i}`);
      await Promise.all(all.map((eventId) => store.parked.park(dead(eventId))));
      const seen: string[] = [];
      let after: ParkedPlace | undefined;
      do {
        const page = await store.deadLetters.list({ state: 'dead', limit: 3, ...(after && { after }) });
        assert.equal(page.total, 7);
        seen.push(...page.rows.map(({ eventId }) => eventId));
        after = page.next;
      } while (after !== undefined);
      assert.deepEqual(seen.sort(), all);
    });

    it('are grouped by reason and cause, the largest group first', async (t) => {
      const { store } = await open(t);
      for (const eventId of ['e1', 'e2']) await store.parked.park(dead(eventId));
      await store.parked.park(dead('e3', { queue: OTHER }));
      await store.parked.park(dead('e4', { error: 'table missing' }));
      await store.parked.park(dead('e5', { reason: 'rejected' }));
      const groups = await store.deadLetters.groups({});
      assert.deepEqual(
        groups.map(({ rows }) => rows),
        [3, 1, 1],
      );
      const [largest] = groups;
      assert.deepEqual([largest?.reason, largest?.queues], ['budget-exhausted', 2]);
      assert.match(largest?.error ?? '', /^no stock for order e\d-17$/);
      assert.ok(largest && largest.firstAt <= largest.lastAt);
      assert.deepEqual(await ids(store, { group: largest.group }), ['e1', 'e2', 'e3']);
      assert.deepEqual(
        (await store.deadLetters.groups({ queue: OTHER })).map(({ rows }) => rows),
        [1],
      );
    });

    it('of one event are found, the dead one first', async (t) => {
      const { store } = await open(t);
      await store.parked.park(dead('e1'));
      await store.parked.park(dead('e1', { queue: OTHER, state: 'waiting', reason: 'retry' }));
      const rows = await store.deadLetters.find({ eventId: 'e1' });
      assert.deepEqual(
        rows.map(({ queue, parkedState }) => [queue, parkedState]),
        [
          [QUEUE, 'dead'],
          [OTHER, 'waiting'],
        ],
      );
      assert.equal((await store.deadLetters.find({ eventId: 'e1', queue: OTHER })).length, 1);
    });

    it('say why they are not replayed', async (t) => {
      const { store } = await open(t);
      await store.parked.park(dead('again'));
      await store.parked.park(dead('done'));
      await store.parked.park(dead('reused'));
      await finish(store, 'done');
      await finish(store, 'reused', EDITED);
      const { replayed, refused } = await store.deadLetters.replay({ all: true });
      assert.deepEqual(replayed, [keyOf('again')]);
      assert.deepEqual(refused.map(({ key, why }) => [key.eventId, why]).sort(), [
        ['done', 'done'],
        ['reused', 'event-id-reused'],
      ]);
      const [row] = await store.deadLetters.find({ eventId: 'reused' });
      assert.deepEqual([row?.parkedState, row?.reason], ['dead', 'event-id-reused']);
      assert.deepEqual(await ids(store), ['reused']);
      assert.deepEqual((await store.deadLetters.replay({ all: true })).replayed, []);
    });

    it('are replayed as a group, and no other', async (t) => {
      const { store } = await open(t);
      await store.parked.park(dead('e1'));
      await store.parked.park(dead('e2', { error: 'table missing' }));
      const group = (await store.deadLetters.groups({})).find(({ error }) => error === 'table missing')?.group ?? '';
      assert.equal((await store.deadLetters.replay({ group })).replayed.length, 1);
      assert.deepEqual(await ids(store), ['e1']);
    });

    it('are replaced by an edited message under their EventId, once', async (t) => {
      const { store } = await open(t);
      await store.parked.park(dead('e1'));
      const [one, two] = await Promise.all([
        store.deadLetters.replace(keyOf('e1'), edited('e1')),
        store.deadLetters.replace(keyOf('e1'), edited('e1')),
      ]);
      assert.equal([one, two].filter((why) => why === undefined).length, 1);
      const [row] = await store.parked.leaseDue(10, 60_000);
      assert.deepEqual([row?.eventId, row?.cycle, row?.attempt, row?.messageHash], ['e1', 2, 1, EDITED]);
      assert.deepEqual(new TextDecoder().decode(row?.body), '{"Message":2}');
      assert.deepEqual(row?.props, edited('e1').props);
      await store.parked.published(row as NonNullable<typeof row>);
      assert.equal((await store.deadLetters.find({ eventId: 'e1' }))[0]?.parkedState, 'replayed');
    });

    it('are replaced under another EventId, unless that one is done', async (t) => {
      const { store } = await open(t);
      await store.parked.park(dead('e1'));
      await finish(store, 'taken', HASH);
      assert.equal(await store.deadLetters.replace(keyOf('e1'), edited('taken')), 'event-id-reused');
      assert.equal(await store.deadLetters.replace(keyOf('e1'), edited('taken', HASH)), 'done');
      assert.equal(await store.deadLetters.replace(keyOf('nobody'), edited('x')), 'missing');
      assert.equal(await store.deadLetters.replace(keyOf('e1'), edited('fresh')), undefined);
      assert.deepEqual(await store.deadLetters.find({ eventId: 'e1' }), []);
      assert.equal((await store.deadLetters.find({ eventId: 'fresh' }))[0]?.parkedState, 'waiting');
    });

    it('are purged by filter; what waits stays', async (t) => {
      const { store } = await open(t);
      await store.parked.park(dead('e1'));
      await store.parked.park(dead('e2', { queue: OTHER }));
      await store.parked.park(dead('e3', { state: 'waiting', delayMs: 60_000, reason: 'retry' }));
      assert.deepEqual(await store.deadLetters.purge({}), []);
      assert.deepEqual(await store.deadLetters.purge({ eventId: 'e1' }), [keyOf('e1')]);
      assert.deepEqual(await ids(store), ['e2']);
      assert.equal((await store.deadLetters.purge({ all: true })).length, 1);
      assert.equal((await store.deadLetters.find({ eventId: 'e3' })).length, 1);
    });
  });
}
