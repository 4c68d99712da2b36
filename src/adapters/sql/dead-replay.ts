import { errorGroup } from '../../core/error-group.ts';
import type { DeadEdit, ParkedKey, ReplayRefusal, ReplayReport } from '../../ports/dead-letters.ts';
import type { EventKey } from '../../ports/tenant-store.ts';
import { crashRemoval } from './crashes.ts';
import type { Inbox } from './inbox.ts';
import { encodeProps } from './message-props.ts';
import { hasKey, isOfEvent } from './parked-rows.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SystemDb } from './system-tables.ts';

/** A replay stays visible as such, so it is never in the first cycle, whose rows end when they are published. */
const FIRST_REPLAY = 2;

/**
 * Makes dead rows wait again: next cycle, attempt 1, due now, the same EventId. A row whose event is done meanwhile
 * ends `resolved` instead (delivery.md F12), and one whose EventId was done with another content stays dead: it needs an
 * id of its own.
 */
export async function replayDead(
  db: SystemDb,
  dialect: SqlDialect,
  inbox: Inbox,
  keys: readonly ParkedKey[],
): Promise<ReplayReport> {
  const replayed: ParkedKey[] = [];
  const refused: { key: ParkedKey; why: ReplayRefusal }[] = [];
  for (const key of keys) {
    const why = await replayOne(db, dialect, inbox, key);
    if (why === undefined) replayed.push(key);
    else refused.push({ key, why });
  }
  return { replayed, refused };
}

async function replayOne(
  db: SystemDb,
  dialect: SqlDialect,
  inbox: Inbox,
  key: ParkedKey,
): Promise<ReplayRefusal | undefined> {
  const row = await findRow(db, key);
  if (row?.State !== 'dead') return row === undefined ? 'missing' : 'not-dead';
  if (row.Reason === 'event-id-reused') return 'event-id-reused';
  const entry = await inbox.find(db, key);
  if (entry?.status !== 'done') return waitAgain(db, dialect, key);
  if (entry.messageHash === row.MessageHash) {
    await end(db, dialect, key, { State: 'resolved' });
    return 'done';
  }
  const reason = 'event-id-reused';
  await end(db, dialect, key, { Reason: reason, ErrorGroup: errorGroup(reason, row.Error) });
  return 'event-id-reused';
}

function findRow(db: SystemDb, key: ParkedKey) {
  return db
    .selectFrom('mq_parked')
    .select(['State', 'Reason', 'Error', 'MessageHash'])
    .where((eb) => hasKey(eb, key))
    .executeTakeFirst();
}

/** Says of a dead row why it does not run again. */
async function end(
  db: SystemDb,
  dialect: SqlDialect,
  row: ParkedKey,
  change: { State: 'resolved' } | { Reason: 'event-id-reused'; ErrorGroup: string },
): Promise<void> {
  await db
    .updateTable('mq_parked')
    .set({ ...change, LastAt: dialect.fromNow(0) })
    .where((eb) => eb.and([hasKey(eb, row), eb('State', '=', 'dead')]))
    .execute();
}

/**
 * Puts an edited message in the place of a dead one, perhaps under another EventId, and makes it wait.
 * @returns why not: `done` and `event-id-reused` speak of the new EventId.
 */
export async function replaceDead(
  db: SystemDb,
  dialect: SqlDialect,
  inbox: Inbox,
  { key, edit }: { key: ParkedKey; edit: DeadEdit },
): Promise<ReplayRefusal | undefined> {
  const row = await findRow(db, key);
  if (row?.State !== 'dead') return row === undefined ? 'missing' : 'not-dead';
  const event = { queue: key.queue, eventId: edit.eventId };
  const entry = await inbox.find(db, event);
  if (entry?.status === 'done') return entry.messageHash === edit.messageHash ? 'done' : 'event-id-reused';
  const content = {
    EventId: edit.eventId,
    MessageHash: edit.messageHash,
    Body: edit.body,
    Props: encodeProps(edit.props),
  };
  return waitAgain(db, dialect, key, content);
}

async function waitAgain(
  db: SystemDb,
  dialect: SqlDialect,
  row: ParkedKey,
  content: { EventId?: string; MessageHash?: string; Body?: Uint8Array; Props?: string } = {},
): Promise<ReplayRefusal | undefined> {
  const event = { queue: row.queue, eventId: content.EventId ?? row.eventId };
  const result = await db
    .updateTable('mq_parked')
    .set({
      ...content,
      State: 'waiting',
      Cycle: Math.max(FIRST_REPLAY, await nextCycle(db, event)),
      Attempt: 1,
      DueAt: dialect.fromNow(0),
      ClaimUntil: null,
      LastAt: dialect.fromNow(0),
    })
    .where((eb) => eb.and([hasKey(eb, row), eb('State', '=', 'dead')]))
    .executeTakeFirst();
  await crashRemoval(db, event).execute();
  return result.numUpdatedRows > 0n ? undefined : 'not-dead';
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
