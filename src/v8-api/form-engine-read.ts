/** V8.FormEngine.GetFormData, GetTableData, GetTableDataCount (v8-surface.md 2.2, 2.4). */
import { type DosResult, succeed } from '../core/dos-result.ts';
import { AppError, describeError } from '../core/errors.ts';
import type { JsonValue } from '../core/json.ts';
import type { SelectQuery } from '../ports/table-store.ts';
import { selectedColumns } from './form-engine-columns.ts';
import { readFilter } from './form-engine-filter.ts';
import { readPage } from './form-engine-page.ts';
import { sortKeys } from './form-engine-sort.ts';
import { type FormCall, openForRead } from './form-engine-target.ts';
import type { Call } from './host-call.ts';
import { readFlag } from './param-values.ts';

/** One row by `Id` and `_Where`: Code 1 with it, Code 2 when there is none. The first of several in the given order. */
export async function getFormData(call: Call): Promise<DosResult> {
  const form = await openForRead(call);
  const query = listQuery(form);
  if (query.where.length === 0) throw new AppError('PARAM_MISSING', { field: 'Id / _Where' });
  const [row] = await form.store.select({ ...query, limit: 1, offset: 0 });
  if (row === undefined)
    return { Code: 2, Data: null, Msg: describeError({ code: 'ROW_NOT_FOUND', params: {} }, call.lang) };
  return succeed(row);
}

/** Rows with their total before paging. No row is a success with an empty list. */
export async function getTableData(call: Call): Promise<DosResult> {
  const form = await openForRead(call);
  const query = listQuery(form);
  const total = await form.store.count(query);
  if (readFlag(form, '_OnlyDataCount')) return succeed([], { DataCount: total });
  const page = readPage(form, total);
  if (page.limit === 0) return succeed([], { DataCount: total });
  const rows = await form.store.select({ ...query, ...page });
  return succeed(rows as readonly JsonValue[], { DataCount: total });
}

/** The number of matching rows, in DataCount. */
export async function getTableDataCount(call: Call): Promise<DosResult> {
  const form = await openForRead(call);
  return succeed([], { DataCount: await form.store.count(readFilter(form)) });
}

/** What a list reads, before its page is cut. */
export function listQuery(form: FormCall): Omit<SelectQuery, 'limit' | 'offset'> {
  return { ...readFilter(form), columns: selectedColumns(form, form.table), sort: sortKeys(form, form.table) };
}
