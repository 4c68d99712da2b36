import type { SqlDialect } from '../sql-dialect.ts';
import type { SystemDb } from '../system-tables.ts';

/** One step of the schema. Applied once, in a transaction where the database has transactional DDL; idempotent. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  apply(db: SystemDb, dialect: SqlDialect): Promise<void>;
}
