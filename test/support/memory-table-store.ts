/**
 * TableStore in memory, for tests of what stands on the port. It compares as the embedded default does: text without
 * regard to case, numbers as numbers, AND before OR, and NULL meets nothing but IS NULL.
 */
import { AppError } from '../../src/core/errors.ts';
import type { SqlValue } from '../../src/core/sql-value.ts';
import type { Condition } from '../../src/core/where.ts';
import type { ColumnInfo, Filter, Row, SelectQuery, TableInfo, TableStore } from '../../src/ports/table-store.ts';

/** A table to start with. `columns` are beside the fixed ones unless `bare`. */
export interface MemoryTable {
  readonly columns: Readonly<Record<string, ColumnInfo['kind']>>;
  readonly unique?: readonly string[];
  readonly writable?: boolean;
  /** Without the platform's fixed columns. */
  readonly bare?: boolean;
  readonly rows?: readonly Row[];
}

const FIXED: Readonly<Record<string, ColumnInfo['kind']>> = {
  Id: 'text',
  CreateTime: 'datetime',
  UpdateTime: 'datetime',
  UserId: 'text',
  UserName: 'text',
  IsDeleted: 'integer',
};

interface Stored {
  readonly info: TableInfo;
  readonly unique: readonly string[];
  rows: Record<string, SqlValue>[];
}

export class MemoryTableStore implements TableStore {
  readonly #tables = new Map<string, Stored>();

  constructor(tables: Readonly<Record<string, MemoryTable>>) {
    for (const [name, table] of Object.entries(tables)) this.#tables.set(name.toLowerCase(), createTable(name, table));
  }

  /** Rows as they are stored, in insertion order. */
  rows(table: string): readonly Row[] {
    return this.#table(table).rows;
  }

  async describe(table: string): Promise<TableInfo | undefined> {
    return this.#tables.get(table.toLowerCase())?.info;
  }

  async select(query: SelectQuery): Promise<readonly Row[]> {
    const rows = this.#matching(query).sort((a, b) => compareRows(a, b, query));
    return rows.slice(query.offset, query.offset + query.limit).map((row) => project(row, query.columns));
  }

  async count(filter: Filter): Promise<number> {
    return this.#matching(filter).length;
  }

  async insert(table: string, row: Row): Promise<void> {
    const stored = this.#table(table);
    const complete = Object.fromEntries(stored.info.columns.map(({ name }) => [name, null as SqlValue]));
    Object.assign(complete, this.#known(stored, row));
    this.#checkUnique(stored, complete, undefined);
    stored.rows.push(complete);
  }

  async update(filter: Filter, values: Row): Promise<number> {
    const stored = this.#table(filter.table);
    const known = this.#known(stored, values);
    const matched = this.#matching(filter);
    for (const row of matched) {
      this.#checkUnique(stored, { ...row, ...known }, row);
      Object.assign(row, known);
    }
    return matched.length;
  }

  async delete(filter: Filter): Promise<number> {
    const stored = this.#table(filter.table);
    const matched = new Set(this.#matching(filter));
    stored.rows = stored.rows.filter((row) => !matched.has(row));
    return matched.size;
  }

  #table(name: string): Stored {
    const stored = this.#tables.get(name.toLowerCase());
    if (stored === undefined) throw new AppError('TABLE_UNKNOWN', { table: name });
    return stored;
  }

  #matching(filter: Filter): Record<string, SqlValue>[] {
    const stored = this.#table(filter.table);
    for (const { column } of filter.where) kindOf(stored, column);
    return stored.rows.filter((row) => {
      if (!filter.includeDeleted && row.IsDeleted === 1) return false;
      return filter.where.length === 0 || matchesAny(stored, row, filter.where);
    });
  }

