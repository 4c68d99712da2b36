import { AppError } from '../../core/errors.ts';
import { tableAccess } from '../../core/protected-tables.ts';
import { parseDesignType } from '../../core/table-design.ts';
import type { TableDefinition } from '../../ports/tenant-store.ts';
import { fixedColumns, type RowMaker } from './platform-row.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SystemDb } from './system-tables.ts';
import { type ColumnDefinition, createTable, FIXED_COLUMNS, type TableShape } from './table-definition.ts';

const TABLE_NAME = /^[A-Za-z][A-Za-z0-9_]{0,59}$/;
const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,29}$/;

/**
 * Creates tables that scripts use, with the fixed columns, and fills the new ones. Tables that exist are left alone.
 * @returns names of the created ones. @throws AppError PARAM_INVALID, TABLE_READ_ONLY.
 */
export async function createScriptTables(
  database: SqlDatabase,
  maker: RowMaker,
  definitions: readonly TableDefinition[],
): Promise<readonly string[]> {
  const shapes = definitions.map((definition) => ({ shape: shapeOf(definition), rows: definition.rows }));
  return database.define(async (db) => {
    const created: string[] = [];
    for (const { shape, rows } of shapes) {
      if ((await database.dialect.readTable(db, shape.name)) !== undefined) continue;
      await createFilled(db, database.dialect, maker, shape, rows);
      created.push(shape.name);
    }
    return created;
  });
}

async function createFilled(
  db: SystemDb,
  dialect: SqlDialect,
  maker: RowMaker,
  shape: TableShape,
  rows: TableDefinition['rows'],
): Promise<void> {
  await createTable(db, dialect, shape);
  const tables = db.withTables<Record<string, Record<string, string | number | null>>>();
  for (const row of rows) {
    await tables
      .insertInto(shape.name)
      .values({ ...fixedColumns(maker), ...row })
      .execute();
  }
}

function shapeOf(definition: TableDefinition): TableShape {
  if (!TABLE_NAME.test(definition.name))
    throw invalid(definition.name, 'letters, digits and _, at most 60, a letter first');
  if (tableAccess(definition.name) !== 'write') throw new AppError('TABLE_READ_ONLY', { table: definition.name });
  return {
    name: definition.name,
    columns: [...FIXED_COLUMNS, ...definition.fields.map((field) => columnOf(definition.name, field))],
    primaryKey: ['Id'],
    indexes: definition.fields.filter(({ unique }) => unique).map(({ name }) => ({ columns: [name], unique: true })),
  };
}

function columnOf(table: string, field: { name: string; type: string }): ColumnDefinition {
  const place = `${table}.${field.name}`;
  if (!FIELD_NAME.test(field.name)) throw invalid(place, 'letters, digits and _, at most 30, a letter first');
  const type = parseDesignType(field.type, 'en');
  if (!type.ok) throw invalid(place, `type: ${type.error.params.rule}`);
  return { name: field.name, type: type.value };
}

function invalid(field: string, rule: string): AppError {
  return new AppError('PARAM_INVALID', { field, rule });
}
