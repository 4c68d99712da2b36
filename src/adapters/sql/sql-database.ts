import type { Compilable, QueryResult } from 'kysely';
import type { PoolUse } from '../../ports/metrics.ts';
import type { Doom } from '../../ports/tenant-store.ts';
import type { Durability } from './connection-sqlite.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { ScriptDb, SystemDb } from './system-tables.ts';

/** A statement that is sent together with the commit. */
export interface PacketStatement {
  readonly query: Compilable;
  /** Rows it must match, or nothing of the transaction is stored: the guard of delivery.md 3.1 step 7. */
  readonly matches?: number;
}

/**
 * A transaction on a connection of its own. After a doom every statement throws it again (delivery.md F1); after the
 * end every statement throws DB_TX_LOST.
 */
export interface TxSession {
  /** The host's statements. */
  readonly system: SystemDb;
  /** A script's statements: refused where the database can tell that they leave the tenant's rows. */
  readonly script: ScriptDb;
  readonly doom: Doom | undefined;
  /**
   * Runs statements of this transaction that take effect together or, when `work` rejects, not at all. The transaction
   * goes on either way, unless it is lost.
   */
  allOrNothing<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Ends the transaction with these statements, in as few round trips as the database allows, also when it throws.
   * @returns their results, in order.
   * @throws AppError of the doom, DB_TORN (a guard failed), DB_BUSY, DB_TX_LOST, DB_UNAVAILABLE (nothing stored),
   * DB_COMMIT_UNKNOWN.
   */
  commit(packet?: readonly PacketStatement[]): Promise<readonly QueryResult<unknown>[]>;
  /** Ends the transaction; does nothing when it has ended. Never throws. */
  rollback(): Promise<void>;
  /** Ends the transaction at once, also under a statement that does not answer: its connection is cut. Never throws. */
  abort(): Promise<void>;
}

/** One tenant's database, as the stores use it. Implementations: database-sqlite.ts, database-mysql.ts. */
export interface SqlDatabase {
  readonly dialect: SqlDialect;
  /** Committed state, read without waiting for anybody. */
  readonly reader: SystemDb;
  /** The same for a script's statements. */
  readonly scriptReader: ScriptDb;
  /** Connections by use; none where there is no server. */
  pools(): readonly PoolUse[];
  /** Opens a run's transaction. @throws AppError DB_BUSY after `waitMs`. */
  begin(waitMs: number): Promise<TxSession>;
  /**
   * Runs the host's own statements in one transaction; a rejection of `work` rolls back. `work` awaits nothing but
   * statements, because a database that lost the transaction runs it again.
   * @param waitMs how long it may wait for a run's transaction.
   */
  write<T>(work: (db: SystemDb) => Promise<T>, waitMs?: number): Promise<T>;
  /** Runs one statement of a script that has no transaction. @param durability `full` unless given; SQLite's alone. */
  writeAsScript<T>(work: (db: ScriptDb) => Promise<T>, durability?: Durability): Promise<T>;
  /** Runs statements of a script that has no transaction in one of their own; a rejection of `work` rolls back. */
  writeTogether<T>(work: (db: ScriptDb) => Promise<T>, durability?: Durability): Promise<T>;
  /**
   * Changes tables: in one transaction where the database has such, else statement by statement.
   * @param waitMs how long it may wait for the writer where there is one.
   */
  define<T>(work: (db: SystemDb) => Promise<T>, waitMs?: number): Promise<T>;
  /** Runs `work` while no other host does the same to this database. @throws AppError DB_BUSY. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Changes whenever a table may have changed. */
  schemaStamp(): Promise<number | string>;
  /** Rejects DB_UNAVAILABLE when the database cannot commit. */
  probe(): Promise<void>;
  /** Waits a short time for open transactions, then closes. */
  close(): Promise<void>;
}