  /** A database refuses an unknown column; so does this. */
  #known(stored: Stored, row: Row): Row {
    for (const column of Object.keys(row)) kindOf(stored, column);
    return row;
  }

  #checkUnique(stored: Stored, row: Row, self: Row | undefined): void {
    for (const field of stored.unique) {
      const value = row[field] ?? null;
      const taken = stored.rows.some((other) => other !== self && equal(stored, field, other[field] ?? null, value));
      if (taken) throw new AppError('ROW_NOT_UNIQUE', { table: stored.info.name, field });
    }
  }
}

function createTable(name: string, table: MemoryTable): Stored {
  const kinds = table.bare === true ? table.columns : { ...FIXED, ...table.columns };
  const columns = Object.entries(kinds).map(([column, kind]) => ({ name: column, kind }));
  const blank = Object.fromEntries(columns.map((column) => [column.name, null as SqlValue]));
  return {
    info: { name, columns, writable: table.writable ?? true },
    unique: [...('Id' in kinds ? ['Id'] : []), ...(table.unique ?? [])],
    rows: (table.rows ?? []).map((row) => ({ ...blank, ...row })),
  };
}

function kindOf(stored: Stored, column: string): ColumnInfo['kind'] {
  const info = stored.info.columns.find(({ name }) => name === column);
  if (info === undefined) throw new AppError('DB_STATEMENT', { message: `no such column: ${column}` });
  return info.kind;
}

/** OR of groups glued by AND. */
function matchesAny(stored: Stored, row: Row, where: readonly Condition[]): boolean {
  const groups: Condition[][] = [];
  for (const condition of where) {
    const group = groups.at(-1);
    if (group === undefined || condition.glue === 'or') groups.push([condition]);
    else group.push(condition);
  }
  return groups.some((group) => group.every((condition) => holds(stored, row, condition)));
}

function holds(stored: Stored, row: Row, { column, operator, value }: Condition): boolean {
  const cell = row[column] ?? null;
  if (value === null) return (operator === 'ne') !== (cell === null);
  if (cell === null) return false;
  if (Array.isArray(value)) {
    const found = value.some((element) => equal(stored, column, cell, element));
    return value.length > 0 && found === (operator === 'in');
  }
  const order = compareValues(cell, value as string | number, kindOf(stored, column));
  const text = String(cell).toLowerCase();
  const part = String(value).toLowerCase();
  const results = {
    eq: order === 0,
    ne: order !== 0,
    gt: order > 0,
    ge: order >= 0,
    lt: order < 0,
    le: order <= 0,
    in: false,
    notIn: false,
    like: text.includes(part),
    notLike: !text.includes(part),
    startLike: text.startsWith(part),
    notStartLike: !text.startsWith(part),
    endLike: text.endsWith(part),
    notEndLike: !text.endsWith(part),
  };
  return results[operator];
}

function equal(stored: Stored, column: string, a: SqlValue, b: SqlValue): boolean {
  return a !== null && b !== null && compareValues(a, b, kindOf(stored, column)) === 0;
}

function compareValues(a: string | number, b: string | number, kind: ColumnInfo['kind']): number {
  if (kind === 'integer' || kind === 'decimal' || kind === 'boolean') return Number(a) - Number(b);
  const [left, right] = [String(a).toLowerCase(), String(b).toLowerCase()];
  return left === right ? 0 : left < right ? -1 : 1;
}

function compareRows(a: Row, b: Row, query: SelectQuery): number {
  for (const { column, descending } of query.sort) {
    const [left, right] = [a[column] ?? null, b[column] ?? null];
    const order =
      left === null || right === null ? Number(right === null) - Number(left === null) : orderOf(left, right);
    if (order !== 0) return descending ? -order : order;
  }
  return 0;
}

function orderOf(a: string | number, b: string | number): number {
  const numbers = typeof a === 'number' && typeof b === 'number';
  return compareValues(a, b, numbers ? 'decimal' : 'text');
}

function project(row: Row, columns: readonly string[]): Row {
  if (columns.length === 0) return { ...row };
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
}
