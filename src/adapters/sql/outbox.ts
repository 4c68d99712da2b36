import { type Selectable, sql } from 'kysely';
import type { OutboxMessage, OutboxRow, OutboxStore } from '../../ports/tenant-store.ts';
import { decodeProps, encodeProps } from './message-props.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { OutboxTable, SystemDb } from './system-tables.ts';

/** A fresh row belongs to the host that committed it, which publishes from memory (delivery.md 3.3). */
const FRESH_LEASE_MS = 30_000;
const MAX_ATTEMPTS = 10;
const MAX_ERROR_LENGTH = 500;

/** Writes messages inside the transaction that sends them. @returns the rows, leased to this host. */
export async function insertOutbox(
  db: SystemDb,
  dialect: SqlDialect,
  messages: readonly OutboxMessage[],
): Promise<readonly OutboxRow[]> {
  const rows: OutboxRow[] = [];
  for (const message of messages) {
    const result = await db
      .insertInto('mq_outbox')
      .values({
        RunId: message.runId,
        Ordinal: message.ordinal,
        QueueName: message.queue,
        EventId: message.eventId,
        Body: message.body,
        Props: encodeProps(message.props),
        ClaimUntil: dialect.fromNow(FRESH_LEASE_MS),
        Attempts: 0,
        State: 'ready',
        LastError: null,
      })
      .executeTakeFirstOrThrow();
    rows.push({ ...message, seq: Number(result.insertId), attempts: 0 });
  }
  return rows;
}

/** `mq_outbox`: messages that committed and are not known to be in their queue. */
export class SqlOutboxStore implements OutboxStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async lease(limit: number, leaseMs: number, options: { orphans?: boolean } = {}): Promise<readonly OutboxRow[]> {
    const { dialect } = this.#database;
    return this.#database.write(async (db) => {
      let due = db.selectFrom('mq_outbox').selectAll().where('State', '=', 'ready');
      if (!options.orphans) due = due.where('ClaimUntil', '<=', dialect.fromNow(0));
      const rows = await due.orderBy('Seq').limit(limit).execute();
      if (rows.length === 0) return [];
      await db
        .updateTable('mq_outbox')
        .set({ ClaimUntil: dialect.fromNow(leaseMs) })
        .where(
          'Seq',
          'in',
          rows.map(({ Seq }) => Seq),
        )
        .execute();
      return rows.map(toOutboxRow);
    });
  }

  async sent(seqs: readonly number[]): Promise<void> {
    if (seqs.length === 0) return;
    await this.#database.write((db) =>
      db
        .deleteFrom('mq_outbox')
        .where('Seq', 'in', [...seqs])
        .execute(),
    );
  }

  async failed(seq: number, error: string): Promise<void> {
    await this.#database.write((db) =>
      db
        .updateTable('mq_outbox')
        .set({
          // Before Attempts: MySQL assigns from left to right and would see the raised number.
          State: sql<
            'ready' | 'failed'
          >`case when ${sql.ref('Attempts')} + 1 >= ${MAX_ATTEMPTS} then 'failed' else 'ready' end`,
          Attempts: sql<number>`${sql.ref('Attempts')} + 1`,
          LastError: error.slice(0, MAX_ERROR_LENGTH),
        })
        .where('Seq', '=', seq)
        .execute(),
    );
  }

  async pending(): Promise<{ rows: number; failed: number; oldestRunId: string | undefined }> {
    const counts = await this.#database.reader
      .selectFrom('mq_outbox')
      .select((eb) => ['State', eb.fn.countAll<number>().as('rows')])
      .groupBy('State')
      .execute();
    const count = (state: string) => Number(counts.find(({ State }) => State === state)?.rows ?? 0);
    const oldest = await this.#database.reader
      .selectFrom('mq_outbox')
      .select('RunId')
      .where('State', '=', 'ready')
      .orderBy('Seq')
      .limit(1)
      .executeTakeFirst();
    return { rows: count('ready'), failed: count('failed'), oldestRunId: oldest?.RunId };
  }
}

function toOutboxRow(row: Selectable<OutboxTable>): OutboxRow {
  return {
    seq: row.Seq,
    runId: row.RunId,
    ordinal: row.Ordinal,
    queue: row.QueueName,
    eventId: row.EventId,
    body: row.Body,
    props: decodeProps(row.Props),
    attempts: row.Attempts,
  };
}
