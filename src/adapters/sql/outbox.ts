import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { OutboxMessage, OutboxRow, OutboxStore } from '../../ports/tenant-store.ts';
import { decodeProps, encodeProps } from './message-props.ts';
import type { SqlDatabase } from './sql-database.ts';
import { readNow, type SqlDialect } from './sql-dialect.ts';
import type { OutboxTable, SystemDb } from './system-tables.ts';

/** A fresh row belongs to the host that committed it, which publishes from memory (delivery.md 3.3). */
const FRESH_LEASE_MS = 30_000;
const MAX_ATTEMPTS = 10;
const MAX_ERROR_LENGTH = 500;

/** Inserts a message with the transaction that sends it, leased to this host. */
export function outboxInsert(db: SystemDb, dialect: SqlDialect, message: OutboxMessage) {
  return db.insertInto('mq_outbox').values({
    RunId: message.runId,
    Ordinal: message.ordinal,
    QueueName: message.queue,
    EventId: message.eventId,
    Body: message.body,
    Props: encodeProps(message.props),
    ClaimUntil: dialect.fromNow(FRESH_LEASE_MS),
    ClaimedBy: null,
    Attempts: 0,
    State: 'ready',
    LastError: null,
  });
}

/** `mq_outbox`: messages that committed and are not known to be in their queue. */
export class SqlOutboxStore implements OutboxStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** The mark tells this lease's rows from another's that ends in the same millisecond. */
  lease(limit: number, leaseMs: number, options: { orphans?: boolean } = {}): Promise<readonly OutboxRow[]> {
    const { dialect } = this.#database;
    // What is leased belongs to another host, unless this one owns the database.
    const orphans = options.orphans === true && dialect.singleWriter;
    const due = orphans ? sql`true` : sql`ClaimUntil <= ${dialect.fromNow(0)}`;
    return this.#database.write(async (db) => {
      const mark = randomUUID();
      const until = dialect.instant((await readNow(db, dialect)) + leaseMs);
      const head = sql`update mq_outbox set ClaimUntil = ${until}, ClaimedBy = ${mark}`;
      // In the order of the index: sorting would lock every due row, and another relay would find none.
      const rows = sql`where State = 'ready' and ${due} order by ClaimUntil, Seq limit ${limit}`;
      const marked = await dialect.limitedWrite(head, 'mq_outbox', rows).execute(db);
      if (marked.numAffectedRows === 0n) return [];
      const leased = db
        .selectFrom('mq_outbox')
        .selectAll()
        .where('ClaimUntil', '=', until)
        .where('ClaimedBy', '=', mark);
      return (await leased.orderBy('Seq').execute()).map(toOutboxRow);
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
