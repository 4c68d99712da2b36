import type { DocumentStore } from './documents.ts';
import type { SqlSession } from './sql-session.ts';
import type { TableStore } from './table-store.ts';

/** Where a run's statements go that join no transaction: each commits by itself. */
export interface SingleStatements {
  readonly tables: TableStore;
  /** The same as `tables` for a script's own SQL. */
  readonly sql: SqlSession;
  /** The same for documents of a tenant without a MongoDB. */
  readonly documents: DocumentStore;
}

/** The same, by themselves or as one run uses them. */
export interface SingleStatementStore extends SingleStatements {
  /**
   * For one run: a statement of `tables` or `sql` that is under way when the run ends is ended where it runs, and what
   * it did is undone. @param over asked at the first statement; aborted when the run ends.
   */
  during(over: () => AbortSignal): SingleStatements;
}
