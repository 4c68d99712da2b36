import type { ParkedState } from '../../core/parked.ts';
import type { EventContent, OrderPlace, ParkRequest } from '../../ports/tenant-store.ts';
import { isOfContent, isOfEvent } from './parked-rows.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SystemDb } from './system-tables.ts';

/** Keys whose rows one statement round makes due; the rest follow in the next. */
const KEYS_AT_ONCE = 100;

/** Rows that hold up the later ones of their key. */
const HOLDING: readonly ParkedState[] = ['waiting', 'behind'];

/** The first parked row of a key decides whose turn it is. */
export async function placeInLine(db: SystemDb, content: EventContent, orderKey: string): Promise<OrderPlace> {
  const first = await db
    .selectFrom('mq_parked')
    .select(['EventId', 'MessageHash'])
    .where('QueueName', '=', content.queue)
    .where('OrderKey', '=', orderKey)
    .where('State', 'in', HOLDING)
    .orderBy('OrderSeq')
    .orderBy('FirstAt')
    .limit(1)
    .executeTakeFirst();
  if (first === undefined) return 'free';
  return first.EventId === content.eventId && first.MessageHash === content.messageHash ? 'first' : 'behind';
}

/**
 * The place of a message that is parked now: the one it has already, else behind all that its key ever had, so that a
 * dead letter that is replayed comes before what followed it.
 */
export async function seqInLine(db: SystemDb, request: ParkRequest): Promise<number | null> {
  if (request.orderKey === undefined) return null;
  const own = await db
    .selectFrom('mq_parked')
    .select((eb) => eb.fn.min('OrderSeq').as('seq'))
    .where((eb) => isOfContent(eb, request))
    .where('OrderKey', '=', request.orderKey)
    .executeTakeFirstOrThrow();
  if (own.seq !== null) return Number(own.seq);
  const { last } = await db
    .selectFrom('mq_parked')
    .select((eb) => eb.fn.max('OrderSeq').as('last'))
    .where('QueueName', '=', request.queue)
    .where('OrderKey', '=', request.orderKey)
    .executeTakeFirstOrThrow();
  return Number(last ?? 0) + 1;
}

/** A message that came back before its turn: its row waits behind again, without a lease. */
export async function sendBehind(db: SystemDb, request: ParkRequest): Promise<void> {
  await db
    .updateTable('mq_parked')
    .set({ State: 'behind', ClaimUntil: null })
    .where((eb) => isOfEvent(eb, request))
    .where('Cycle', '=', request.cycle)
    .where('Attempt', '=', request.attempt)
    .where('State', 'in', HOLDING)
    .execute();
}

/** Makes rows behind due whose key has no row that waits. @returns rows. */
export async function releaseLines(db: SystemDb, dialect: SqlDialect, limit: number): Promise<number> {
  const keys = await db
    .selectFrom('mq_parked as row')
    .select(['row.QueueName', 'row.OrderKey'])
    .distinct()
    .where('row.State', '=', 'behind')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('mq_parked as other')
            .select('other.EventId')
            .whereRef('other.QueueName', '=', 'row.QueueName')
            .whereRef('other.OrderKey', '=', 'row.OrderKey')
            .where('other.State', '=', 'waiting'),
        ),
      ),
    )
    .limit(KEYS_AT_ONCE)
    .execute();
  let released = 0;
  for (const { QueueName, OrderKey } of keys) {
    if (OrderKey !== null) released += await releaseLine(db, dialect, { queue: QueueName, orderKey: OrderKey }, limit);
  }
  return released;
}

async function releaseLine(
  db: SystemDb,
  dialect: SqlDialect,
  line: { readonly queue: string; readonly orderKey: string },
  limit: number,
): Promise<number> {
  const next = await db
    .selectFrom('mq_parked')
    .select('OrderSeq')
    .where('QueueName', '=', line.queue)
    .where('OrderKey', '=', line.orderKey)
    .where('State', '=', 'behind')
    .orderBy('OrderSeq')
    .limit(limit)
    .execute();
  const last = next.at(-1);
  if (last === undefined) return 0;
  const result = await db
    .updateTable('mq_parked')
    .set({ State: 'waiting', DueAt: dialect.fromNow(0), ClaimUntil: null })
    .where('QueueName', '=', line.queue)
    .where('OrderKey', '=', line.orderKey)
    .where('State', '=', 'behind')
    .where('OrderSeq', '<=', last.OrderSeq)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}
