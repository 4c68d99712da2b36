import type { Dialect, RawBuilder } from 'kysely';
import type { SqlToken } from '../../core/sql-tokens.ts';
import type { SystemDb } from './system-tables.ts';

/** What a column holds, apart from how a database spells it. */
export type ColumnType =
  /** Text compared without regard to case. */
  | { readonly kind: 'text'; readonly length: number }
  /** Text compared byte by byte, trailing blanks included: identities (delivery.md F8). */
  | { readonly kind: 'key'; readonly length: number }
  | { readonly kind: 'longText' }
  | { readonly kind: 'int' }
  | { readonly kind: 'bigint' }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  /** Local wall-clock text of the original platform. */
  | { readonly kind: 'datetime' }
  /** A moment of the database's clock, to the millisecond. */
  | { readonly kind: 'instant' }
  | { readonly kind: 'blob' }
  /** Primary key that counts up and is never used again. */
  | { readonly kind: 'serial' };

/** A table as the catalogue of the database describes it. */
export interface CatalogueTable {
  readonly name: string;
  readonly view: boolean;
  readonly columns: readonly { readonly name: string; readonly declaredType: string }[];
}

/**
 * Everything in which databases differ, as flags and expressions. Statements outside this seam are the same on all.
 * Due times and leases use the database's clock, because hosts' clocks differ (delivery.md 4).
 */
export interface SqlDialect {
  /** Builder parts of Kysely: compiler, adapter, introspector. */
  readonly builder: Pick<Dialect, 'createAdapter' | 'createIntrospector' | 'createQueryCompiler'>;
  /** Transactions of one database exclude each other. */
  readonly singleWriter: boolean;
  /** Indexes are part of CREATE TABLE, so that a table is never seen without them. */
  readonly inlineIndexes: boolean;
  /** What ends a CREATE TABLE of ours: engine and character set. */
  readonly tableOptions: RawBuilder<unknown> | undefined;
  /** Now, in milliseconds UTC. */
  readonly nowMillis: RawBuilder<number>;
  /** Now plus `ms`, for an `instant` column. */
  fromNow(ms: number): RawBuilder<number>;
  /** A known moment, for an `instant` column. */
  instant(millis: number): RawBuilder<number>;
  /** An `instant` column in milliseconds UTC. */
  millis(column: string): RawBuilder<number>;
  /** `column = value` without regard to case, whatever the column's collation. */
  sameText(column: string, value: string): RawBuilder<boolean>;
  /** `column` LIKE `pattern`, where a backslash takes the meaning from the next character. */
  like(column: RawBuilder<unknown>, pattern: string, negated: boolean): RawBuilder<unknown>;
  /** A decimal with more digits than a number holds, beside a decimal column. */
  decimal(text: string): RawBuilder<unknown> | string;
  columnType(type: ColumnType): RawBuilder<unknown>;
  /**
   * An UPDATE or DELETE (`head`, without conditions) of the rows that `rows` (WHERE … ORDER BY … LIMIT …) selects. Each
   * row is judged as it is when it is locked, so that two hosts never take the same one.
   */
  limitedWrite(head: RawBuilder<unknown>, table: string, rows: RawBuilder<unknown>): RawBuilder<unknown>;
  /** Before a change of a table that a script asked for: how long it may wait for those who use the table. */
  beginDesign(db: SystemDb): Promise<void>;
  /** Lets a column hold more. @param typeFor gives the new type by the declared one, or throws. */
  widenColumn(db: SystemDb, table: string, column: string, typeFor: (declared: string) => ColumnType): Promise<void>;
  /** A script's statement, written in MySQL's dialect, as this database reads it. */
  ownSql(tokens: readonly SqlToken[]): readonly SqlToken[];
  /** Looks a table or view up in the catalogue, by any case of its name. */
  readTable(db: SystemDb, name: string): Promise<CatalogueTable | undefined>;
}

/** The database's clock, in milliseconds UTC. */
export async function readNow(db: SystemDb, dialect: SqlDialect): Promise<number> {
  const row = await db.selectNoFrom(dialect.nowMillis.as('now')).executeTakeFirstOrThrow();
  return row.now;
}
