/** The order of a list (v8-surface.md 2.3). */
import type { JsonValue } from '../core/json.ts';
import type { SortKey, TableInfo } from '../ports/table-store.ts';
import { findColumn, requireColumn } from './form-engine-columns.ts';
import { refuseParam } from './param-rules.ts';
import { type CallParam, isBlank, readObject, readText } from './param-values.ts';

/**
 * `_OrderBys`, else `_OrderBy` with `_OrderByType`, else CreateTime. The Id comes last in every order, so that rows
 * with equal keys do not move from one page to the next.
 */
export function sortKeys(param: CallParam, table: TableInfo): readonly SortKey[] {
  const asked = readOrderBys(param, table) ?? readOrderBy(param, table) ?? defaultOrder(table);
  const id = findColumn(table, 'Id');
  if (id === undefined || asked.some((key) => key.column === id.name)) return asked;
  return [...asked, { column: id.name, descending: false }];
}

function readOrderBys(param: CallParam, table: TableInfo): readonly SortKey[] | undefined {
  const value = param.values._OrderBys;
  if (isBlank(value)) return undefined;
  if (Array.isArray(value)) return refuseParam('_OrderBys', 'sortMap', param.lang);
  return Object.entries(readObject(param, '_OrderBys') ?? {}).map(([name, direction]) => ({
    column: requireColumn(table, name, param, '_OrderBys'),
    descending: isDescending(direction, `_OrderBys.${name}`, param),
  }));
}

function readOrderBy(param: CallParam, table: TableInfo): readonly SortKey[] | undefined {
  const name = readText(param, '_OrderBy');
  if (name === undefined) return undefined;
  const descending = isDescending(param.values._OrderByType, '_OrderByType', param);
  return [{ column: requireColumn(table, name, param, '_OrderBy'), descending }];
}

/** Only `DESC`, in any case, is descending; every other text is ascending. */
function isDescending(value: JsonValue | undefined, key: string, param: CallParam): boolean {
  if (isBlank(value)) return false;
  if (typeof value !== 'string') return refuseParam(key, 'sortDirection', param.lang);
  return value.trim().toLowerCase() === 'desc';
}

function defaultOrder(table: TableInfo): readonly SortKey[] {
  const created = findColumn(table, 'CreateTime');
  return created === undefined ? [] : [{ column: created.name, descending: false }];
}
