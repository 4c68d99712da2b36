import { sql } from 'kysely';
import { type AppError, coerceError } from '../../core/errors.ts';
import type {
  AttemptRecord,
  EventStory,
  Journal,
  LogFilter,
  LogLine,
  ReceiveLogRecord,
  RunCount,
  SysLogRecord,
} from '../../ports/journal.ts';
import type { Log } from '../../ports/log.ts';
import { readStory } from './event-story.ts';
import { toAttemptRecord, toAttemptRow, toLogLine, toReceiveLogRow, toSysLogRow } from './journal-rows.ts';
import { fixedColumns, onlyColumns, type RowMaker } from './platform-row.ts';
import { RowBuffer } from './row-buffer.ts';
import { RowInserts } from './row-insert.ts';
import type { SchemaCache } from './schema-cache.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { AttemptTable, PlatformRow, SystemDb } from './system-tables.ts';

const BATCH_ROWS = 200;
const FLUSH_AFTER_MS = 200;
const BUFFERED_ROWS = 10_000;
/** Shorter than a run may hold the writer: rows stay in the buffer and a reader of a story is not kept waiting. */
const FLUSH_WAIT_MS = 1_000;
const UNAVAILABLE_PAUSE_MS = 5_000;

export interface JournalParts extends RowMaker {
  readonly tenantLower: string;
  readonly database: SqlDatabase;
  readonly schema: SchemaCache;
  readonly log: Log;
}

/**
 * The tenant's audit: attempts, receive log, system log. Collected in memory and written in batches apart from any
 * run, so that a rollback does not take an author's log away (architecture.md 6, defaults.md 10.8).
 */
export class SqlJournal implements Journal {
  readonly #parts: JournalParts;
  readonly #inserts = new RowInserts();
  readonly #attempts = new RowBuffer<AttemptTable>(BUFFERED_ROWS);
  readonly #receiveLog = new RowBuffer<PlatformRow>(BUFFERED_ROWS);
  readonly #sysLog = new RowBuffer<PlatformRow>(BUFFERED_ROWS);
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #closed = false;

  constructor(parts: JournalParts) {
    this.#parts = parts;
  }

  attempt(record: AttemptRecord): void {
    this.#collect(this.#attempts, toAttemptRow(record));
  }

  receiveLog(record: ReceiveLogRecord): void {
    this.#collect(this.#receiveLog, { ...fixedColumns(this.#parts), ...toReceiveLogRow(record) });
  }

