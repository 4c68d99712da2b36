import { sql } from 'kysely';
import { AppError } from '../../core/errors.ts';
import type { CrashStore, EventKey } from '../../ports/tenant-store.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { SystemDb } from './system-tables.ts';

/** Ends the count of an event, as a statement of the transaction that settles it. */
export function crashRemoval(db: SystemDb, key: EventKey) {
  return db.deleteFrom('mq_crash').where('QueueName', '=', key.queue).where('EventId', '=', key.eventId);
}

/** `mq_crash`: written only when a redelivered message starts, never on the happy path (delivery.md F3). */
export class SqlCrashStore implements CrashStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  count(key: EventKey): Promise<number> {
    return this.#database.write(async (db) => {
      const known = await this.#add(db, key, 1);
      if (known !== undefined) return known;
      // Another host may insert it between the look and the write.
      return (await this.#insert(db, key)) ?? (await this.#add(db, key, 1)) ?? 1;
    });
  }

  async uncount(key: EventKey): Promise<void> {
    await this.#database.write(async (db) => {
      const left = await this.#add(db, key, -1);
      if (left !== undefined && left <= 0) await crashRemoval(db, key).execute();
    });
  }

  async clear(key: EventKey): Promise<void> {
    await this.#database.write((db) => crashRemoval(db, key).execute());
  }

  /** @returns 1; undefined when the event has a row already. */
  async #insert(db: SystemDb, key: EventKey): Promise<1 | undefined> {
    const LastAt = this.#database.dialect.fromNow(0);
    try {
      await db
        .insertInto('mq_crash')
        .values({ QueueName: key.queue, EventId: key.eventId, Count: 1, LastAt })
        .execute();
      return 1;
    } catch (error: unknown) {
      if (error instanceof AppError && error.code === 'ROW_NOT_UNIQUE') return undefined;
      throw error;
    }
  }

  /** @returns the new count; undefined when the event has no row. */
  async #add(db: SystemDb, key: EventKey, step: 1 | -1): Promise<number | undefined> {
    await db
      .updateTable('mq_crash')
      .set({ Count: sql<number>`${sql.ref('Count')} + ${step}`, LastAt: this.#database.dialect.fromNow(0) })
      .where('QueueName', '=', key.queue)
      .where('EventId', '=', key.eventId)
      .execute();
    const row = await db
      .selectFrom('mq_crash')
      .select('Count')
      .where('QueueName', '=', key.queue)
      .where('EventId', '=', key.eventId)
      .executeTakeFirst();
    return row?.Count;
  }
}
