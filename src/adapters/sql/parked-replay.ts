import type { EventKey } from '../../ports/tenant-store.ts';
import { crashRemoval } from './crashes.ts';
import type { Inbox } from './inbox.ts';
import { hasKey, isOfEvent, type ParkedKey } from './parked-rows.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SystemDb } from './system-tables.ts';

export interface ReplayFilter {
  readonly queue?: string;
  readonly eventId?: string;
  /** Asked for by name, because an empty filter would replay everything. */
  readonly all?: boolean;
}

/**
 * Makes dead rows wait again: next cycle, attempt 1, due now, the same EventId. A row whose event is done meanwhile
 * ends `resolved` instead (delivery.md F12), and one whose EventId was done with another content stays dead: it needs an
 * id of its own.
 * @returns rows that wait again.
 */
export async function replayDead(
  db: SystemDb,
  dialect: SqlDialect,
  inbox: Inbox,
  filter: ReplayFilter,
): Promise<number> {
  let replayed = 0;
  for (const row of await selectDead(db, filter)) {
    const entry = await inbox.find(db, row);
    if (entry?.status !== 'done') replayed += await waitAgain(db, dialect, row);
    else if (entry.messageHash === row.messageHash) await end(db, dialect, row, { State: 'resolved' });
    else await end(db, dialect, row, { Reason: 'event-id-reused' });
  }
  return replayed;
}

type DeadRow = ParkedKey & { readonly messageHash: string | null };

async function selectDead(db: SystemDb, filter: ReplayFilter): Promise<readonly DeadRow[]> {
  if (filter.queue === undefined && filter.eventId === undefined && !filter.all) return [];
  let select = db
    .selectFrom('mq_parked')
    .select(['QueueName as queue', 'EventId as eventId', 'Cycle as cycle', 'Attempt as attempt'])
    .select('MessageHash as messageHash')
    .where('State', '=', 'dead')
    .where('Reason', '<>', 'event-id-reused');
  if (filter.queue !== undefined) select = select.where('QueueName', '=', filter.queue);
  if (filter.eventId !== undefined) select = select.where('EventId', '=', filter.eventId);
  return select.orderBy('FirstAt').execute();
}

/** Says of a dead row why it does not run again. */
async function end(
  db: SystemDb,
  dialect: SqlDialect,
  row: ParkedKey,
  change: { State: 'resolved' } | { Reason: 'event-id-reused' },
): Promise<void> {
  await db
    .updateTable('mq_parked')
    .set({ ...change, LastAt: dialect.fromNow(0) })
    .where((eb) => eb.and([hasKey(eb, row), eb('State', '=', 'dead')]))
    .execute();
}

async function waitAgain(db: SystemDb, dialect: SqlDialect, row: ParkedKey): Promise<number> {
  const result = await db
    .updateTable('mq_parked')
    .set({
      State: 'waiting',
      Cycle: await nextCycle(db, row),
      Attempt: 1,
      DueAt: dialect.fromNow(0),
      ClaimUntil: null,
      LastAt: dialect.fromNow(0),
    })
    .where((eb) => eb.and([hasKey(eb, row), eb('State', '=', 'dead')]))
    .executeTakeFirst();
  await crashRemoval(db, row).execute();
  return Number(result.numUpdatedRows);
}

/** A cycle above every one of the event: two dead rows of one event (a producer's resend) may be replayed together. */
export async function nextCycle(db: SystemDb, event: EventKey): Promise<number> {
  const { last } = await db
    .selectFrom('mq_parked')
    .select((eb) => eb.fn.max('Cycle').as('last'))
    .where((eb) => isOfEvent(eb, event))
    .executeTakeFirstOrThrow();
  return (last ?? 0) + 1;
}
