import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { OutboxChoice, OutboxRowView, OutboxRowWhole } from '../../ports/outbox-inspection.ts';
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
    // One statement: every tenant is asked for each scrape of the metrics.
    const counts = await this.#database.reader
      .selectFrom('mq_outbox')
      .select((eb) => [
        'State',
        eb.fn.countAll<number>().as('rows'),
        eb
          .selectFrom('mq_outbox as oldest')
          .select('oldest.RunId')
          .where('oldest.State', '=', 'ready')
          .orderBy('oldest.Seq')
          .limit(1)
          .as('oldestRunId'),
      ])
      .groupBy('State')
      .execute();
    const count = (state: string) => Number(counts.find(({ State }) => State === state)?.rows ?? 0);
    return { rows: count('ready'), failed: count('failed'), oldestRunId: counts[0]?.oldestRunId ?? undefined };
  }

  async list({ state, after, limit }: Parameters<OutboxStore['list']>[0]): Promise<readonly OutboxRowView[]> {
    let query = selectViews(this.#database.reader).orderBy('Seq').limit(limit);
    if (state !== undefined) query = query.where('State', '=', state);
    if (after !== undefined) query = query.where('Seq', '>', after);
    return (await query.execute()).map(toView);
  }

  async find(seq: number): Promise<OutboxRowWhole | undefined> {
    const row = await selectViews(this.#database.reader)
      .select(['Body', 'Props'])
      .where('Seq', '=', seq)
      .executeTakeFirst();
    return row && { ...toView(row), body: row.Body, headers: decodeProps(row.Props).headers };
  }

  async retry(choice: OutboxChoice): Promise<number> {
    const { dialect } = this.#database;
    const now = { State: 'ready', Attempts: 0, ClaimUntil: dialect.fromNow(0), ClaimedBy: null } as const;
    const result = await this.#database.write((db) => {
      const failed = db.updateTable('mq_outbox').set(now).where('State', '=', 'failed');
      return (choice === 'all' ? failed : failed.where('Seq', '=', choice.seq)).executeTakeFirst();
    });
    return Number(result.numUpdatedRows);
  }

  async discard(choice: OutboxChoice): Promise<number> {
    const result = await this.#database.write((db) => {
      const failed = db.deleteFrom('mq_outbox').where('State', '=', 'failed');
      return (choice === 'all' ? failed : failed.where('Seq', '=', choice.seq)).executeTakeFirst();
    });
    return Number(result.numDeletedRows);
  }
}

/** Without the messages, which may be large. */
function selectViews(db: SystemDb) {
  return db
    .selectFrom('mq_outbox')
    .select(['Seq', 'RunId', 'QueueName', 'EventId', 'State', 'Attempts', 'LastError'])
    .select(sql<number>`length(${sql.ref('Body')})`.as('bytes'));
}

type ViewColumn = 'Seq' | 'RunId' | 'QueueName' | 'EventId' | 'State' | 'Attempts' | 'LastError';

function toView(row: Pick<Selectable<OutboxTable>, ViewColumn> & { readonly bytes: number }): OutboxRowView {
  return {
    seq: row.Seq,
    runId: row.RunId,
    queue: row.QueueName,
    eventId: row.EventId,
    state: row.State,
    attempts: row.Attempts,
    lastError: row.LastError,
    bytes: Number(row.bytes),
  };
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
