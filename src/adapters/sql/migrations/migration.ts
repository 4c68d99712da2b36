import type { SqlDialect } from '../sql-dialect.ts';
import type { SystemDb } from '../system-tables.ts';

/** One step of the schema. Applied once, in a transaction where the database has transactional DDL; idempotent. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /**
   * Oldest schema version whose program still works beside this step: one that only adds tables, or columns that nobody
   * must fill. Absent for a step that no older program may meet. Hosts are upgraded one after the other, and may go back.
   */
  readonly worksFrom?: number;
  apply(db: SystemDb, dialect: SqlDialect): Promise<void>;
}
