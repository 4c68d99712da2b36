import type { ColumnKind } from '../core/column-kind.ts';
import type { SqlValue } from '../core/sql-value.ts';
import type { WhereNode } from '../core/where.ts';

/** A column as the database knows it. */
export interface ColumnInfo {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** What a script may do with a table (core/protected-tables.ts). */
export interface TableInfo {
  /** Name with the case of the database. */
  readonly name: string;
  readonly columns: readonly ColumnInfo[];
  readonly writable: boolean;
}

/** A row: column name -> value as scripts see it. */
export type Row = Readonly<Record<string, SqlValue>>;

export interface SortKey {
  readonly column: string;
  readonly descending: boolean;
}

export interface SelectQuery {
  readonly table: string;
  /** Empty: all columns. */
  readonly columns: readonly string[];
  /** All of it must hold; empty: every row. */
  readonly where: readonly WhereNode[];
  /** Rows whose IsDeleted is 1 are left out unless set (v8-surface.md 2.6). */
  readonly includeDeleted: boolean;
  readonly sort: readonly SortKey[];
  readonly limit: number;
  readonly offset: number;
}

export type Filter = Pick<SelectQuery, 'table' | 'where' | 'includeDeleted'>;

/**
 * Rows of one tenant's tables. Names come from `describe`, conditions from core/where.ts, values are bound. Errors
 * are AppError: DB_STATEMENT and ROW_NOT_UNIQUE are the script's, DB_BUSY, DB_TX_LOST, DB_TORN and DB_UNAVAILABLE
 * are not, and doom the transaction they happen in.
 */
export interface TableStore {
  /** Undefined when the table does not exist or scripts must not see it. Any case of the name. */
  describe(table: string): Promise<TableInfo | undefined>;
  select(query: SelectQuery): Promise<readonly Row[]>;
  count(filter: Filter): Promise<number>;
  insert(table: string, row: Row): Promise<void>;
  /** @returns matched rows, on every dialect (defaults.md 10.11). */
  update(filter: Filter, values: Row): Promise<number>;
  /** Removes rows physically. @returns removed rows. */
  delete(filter: Filter): Promise<number>;
  /**
   * Runs statements that take effect together or, when `work` rejects, not at all: in a transaction up to a savepoint
   * of it, else in a transaction of their own. They go through `tables`.
   */
  allOrNothing<T>(work: (tables: TableStore) => Promise<T>): Promise<T>;
}
