import { sql } from 'kysely';
import type { ColumnType, SqlDialect } from './sql-dialect.ts';
import type { SystemDb } from './system-tables.ts';

export interface ColumnDefinition {
  readonly name: string;
  readonly type: ColumnType;
  readonly required?: boolean;
  readonly initially?: number;
}

export interface IndexDefinition {
  readonly columns: readonly string[];
  readonly unique?: boolean;
}

/** A table apart from how a database spells it. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly ColumnDefinition[];
  /** Absent when a `serial` column is the key. */
  readonly primaryKey?: readonly string[];
  readonly indexes?: readonly IndexDefinition[];
}

export const text = (name: string, length: number): ColumnDefinition => ({ name, type: { kind: 'text', length } });
export const longText = (name: string): ColumnDefinition => ({ name, type: { kind: 'longText' } });
export const int = (name: string, initially?: number): ColumnDefinition => ({
  name,
  type: { kind: 'int' },
  ...(initially === undefined ? {} : { initially }),
});
export const bigint = (name: string): ColumnDefinition => ({ name, type: { kind: 'bigint' }, required: true });
export const key = (name: string, length: number): ColumnDefinition => ({
  name,
  type: { kind: 'key', length },
  required: true,
});
export const instant = (name: string): ColumnDefinition => ({ name, type: { kind: 'instant' } });

/** The columns every table of the platform has (v8-surface.md 2.5). */
export const FIXED_COLUMNS: readonly ColumnDefinition[] = [
  { ...text('Id', 36), required: true },
  { name: 'CreateTime', type: { kind: 'datetime' } },
  { name: 'UpdateTime', type: { kind: 'datetime' } },
  text('UserId', 36),
  text('UserName', 255),
  int('IsDeleted', 0),
];

/** Creates the table and its indexes unless they exist. */
export async function createTable(db: SystemDb, dialect: SqlDialect, shape: TableShape): Promise<void> {
  let statement = db.schema.createTable(shape.name).ifNotExists();
  for (const column of shape.columns) {
    statement = statement.addColumn(column.name, sql`${dialect.columnType(column.type)}`, (builder) => {
      if (column.type.kind === 'serial') return builder.primaryKey().autoIncrement();
      const required = column.required ? builder.notNull() : builder;
      return column.initially === undefined ? required : required.defaultTo(column.initially);
    });
  }
  if (shape.primaryKey !== undefined) {
    statement = statement.addPrimaryKeyConstraint(`pk_${shape.name}`, [...shape.primaryKey] as never[]);
  }
  if (dialect.tableOptions !== undefined) statement = statement.modifyEnd(dialect.tableOptions);
  const indexes = (shape.indexes ?? []).map((index, position) => ({ ...index, name: indexName(shape, position) }));
  for (const { name, columns, unique } of dialect.inlineIndexes ? indexes : []) {
    statement = unique
      ? statement.addUniqueConstraint(name, [...columns] as never[])
      : statement.addIndex(name, [...columns] as never[]);
  }
  await statement.execute();
  for (const index of dialect.inlineIndexes ? [] : indexes) await createIndex(db, shape.name, index);
}

/** Databases cut or refuse longer ones. */
const MAX_NAME_LENGTH = 64;

function indexName(shape: TableShape, position: number): string {
  const { columns = [], unique = false } = shape.indexes?.[position] ?? {};
  const name = `${unique ? 'ux' : 'ix'}_${shape.name}_${columns.join('_')}`;
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH - 4)}_${position}` : name;
}

async function createIndex(db: SystemDb, table: string, index: IndexDefinition & { name: string }): Promise<void> {
  const statement = db.schema
    .createIndex(index.name)
    .ifNotExists()
    .on(table)
    .columns([...index.columns]);
  await (index.unique ? statement.unique() : statement).execute();
}

/** Adds an index to a table that was made without it. A migration runs once, so it is not there yet. */
export async function addIndex(db: SystemDb, table: string, columns: readonly string[]): Promise<void> {
  const name = `ix_${table}_${columns.join('_')}`;
  await db.schema
    .createIndex(name)
    .on(table)
    .columns([...columns])
    .execute();
}

/** Adds the columns that an existing table lacks. @returns their names. */
export async function addMissingColumns(
  db: SystemDb,
  dialect: SqlDialect,
  shape: TableShape,
): Promise<readonly string[]> {
  const table = await dialect.readTable(db, shape.name);
  if (table === undefined || table.view) return [];
  const present = new Set(table.columns.map((column) => column.name.toLowerCase()));
  const missing = shape.columns.filter((column) => !present.has(column.name.toLowerCase()));
  for (const column of missing) {
    await db.schema
      .alterTable(table.name)
      .addColumn(column.name, sql`${dialect.columnType(column.type)}`, (builder) =>
        column.initially === undefined ? builder : builder.defaultTo(column.initially),
      )
      .execute();
  }
  return missing.map((column) => column.name);
}
