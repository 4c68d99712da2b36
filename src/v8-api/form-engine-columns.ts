/** Column names as scripts write them: any case, found in the table or refused. */
import { printable } from '../core/printable.ts';
import type { ColumnInfo, TableInfo } from '../ports/table-store.ts';
import { refuseParam } from './param-rules.ts';
import { type CallParam, readNames } from './param-values.ts';

/** Columns by their names in lower case, as long as a table's description lives. */
const BY_NAME = new WeakMap<TableInfo, ReadonlyMap<string, ColumnInfo>>();

/** The column of this name, any case. */
export function findColumn(table: TableInfo, name: string): ColumnInfo | undefined {
  let columns = BY_NAME.get(table);
  if (columns === undefined) {
    // Of two names that differ in case only, the first one counts.
    columns = new Map(table.columns.map((column) => [column.name.toLowerCase(), column] as const).reverse());
    BY_NAME.set(table, columns);
  }
  return columns.get(name.toLowerCase());
}

/**
 * The database's own spelling of a column.
 * @param key the parameter that names it, for the refusal.
 * @throws AppError PARAM_INVALID for an unknown one.
 */
export function requireColumn(table: TableInfo, name: string, param: CallParam, key?: string): string {
  const field = key === undefined ? name : `${key} (${printable(name)})`;
  return findColumn(table, name.trim())?.name ?? refuseParam(field, 'column', param.lang);
}

/** Columns to read by `_SelectFields` and `_SelectNotFields`; empty means all. */
export function selectedColumns(param: CallParam, table: TableInfo): readonly string[] {
  const wanted = readColumns(param, table, '_SelectFields');
  const unwanted = readColumns(param, table, '_SelectNotFields');
  if (unwanted === undefined) return wanted ?? [];
  const candidates = wanted ?? table.columns.map((column) => column.name);
  const kept = candidates.filter((name) => !unwanted.includes(name));
  // Nothing left would read as "all" to the store.
  return kept.length === 0 ? refuseParam('_SelectNotFields', 'columnsLeft', param.lang) : kept;
}

function readColumns(param: CallParam, table: TableInfo, key: string): readonly string[] | undefined {
  const names = readNames(param, key);
  if (names === undefined) return undefined;
  return [...new Set(names.map((name) => requireColumn(table, name, param, key)))];
}
