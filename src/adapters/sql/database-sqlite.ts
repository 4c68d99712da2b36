import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, coerceError } from '../../core/errors.ts';
import { type Durability, SqliteConnection } from './connection-sqlite.ts';
import { sqliteDialect } from './dialect-sqlite.ts';
import type { LocalClock } from './function-values-sqlite.ts';
import { kyselyOver } from './kysely-session.ts';
import type { SqlDatabase, TxSession } from './sql-database.ts';
import type { ScriptDb, SystemDb, SystemTables } from './system-tables.ts';
import { touchSchemaRow } from './touch-schema.ts';
import { SqliteTransaction } from './transaction-sqlite.ts';
import { WriterLock } from './writer-lock.ts';

/** A run may hold the writer for its whole wall time; the host's own rows wait for it rather than run it again. */
const SYSTEM_WAIT_MS = 60_000;
/** The same patience as a duplicate has (architecture.md 2, G3). */
const SCRIPT_WAIT_MS = 3_000;
const CLOSE_WAIT_MS = 5_000;
const PROBE_WAIT_MS = 500;
/** How often a lock of another process is asked for again. */
const FOREIGN_LOCK_POLL_MS = 20;

/**
 * One SQLite file with its three connections: runs, the host's own writes, and reads that wait for nobody. The
 * writers take turns by WriterLock; SQLite's busy timeout is 0 so that no wait is synchronous (delivery.md F11).
 */
export class SqliteDatabase implements SqlDatabase {
  readonly dialect = sqliteDialect;
  readonly reader: SystemDb;
  readonly scriptReader: ScriptDb;
  readonly #lock = new WriterLock();
  readonly #runs: SqliteConnection;
  readonly #host: SqliteConnection;
  readonly #reads: SqliteConnection;

  private constructor(runs: SqliteConnection, host: SqliteConnection, reads: SqliteConnection) {
    this.#runs = runs;
    this.#host = host;
    this.#reads = reads;
    this.reader = kyselyOver<SystemTables>(sqliteDialect, async (query) => reads.execute(query, 'host'));
    this.scriptReader = kyselyOver(sqliteDialect, async (query) => reads.execute(query, 'script'));
  }

  /** Opens or creates the file. @param clock what NOW() says. @throws AppError DB_UNAVAILABLE, DB_BUSY. */
  static open(path: string, clock: LocalClock): SqliteDatabase {
    const opened: SqliteConnection[] = [];
    const connect = (readOnly: boolean) => {
      const connection = SqliteConnection.open(path, { readOnly, clock });
      opened.push(connection);
      return connection;
    };
    try {
      return new SqliteDatabase(connect(false), connect(false), connect(true));
    } catch (error: unknown) {
      for (const connection of opened) connection.close();
      throw error;
    }
  }

  /** A file has no connections that could run out. */
  pools(): readonly [] {
    return [];
  }

  begin(waitMs: number): Promise<TxSession> {
    return this.#beginOn(this.#runs, waitMs);
  }

  async write<T>(work: (db: SystemDb) => Promise<T>, waitMs = SYSTEM_WAIT_MS): Promise<T> {
    const tx = await this.#beginOn(this.#host, waitMs);
    return commitAfter(tx, () => work(tx.system));
  }

  async writeAsScript<T>(work: (db: ScriptDb) => Promise<T>, durability: Durability = 'full'): Promise<T> {
    const tx = await this.#beginOn(this.#runs, SCRIPT_WAIT_MS, durability);
    return commitAfter(tx, () => work(tx.script));
  }

  writeTogether<T>(work: (db: ScriptDb) => Promise<T>, durability: Durability = 'full'): Promise<T> {
    return this.writeAsScript(work, durability);
  }

  define<T>(work: (db: SystemDb) => Promise<T>, waitMs?: number): Promise<T> {
    return this.write(work, waitMs);
  }

  /** The host lock of the data directory keeps other hosts away from the file. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  async schemaStamp(): Promise<number> {
    return this.#reads.schemaVersion();
  }

  async probe(): Promise<void> {
    // While a run of ours writes, its statements tell whether the file can be written.
    if (this.#lock.held) return;
    try {
      await this.write(touchSchemaRow, PROBE_WAIT_MS);
    } catch (error: unknown) {
      const cause = coerceError(error);
      throw new AppError('DB_UNAVAILABLE', { reason: String(cause.params.reason ?? cause.code) }, { cause });
    }
  }

  async close(): Promise<void> {
    await this.#lock.close(CLOSE_WAIT_MS);
    // A read-only connection that closes last leaves the log unmerged.
    for (const connection of [this.#reads, this.#runs, this.#host]) connection.close();
  }

  async #beginOn(
    connection: SqliteConnection,
    waitMs: number,
    durability: Durability = 'full',
  ): Promise<SqliteTransaction> {
    const deadline = performance.now() + waitMs;
    const release = await this.#lock.acquire(waitMs);
    try {
      connection.setDurability(durability);
      await beginImmediate(connection, deadline);
      return new SqliteTransaction(connection, release);
    } catch (error: unknown) {
      release();
      throw error;
    }
  }
}

/** Another process (a backup, a shell) may hold the file: asks again until the deadline, without blocking. */
async function beginImmediate(connection: SqliteConnection, deadline: number): Promise<void> {
  for (;;) {
    try {
      return connection.exec('BEGIN IMMEDIATE');
    } catch (error: unknown) {
      if (coerceError(error).code !== 'DB_BUSY' || performance.now() >= deadline) throw error;
      await sleep(FOREIGN_LOCK_POLL_MS);
    }
  }
}

async function commitAfter<T>(tx: SqliteTransaction, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    await tx.commit();
    return result;
  } catch (error: unknown) {
    await tx.rollback();
    throw error;
  }
}