  sysLog(record: SysLogRecord): void {
    this.#collect(this.#sysLog, { ...fixedColumns(this.#parts), ...toSysLogRow(record) });
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // What came in while another flush was writing needs a flush of its own.
    while (this.#flushing !== undefined) await this.#flushing;
    this.#flushing = this.#writeAll().finally(() => {
      this.#flushing = undefined;
    });
    await this.#flushing;
  }

  /** Writes what is buffered, for the last time. */
  async close(): Promise<void> {
    await this.flush();
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async story(eventId: string): Promise<EventStory> {
    await this.flush();
    const { database, tenantLower, clock, schema } = this.#parts;
    return readStory({ database, tenantLower, clock, schema }, eventId);
  }

  async attempts(filter: { verdict?: string; limit: number }): Promise<readonly AttemptRecord[]> {
    await this.flush();
    let select = this.#parts.database.reader.selectFrom('mq_attempt').selectAll();
    if (filter.verdict !== undefined) select = select.where('Verdict', '=', filter.verdict);
    const rows = await select.orderBy('StartedAt', 'desc').orderBy('RunId', 'desc').limit(filter.limit).execute();
    return rows.map(toAttemptRecord);
  }

  async runCounts(since: number, spanMs: number): Promise<readonly RunCount[]> {
    await this.flush();
    const rows = await this.#parts.database.reader
      .selectFrom('mq_attempt')
      .select(({ fn }) => [
        sql<number>`StartedAt - StartedAt % ${spanMs}`.as('at'),
        'Verdict as verdict',
        fn.countAll<number>().as('runs'),
      ])
      .where('StartedAt', '>=', since)
      // People's deeds stand among the attempts, without an engine.
      .where('EngineKey', '<>', '')
      .groupBy(['at', 'verdict'])
      .orderBy('at')
      .orderBy('verdict')
      .execute();
    return rows.map(({ at, verdict, runs }) => ({ at: Number(at), verdict, runs: Number(runs) }));
  }

  async logs({ after, title, limit }: LogFilter): Promise<readonly LogLine[]> {
    await this.flush();
    let select = this.#parts.database.reader.selectFrom('sys_log').selectAll().limit(limit);
    if (title !== undefined) select = select.where(this.#parts.database.dialect.sameText('Title', title));
    const rows = await (after === undefined
      ? select.orderBy('Id', 'desc')
      : select.where('Id', '>', after).orderBy('Id')
    ).execute();
    return (after === undefined ? rows.reverse() : rows).map(toLogLine);
  }

  #collect<Row>(buffer: RowBuffer<Row>, row: Row): void {
    buffer.add(row);
    if (buffer.size >= BATCH_ROWS && this.#flushing === undefined) void this.flush();
    else this.#flushSoon();
  }

  #flushSoon(delayMs = FLUSH_AFTER_MS): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => void this.flush(), delayMs).unref();
  }

  async #writeAll(): Promise<void> {
    await this.#drain(this.#attempts, (db, rows) => db.executeQuery(this.#inserts.of(db, 'mq_attempt', rows)));
    await this.#drainPlatform(this.#receiveLog, 'diy_queue_receive_log');
    await this.#drainPlatform(this.#sysLog, 'sys_log');
  }

  async #drainPlatform(buffer: RowBuffer<PlatformRow>, table: 'diy_queue_receive_log' | 'sys_log'): Promise<void> {
    if (buffer.size === 0) return;
    const columns = await this.#parts.schema.columnNames(table).catch(() => new Set<string>());
    await this.#drain(buffer, (db, rows) => {
      const known = rows.map((row) => onlyColumns(row, columns));
      return db.executeQuery(this.#inserts.of(db, table, known));
    });
  }

  async #drain<Row>(buffer: RowBuffer<Row>, insert: (db: SystemDb, rows: Row[]) => Promise<unknown>): Promise<void> {
    this.#reportDropped(buffer.takeDropped());
    // What comes in meanwhile waits for the next flush: under load a batch for every few rows would never end.
    for (let left = buffer.size; left > 0 && buffer.size > 0; ) {
      const rows = buffer.take(Math.min(left, BATCH_ROWS));
      left -= rows.length;
      try {
        await this.#parts.database.write((db) => insert(db, rows), FLUSH_WAIT_MS);
      } catch (error: unknown) {
        return this.#keepOrDrop(buffer, rows, coerceError(error));
      }
    }
  }

  /** A database that is away gets the rows later; rows that it refuses would be refused for ever. */
  #keepOrDrop<Row>(buffer: RowBuffer<Row>, rows: Row[], error: AppError): void {
    const away = error.code === 'DB_BUSY' || error.code === 'DB_UNAVAILABLE';
    if (away) buffer.putBack(rows);
    if (error.code !== 'DB_BUSY') {
      this.#parts.log.warn('journal.flush_failed', {
        tenant: this.#parts.tenantLower,
        rows: rows.length,
        kept: away,
        err: error,
      });
    }
    if (away) this.#flushSoon(error.code === 'DB_BUSY' ? FLUSH_AFTER_MS : UNAVAILABLE_PAUSE_MS);
  }

  #reportDropped(rows: number): void {
    if (rows > 0) this.#parts.log.warn('journal.rows_dropped', { tenant: this.#parts.tenantLower, rows });
  }
}
