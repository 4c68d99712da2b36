import { sql } from 'kysely';
import { AppError } from '../../core/errors.ts';
import { type DesignType, isWider, parseDesignType } from '../../core/table-design.ts';
import type { DesignColumn, TableDesigner } from '../../ports/table-designer.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { CatalogueTable } from './sql-dialect.ts';
import type { SystemDb } from './system-tables.ts';
import { createTable, FIXED_COLUMNS } from './table-definition.ts';

/** Columns of one table at most: a row of many wide ones fits no page of the server. */
const MAX_COLUMNS = 500;

/** The same patience as a script's single statement has. */
const DESIGN_WAIT_MS = 3_000;

/** Tables of one tenant, changed by its scripts. */
export class SqlTableDesigner implements TableDesigner {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  createTable(name: string): Promise<void> {
    return this.#define(async (db) => {
      const { dialect } = this.#database;
      if ((await dialect.readTable(db, name)) !== undefined) throw new AppError('TABLE_EXISTS', { table: name });
      await createTable(db, dialect, { name, columns: FIXED_COLUMNS, primaryKey: ['Id'] });
    });
  }

  addColumn(table: string, { name, type }: DesignColumn): Promise<void> {
    return this.#define(async (db) => {
      const found = await this.#tableOf(db, table);
      if (columnOf(found, name) !== undefined) throw new AppError('COLUMN_EXISTS', { table: found.name, column: name });
      if (found.columns.length >= MAX_COLUMNS)
        throw new AppError('TABLE_FULL', { table: found.name, limit: MAX_COLUMNS });
      await db.schema
        .alterTable(found.name)
        .addColumn(name, sql`${this.#database.dialect.columnType(type)}`)
        .execute();
    });
  }

  widenColumn(table: string, { name, type }: DesignColumn): Promise<void> {
    return this.#define(async (db) => {
      const found = await this.#tableOf(db, table);
      const column = columnOf(found, name);
      if (column === undefined) throw new AppError('COLUMN_UNKNOWN', { table: found.name, column: name });
      await this.#database.dialect.widenColumn(db, found.name, column, (declared) => assertWider(declared, type, name));
    });
  }

  #define(work: (db: SystemDb) => Promise<void>): Promise<void> {
    return this.#database.define(async (db) => {
      await this.#database.dialect.beginDesign(db);
      await work(db);
    }, DESIGN_WAIT_MS);
  }

  async #tableOf(db: SystemDb, table: string): Promise<CatalogueTable> {
    const found = await this.#database.dialect.readTable(db, table);
    if (found === undefined || found.view) throw new AppError('TABLE_UNKNOWN', { table });
    return found;
  }
}

function columnOf({ columns }: CatalogueTable, name: string): string | undefined {
  return columns.find((column) => column.name.toLowerCase() === name.toLowerCase())?.name;
}

/** The new type, after a look at the declared one. @throws AppError COLUMN_TYPE. */
function assertWider(declared: string, to: DesignType, column: string): DesignType {
  const from = parseDesignType(declared.replace(/^(int|bigint)\(\d+\)$/i, '$1'), 'en');
  if (!from.ok || !isWider(from.value, to)) throw new AppError('COLUMN_TYPE', { column, type: declared });
  return to;
}
