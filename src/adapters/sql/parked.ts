import { randomUUID } from 'node:crypto';
import { type Expression, sql } from 'kysely';
import { AppError } from '../../core/errors.ts';
import type { DeadReason, ParkedState } from '../../core/parked.ts';
import type { ParkedKey } from '../../ports/dead-letters.ts';
import type {
  EventContent,
  LeasedParkedRow,
  OrderPlace,
  ParkedRow,
  ParkedStore,
  ParkRequest,
} from '../../ports/tenant-store.ts';
import { nextCycle } from './dead-replay.ts';
import type { Inbox } from './inbox.ts';
import { placeInLine, releaseLines, sendBehind, seqInLine } from './order-lines.ts';
import {
  failureColumns,
  hasKey,
  insertColumns,
  isOfContent,
  isOfEvent,
  type ParkedExpression,
  selectParked,
  toParkedRow,
} from './parked-rows.ts';
import type { SqlDatabase } from './sql-database.ts';
import { readNow, type SqlDialect } from './sql-dialect.ts';
import type { SystemDb } from './system-tables.ts';

/** Dead letters with another content than the event that was done: no run of that event answers for them. */
const REUSED_ID: DeadReason = 'event-id-reused';

/** A published message with an order key that nobody decided by then was taken from its queue by somebody else. */
const LOST_AFTER_MS = 600_000;

/**
 * A row of the first cycle with an order key outlives its publication to keep its key in order; with its message it
 * ends, as other rows of that cycle end when they are published.
 */
export function orderedRemoval(db: SystemDb, content: EventContent) {
  return db
    .deleteFrom('mq_parked')
    .where((eb) => isOfContent(eb, content))
    .where('Cycle', '=', 1)
    .where('OrderKey', 'is not', null)
    .where('State', 'in', ['waiting', 'behind']);
}

/** Ends a content's parked rows, as a statement of the transaction that commits its run (delivery.md F12). */
export function parkedResolution(db: SystemDb, dialect: SqlDialect, content: EventContent) {
  return db
    .updateTable('mq_parked')
    .set({ State: 'resolved', LastAt: dialect.fromNow(0), ClaimUntil: null })
    .where((eb) => isOfContent(eb, content))
    .where('State', '<>', 'resolved');
}

/** `mq_parked`: messages that wait for their next attempt, and dead letters (delivery.md 3.2). */
export class SqlParkedStore implements ParkedStore {
  readonly #database: SqlDatabase;
  readonly #inbox: Inbox;

  constructor(database: SqlDatabase, inbox: Inbox) {
    this.#database = database;
    this.#inbox = inbox;
  }

