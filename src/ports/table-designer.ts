import type { DesignType } from '../core/table-design.ts';

/** A column of a script's table. */
export interface DesignColumn {
  readonly name: string;
  readonly type: DesignType;
}

/**
 * Changes the shape of a tenant's tables. A change commits by itself, waits a short time for transactions that use the
 * table, and is seen by this host at once. Names have been checked (core/table-design.ts). Errors: AppError DB_BUSY,
 * DB_STATEMENT, DB_UNAVAILABLE, and those named.
 */
export interface TableDesigner {
  /** Makes a table with the fixed columns. @throws TABLE_EXISTS. */
  createTable(name: string): Promise<void>;
  /** @throws TABLE_UNKNOWN, COLUMN_EXISTS, TABLE_FULL. */
  addColumn(table: string, column: DesignColumn): Promise<void>;
  /** Lets a column hold more than before. @throws TABLE_UNKNOWN, COLUMN_UNKNOWN, COLUMN_TYPE when values could be lost. */
  widenColumn(table: string, column: DesignColumn): Promise<void>;
}
