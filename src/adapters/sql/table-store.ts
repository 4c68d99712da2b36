import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import { AppError } from '../../core/errors.ts';
import type { SqlValue } from '../../core/sql-value.ts';
import type { ColumnInfo, Filter, Row, SelectQuery, TableInfo, TableStore } from '../../ports/table-store.ts';
import { compileWhere, notDeleted } from './compile-where.ts';
import type { SchemaCache } from './schema-cache.ts';
import { toScriptRow } from './script-row.ts';
import { shapeOfInsert, shapeOfSelect, shapeOfUpdate } from './statement-shape.ts';
import type { ScriptDb } from './system-tables.ts';

/** Where a table store's statements go: one transaction, or a reader and single auto-committed writes. */
export interface StatementTarget {
  read<T>(work: (db: ScriptDb) => Promise<T>): Promise<T>;
  write<T>(work: (db: ScriptDb) => Promise<T>): Promise<T>;
  /** Statements through the given target take effect together or not at all. */
  allOrNothing<T>(work: (target: StatementTarget) => Promise<T>): Promise<T>;
}

/** What a store knows of the database's tables. */
export type TableSchema = Pick<SchemaCache, 'describe' | 'dialect' | 'statements'>;

/**
 * Everything through one builder. A group inside of a group belongs to the outer one.
 * @param allOrNothing what encloses a group of its statements.
 */
export function targetOver(db: ScriptDb, allOrNothing: <T>(work: () => Promise<T>) => Promise<T>): StatementTarget {
  const inside: StatementTarget = {
    read: (work) => work(db),
    write: (work) => work(db),
    allOrNothing: (work) => work(inside),
  };
  return { ...inside, allOrNothing: (work) => allOrNothing(() => work(inside)) };
}

/** Rows of a tenant's tables. Protection is checked here as well as by the caller and, on SQLite, by the authorizer. */
export class SqlTableStore implements TableStore {
  readonly #schema: TableSchema;
  readonly #target: StatementTarget;

  constructor(schema: TableSchema, target: StatementTarget) {
    this.#schema = schema;
    this.#target = target;
  }

  describe(table: string): Promise<TableInfo | undefined> {
    return this.#schema.describe(table);
  }

  async select(query: SelectQuery): Promise<readonly Row[]> {
    const table = await this.#readable(query.table);
    const shape = shapeOfSelect(table, query);
    const { rows } = await this.#target.read((db) =>
      db.executeQuery<Row>(this.#schema.statements.of(table, shape, () => this.#compileSelect(db, table, query))),
    );
    return rows.map(toScriptRow);
  }

  async count(filter: Filter): Promise<number> {
    const table = await this.#readable(filter.table);
    const condition = this.#compile(table, filter);
    const row = await this.#target.read((db) => {
      const select = db.selectFrom(table.name).select((eb) => eb.fn.countAll<number>().as('rows'));
      return (condition === undefined ? select : select.where(condition)).executeTakeFirstOrThrow();
    });
    return Number(row.rows);
  }

  async insert(name: string, row: Row): Promise<void> {
    const table = await this.#writable(name);
    const values = fitted(table, row);
    const isBlank = Object.keys(values).length === 0;
    const shape = isBlank ? undefined : shapeOfInsert(table, values);
    await this.#target.write((db) => {
      const insert = db.insertInto(table.name);
      const compile = () => (isBlank ? insert.defaultValues() : insert.values(values)).compile();
      return db.executeQuery(this.#schema.statements.of(table, shape, compile));
    });
  }

  async update(filter: Filter, values: Row): Promise<number> {
    const table = await this.#writable(filter.table);
    if (Object.keys(values).length === 0) return this.count(filter);
    const fits = fitted(table, values);
    const shape = shapeOfUpdate(table, filter, fits);
    const result = await this.#target.write((db) => {
      const compile = () => {
        const condition = this.#compile(table, filter);
        const update = db.updateTable(table.name).set(fits);
        return (condition === undefined ? update : update.where(condition)).compile();
      };
      return db.executeQuery(this.#schema.statements.of(table, shape, compile));
    });
    return Number(result.numAffectedRows ?? 0);
  }

  async delete(filter: Filter): Promise<number> {
    const table = await this.#writable(filter.table);
    const condition = this.#compile(table, filter);
    const result = await this.#target.write((db) => {
      const removal = db.deleteFrom(table.name);
      return (condition === undefined ? removal : removal.where(condition)).executeTakeFirst();
    });
    return Number(result.numDeletedRows);
  }

  allOrNothing<T>(work: (tables: TableStore) => Promise<T>): Promise<T> {
    return this.#target.allOrNothing((target) => work(new SqlTableStore(this.#schema, target)));
  }

  #compileSelect(db: ScriptDb, table: TableInfo, query: SelectQuery): CompiledQuery<Row> {
    const filter = this.#compile(table, query);
    const from = db.selectFrom(table.name);
    let select = query.columns.length === 0 ? from.selectAll() : from.select([...query.columns]);
    if (filter !== undefined) select = select.where(filter);
    for (const { column, descending } of query.sort) select = select.orderBy(column, descending ? 'desc' : 'asc');
    return select.limit(query.limit).offset(query.offset).compile() as CompiledQuery<Row>;
  }

  #compile(table: TableInfo, filter: Filter): RawBuilder<boolean> | undefined {
    const where = compileWhere(filter.where, { table, dialect: this.#schema.dialect });
    const marked = table.columns.some(({ name }) => name === 'IsDeleted');
    if (filter.includeDeleted || !marked) return where;
    return where === undefined ? notDeleted() : sql<boolean>`${where} and ${notDeleted()}`;
  }

  async #readable(name: string): Promise<TableInfo> {
    const table = await this.describe(name);
    if (table === undefined) throw new AppError('TABLE_UNKNOWN', { table: name });
    return table;
  }

  async #writable(name: string): Promise<TableInfo> {
    const table = await this.#readable(name);
    if (!table.writable) throw new AppError('TABLE_READ_ONLY', { table: table.name });
    return table;
  }
}

/** Values as the table's columns take them. @throws AppError PARAM_INVALID naming the field. */
function fitted(table: TableInfo, row: Row): Record<string, SqlValue> {
  const kindOf = (name: string) => table.columns.find((column) => column.name === name)?.kind ?? 'text';
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, fitValue(name, kindOf(name), value)]));
}

function fitValue(field: string, kind: ColumnInfo['kind'], value: unknown): SqlValue {
  if (kind === 'boolean' && typeof value === 'string') return fitFlag(value);
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new AppError('PARAM_INVALID', { field, rule: 'only text, finite numbers, booleans and null can be stored' });
  }
  // As JavaScript writes it, not as the database would: 1e+20, 0.30000000000000004.
  return kind === 'text' ? String(value) : value;
}

/** A bit column takes no text: `'1'` would be the byte 49. */
function fitFlag(text: string): SqlValue {
  const plain = text.trim().toLowerCase();
  if (plain === '1' || plain === 'true') return 1;
  if (plain === '0' || plain === 'false') return 0;
  return plain === '' ? null : text;
}