  async park(request: ParkRequest): Promise<void> {
    await this.#database.write(async (db) => {
      if (request.reason === REUSED_ID) return this.#keepReused(db, request);
      const own = { ...request, cycle: await this.#cycleOf(db, request) };
      const orderSeq = await seqInLine(db, own);
      await this.#dropOvertaken(db, own);
      if (own.state === 'dead') await this.#bury(db, own);
      if (own.state === 'behind') await sendBehind(db, own);
      await this.#insertOnce(db, own, orderSeq);
    });
  }

  placeOf(content: EventContent, orderKey: string): Promise<OrderPlace> {
    return placeInLine(this.#database.reader, content, orderKey);
  }

  /** Most tenants have none, and a look costs no write. */
  async releaseBehind(limit: number): Promise<number> {
    const some = await this.#database.reader
      .selectFrom('mq_parked')
      .select('EventId')
      .where('State', '=', 'behind')
      .limit(1)
      .executeTakeFirst();
    return some === undefined ? 0 : this.#database.write((db) => releaseLines(db, this.#database.dialect, limit));
  }

  leaseDue(limit: number, leaseMs: number): Promise<readonly LeasedParkedRow[]> {
    const { dialect } = this.#database;
    return this.#database.write(async (db) => {
      const mark = randomUUID();
      const claimUntil = (await readNow(db, dialect)) + leaseMs;
      const now = dialect.fromNow(0);
      const head = sql`update mq_parked set ClaimUntil = ${dialect.instant(claimUntil)}, ClaimedBy = ${mark}`;
      const rows = sql`where State = 'waiting' and DueAt <= ${now} and (ClaimUntil is null or ClaimUntil <= ${now})
        order by DueAt, OrderSeq limit ${limit}`;
      const marked = await dialect.limitedWrite(head, 'mq_parked', rows).execute(db);
      if (marked.numAffectedRows === 0n) return [];
      const leased = selectParked(db, dialect).where('State', '=', 'waiting').where('ClaimedBy', '=', mark);
      return (await leased.orderBy('DueAt').orderBy('OrderSeq').execute()).map((row) => ({
        ...toParkedRow(row),
        claimUntil,
      }));
    });
  }

  /** A replay stays visible: people want to see what became of what they sent again. */
  async published(row: LeasedParkedRow): Promise<void> {
    const { dialect } = this.#database;
    const lease = dialect.instant(row.claimUntil);
    const stillLeased = (eb: ParkedExpression) =>
      eb.and([hasKey(eb, row), eb('State', '=', 'waiting'), eb('ClaimUntil', '=', lease)]);
    await this.#database.write(async (db) => {
      if (row.orderKey !== undefined) {
        const kept = { DueAt: dialect.fromNow(LOST_AFTER_MS), ClaimUntil: null };
        return db.updateTable('mq_parked').set(kept).where(stillLeased).execute();
      }
      if (row.cycle === 1) return db.deleteFrom('mq_parked').where(stillLeased).execute();
      const replayed = { State: 'replayed', ClaimUntil: null } as const;
      return db.updateTable('mq_parked').set(replayed).where(stillLeased).execute();
    });
  }

  async resolve(content: EventContent): Promise<void> {
    await this.#database.write(async (db) => {
      const entry = await this.#inbox.find(db, content);
      const done = entry?.status === 'done' && entry.messageHash === content.messageHash;
      if (!done) return;
      await orderedRemoval(db, content).execute();
      await parkedResolution(db, this.#database.dialect, content).execute();
    });
  }

  async nextDueInMs(): Promise<number | undefined> {
    const { dialect, reader } = this.#database;
    const due = dialect.millis('DueAt');
    const leased = dialect.millis('ClaimUntil');
    const row = await reader
      .selectFrom('mq_parked')
      .select([
        sql<number | null>`min(case when ${leased} > ${due} then ${leased} else ${due} end)`.as('next'),
        dialect.nowMillis.as('now'),
      ])
      .where('State', '=', 'waiting')
      .executeTakeFirstOrThrow();
    return row.next === null ? undefined : Math.max(0, row.next - row.now);
  }

  async list(filter: { state?: ParkedState; queue?: string; limit: number }): Promise<readonly ParkedRow[]> {
    let select = selectParked(this.#database.reader, this.#database.dialect);
    if (filter.state !== undefined) select = select.where('State', '=', filter.state);
    if (filter.queue !== undefined) select = select.where('QueueName', '=', filter.queue);
    const rows = await select.orderBy('LastAt', 'desc').orderBy('EventId').limit(filter.limit).execute();
    return rows.map(toParkedRow);
  }

  /** A cycle holds one content: another one under the same EventId must neither take nor remove its rows. */
  async #cycleOf(db: SystemDb, request: ParkRequest): Promise<number> {
    const rows = await db
      .selectFrom('mq_parked')
      .select(['Cycle', 'MessageHash'])
      .where((eb) => isOfEvent(eb, request))
      .execute();
    const isOwn = (row: { MessageHash: string | null }) => row.MessageHash === request.messageHash;
    if (rows.every((row) => row.Cycle !== request.cycle || isOwn(row))) return request.cycle;
    const cycles = rows.filter(isOwn).map((row) => row.Cycle);
    return cycles.length > 0 ? Math.max(...cycles) : nextCycle(db, request);
  }

  /**
   * An earlier attempt still waits when the mover died after publishing it. The message has gone on since; left there,
   * the row would give it its whole budget again.
   */
  async #dropOvertaken(db: SystemDb, request: ParkRequest): Promise<void> {
    await db
      .deleteFrom('mq_parked')
      .where((eb) => isOfEvent(eb, request))
      .where('Cycle', '=', request.cycle)
      .where('Attempt', '<', request.attempt)
      .where('State', 'in', ['waiting', 'behind'])
      .execute();
  }

  /** The inbox says `done` about another content, so neither it nor that event's rows may swallow this one. */
  async #keepReused(db: SystemDb, request: ParkRequest): Promise<void> {
    const known = await selectParked(db, this.#database.dialect)
      .where((eb) => isOfContent(eb, request))
      .where('State', '<>', 'resolved')
      .executeTakeFirst();
    if (known !== undefined) return;
    const row = { ...request, cycle: await nextCycle(db, request) };
    const columns = insertColumns(row, await seqInLine(db, row), this.#database.dialect);
    await db.insertInto('mq_parked').values(columns).execute();
  }

  /**
   * A message that fails for good while its own waiting row still stands (the mover crashed before removing it) must
   * not lose its dead letter to that row.
   */
  async #bury(db: SystemDb, request: ParkRequest): Promise<void> {
    await db
      .updateTable('mq_parked')
      .set(failureColumns(request, this.#database.dialect))
      .where((eb) => hasKey(eb, request))
      .where('State', 'in', ['waiting', 'behind', 'replayed'])
      .where(({ not, exists }) => not(exists(this.#inbox.isDoneWith(db, request))))
      .execute();
  }

  /** Nothing when the inbox says `done` or when a copy of this attempt was faster. */
  async #insertOnce(db: SystemDb, request: ParkRequest, orderSeq: number | null): Promise<void> {
    const columns = insertColumns(request, orderSeq, this.#database.dialect);
    const names = Object.keys(columns) as (keyof typeof columns)[];
    try {
      await db
        .insertInto('mq_parked')
        .columns(names)
        .expression(
          db
            .selectFrom(db.selectNoFrom(sql`1`.as('one')).as('once'))
            .select(names.map((name) => (columns[name] as Expression<unknown> & typeof columns.Cycle).as(name)))
            .where(({ not, exists }) => not(exists(this.#inbox.isDoneWith(db, request))))
            .where(({ not, exists }) => not(exists(this.#row(db, request)))),
        )
        .execute();
    } catch (error: unknown) {
      if (!(error instanceof AppError && error.code === 'ROW_NOT_UNIQUE')) throw error;
      // Another host inserted between the look and the write: a copy of this attempt, or another content.
      const row = await this.#row(db, request).select('MessageHash').executeTakeFirst();
      if (row?.MessageHash !== request.messageHash) throw new AppError('DB_BUSY', {}, { cause: error });
    }
  }

  #row(db: SystemDb, key: ParkedKey) {
    return db
      .selectFrom('mq_parked')
      .select('EventId')
      .where((eb) => hasKey(eb, key));
  }
}
