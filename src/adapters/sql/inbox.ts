import { AppError } from '../../core/errors.ts';
import type { EventContent, EventKey, InboxClaim, InboxEntry } from '../../ports/tenant-store.ts';
import { RowInserts } from './row-insert.ts';
import type { PacketStatement } from './sql-database.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SystemDb } from './system-tables.ts';

/**
 * `mq_inbox`: one row for every event that had its effect. Identity is the primary key, compared byte by byte
 * (delivery.md F8).
 */
export class Inbox {
  readonly #tenantLower: string;
  readonly #dialect: SqlDialect;
  readonly #inserts = new RowInserts();

  constructor(tenantLower: string, dialect: SqlDialect) {
    this.#tenantLower = tenantLower;
    this.#dialect = dialect;
  }

  async find(db: SystemDb, key: EventKey): Promise<InboxEntry | undefined> {
    const row = await db
      .selectFrom('mq_inbox')
      .select(['Status', 'MessageHash'])
      .where('TenantLower', '=', this.#tenantLower)
      .where('QueueName', '=', key.queue)
      .where('EventId', '=', key.eventId)
      .executeTakeFirst();
    return row && { status: row.Status, messageHash: row.MessageHash };
  }

  /** A condition for other tables' statements: the effects of this content are committed. */
  isDoneWith(db: SystemDb, content: EventContent) {
    return this.isDone(db, content).where('MessageHash', '=', content.messageHash);
  }

  /** A condition for other tables' statements: the event's effects are committed. */
  isDone(db: SystemDb, key: EventKey) {
    return db
      .selectFrom('mq_inbox')
      .select('EventId')
      .where('TenantLower', '=', this.#tenantLower)
      .where('QueueName', '=', key.queue)
      .where('EventId', '=', key.eventId)
      .where('Status', '=', 'done');
  }

  /** Inserts the rows as `run`. @returns false when one of the events has a row already; then none is inserted. Only this statement may read a unique conflict so. */
  async claim(db: SystemDb, claims: readonly InboxClaim[]): Promise<boolean> {
    try {
      const rows = claims.map((claim) => this.#toRow(claim));
      await db.executeQuery(this.#inserts.of(db, 'mq_inbox', rows));
      return true;
    } catch (error: unknown) {
      if (error instanceof AppError && error.code === 'ROW_NOT_UNIQUE') return false;
      throw error;
    }
  }

  /**
   * Turns `run` to `done`. It matches too few rows when the transaction that inserted them ended under the run: the
   * commit must not go through then (delivery.md F2).
   */
  finish(db: SystemDb, keys: readonly EventKey[]): readonly PacketStatement[] {
    return byQueue(keys).map(([queue, eventIds]) => {
      const query = db
        .updateTable('mq_inbox')
        .set({ Status: 'done', DoneAt: this.#dialect.fromNow(0) })
        .where('TenantLower', '=', this.#tenantLower)
        .where('QueueName', '=', queue)
        .where('EventId', 'in', eventIds)
        .where('Status', '=', 'run');
      return { query, matches: eventIds.length };
    });
  }

  #toRow(claim: InboxClaim) {
    return {
      TenantLower: this.#tenantLower,
      QueueName: claim.queue,
      EventId: claim.eventId,
      Status: 'run' as const,
      MessageHash: claim.messageHash,
      Attempt: claim.attempt,
      EngineKey: claim.engineKey,
      Version: claim.version,
      RunId: claim.runId,
      DoneAt: null,
    };
  }
}

/** The messages of one transaction are mostly those of one queue. */
function byQueue(keys: readonly EventKey[]): readonly (readonly [queue: string, eventIds: readonly string[]])[] {
  const eventIds = new Map<string, string[]>();
  for (const key of keys) eventIds.set(key.queue, [...(eventIds.get(key.queue) ?? []), key.eventId]);
  return [...eventIds];
}
