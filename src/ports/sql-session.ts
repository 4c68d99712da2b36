import type { GuardedSql } from '../core/sql-guard.ts';
import type { SqlParameters } from '../core/sql-statement.ts';
import type { Row } from './table-store.ts';

/** What a script's statement gave. */
export interface SqlAnswer {
  /** Empty for a statement that gives none. */
  readonly rows: readonly Row[];
  /** Matched rows of a write (defaults.md 10.11). */
  readonly affected: number;
}

/**
 * A script's own SQL on one tenant's database: in a transaction, or each statement by itself. Errors are those of
 * TableStore, and PARAM_MISSING, PARAM_INVALID (a parameter), TOO_MANY_ROWS, SQL_TIMEOUT, SQL_TOO_MUCH_WORK (SQLite).
 */
export interface SqlSession {
  /** @param timeoutMs what the script allows the statement (`SetCommandTimeout`); its transaction goes on after it. */
  run(statement: GuardedSql, parameters: SqlParameters, timeoutMs?: number): Promise<SqlAnswer>;
}
