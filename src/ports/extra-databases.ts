/** `V8.Dbs`: databases of a tenant beside its own (v8-surface.md 4). They are outside of the platform transaction. */
import type { SqlSession } from './sql-session.ts';
import type { TenantStore } from './tenant-store.ts';

/** A transaction that a script ends itself. */
export interface ExtraTransaction {
  readonly sql: SqlSession;
  /** @throws AppError DB_TX_LOST, DB_BUSY, DB_UNAVAILABLE (nothing stored), DB_COMMIT_UNKNOWN. */
  commit(): Promise<void>;
  /** Undoes everything, also under a statement that does not answer. Never throws. */
  abort(): Promise<void>;
}

/** Errors: those of SqlSession. */
export interface ExtraDatabase {
  /** Each statement by itself. */
  readonly sql: SqlSession;
  begin(): Promise<ExtraTransaction>;
}

/** A database that one run uses or opened. */
export interface HeldDatabase extends ExtraDatabase {
  /** Gives it back. The connections of one that was opened for the run, or that no row names any more, end with it. */
  close(): Promise<void>;
}

/** Connections and secrets stay behind this port. */
export interface ExtraDatabases {
  /** Keys of the tenant's rows of `microi_database` that are switched on, as they are written. */
  keys(store: TenantStore): Promise<readonly string[]>;
  /** By key, any case; it stays open until it is closed. @throws AppError DBS_UNKNOWN, DBS_INVALID, DBS_DENIED, DBS_UNAVAILABLE. */
  get(store: TenantStore, key: string): Promise<HeldDatabase>;
  /** A database that the operator listed, by a connection string of the script. @throws as `get`. */
  open(store: TenantStore, type: string, connection: string): Promise<HeldDatabase>;
  /** Reads the rows again and closes what none of them names any more, once no run uses it. Never rejects. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}
