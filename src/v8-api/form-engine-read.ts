/** V8.FormEngine.GetFormData, GetTableData, GetTableDataCount (v8-surface.md 2.2, 2.4). */
import { type DosResult, succeed } from '../core/dos-result.ts';
import { AppError, describeError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Row, SelectQuery } from '../ports/table-store.ts';
import { selectedColumns } from './form-engine-columns.ts';
import { eventsOf, fire } from './form-engine-events.ts';
import { readFilter } from './form-engine-filter.ts';
import { readPage } from './form-engine-page.ts';
import { sortKeys } from './form-engine-sort.ts';
import { type FormCall, openForRead } from './form-engine-target.ts';
import type { Call, MemberAnswer } from './host-call.ts';
import { readFlag } from './param-values.ts';

/** One row by `Id` and `_Where`: Code 1 with it, Code 2 when there is none. The first of several in the given order. */
export async function getFormData(call: Call): Promise<MemberAnswer> {
  const form = await openForRead(call);
  const query = listQuery(form);
  if (query.where.length === 0) throw new AppError('PARAM_MISSING', { field: 'Id / _Where' });
  const [row] = await form.store.select({ ...query, limit: 1, offset: 0 });
  if (row === undefined)
    return { Code: 2, Data: null, Msg: describeError({ code: 'ROW_NOT_FOUND', params: {} }, call.lang) };
  return filtered(form, [row], ([only = row]) => succeed(only));
}

/** Rows with their total before paging. No row is a success with an empty list. */
export async function getTableData(call: Call): Promise<MemberAnswer> {
  const form = await openForRead(call);
  const query = listQuery(form);
  const total = await form.store.count(query);
  if (readFlag(form, '_OnlyDataCount')) return succeed([], { DataCount: total });
  const page = readPage(form, total);
  if (page.limit === 0) return succeed([], { DataCount: total });
  const rows = await form.store.select({ ...query, ...page });
  return filtered(form, rows, (left) => succeed(left, { DataCount: total }));
}

/** The answer of a read, once the table's row filter has gone over its rows where it shall (v8-surface.md 5.7). */
export async function filtered(
  form: FormCall,
  rows: readonly Row[],
  answer: (rows: readonly JsonObject[]) => DosResult,
): Promise<MemberAnswer> {
  const events = rows.length === 0 ? undefined : await eventsOf(form);
  if (events?.filter === undefined) return answer(rows);
  const input = { Rows: rows, TableModel: events.settings.model };
  return fire(form, { name: 'ServerDataV8', source: events.filter, input }, async (end) => {
    if (!end.ok) return end.result;
    const result = answer(end.rows);
    return end.notSaveField.length === 0 ? result : { ...result, DataAppend: { NotSaveField: end.notSaveField } };
  });
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
