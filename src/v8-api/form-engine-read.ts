/** V8.FormEngine.GetFormData, GetTableData, GetTableDataCount (v8-surface.md 2.2, 2.4). */
import { type DosResult, succeed } from '../core/dos-result.ts';
import { AppError, describeError } from '../core/errors.ts';
import type { JsonValue } from '../core/json.ts';
import type { Filter } from '../ports/table-store.ts';
import { warnAuthor } from './author-warning.ts';
import { findColumn, selectedColumns } from './form-engine-columns.ts';
import { readConditions } from './form-engine-filter.ts';
import { readPage } from './form-engine-page.ts';
import { sortKeys } from './form-engine-sort.ts';
import { type FormCall, openForRead } from './form-engine-target.ts';
import type { Call } from './host-call.ts';
import { refuseParam } from './param-rules.ts';
import { readFlag } from './param-values.ts';

/** One row by `Id` and `_Where`: Code 1 with it, Code 2 when there is none. The first of several in the given order. */
export async function getFormData(call: Call): Promise<DosResult> {
  const form = await openForRead(call);
  const filter = readFilter(form);
  if (filter.where.length === 0) throw new AppError('PARAM_MISSING', { field: 'Id / _Where' });
  const [row] = await form.store.select({
    ...filter,
    columns: selectedColumns(form, form.table),
    sort: sortKeys(form, form.table),
    limit: 1,
    offset: 0,
  });
  if (row === undefined)
    return { Code: 2, Data: null, Msg: describeError({ code: 'ROW_NOT_FOUND', params: {} }, call.lang) };
  return succeed(row);
}

/** Rows with their total before paging. No row is a success with an empty list. */
export async function getTableData(call: Call): Promise<DosResult> {
  const form = await openForRead(call);
  const query = { ...readFilter(form), columns: selectedColumns(form, form.table), sort: sortKeys(form, form.table) };
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

function readFilter(form: FormCall): Filter {
  warnOfIgnoredColumns(form);
  // Listing the recycle bin by a flat IsDeleted comes with soft deletion; ignoring it would list the live rows instead.
  if (readFlag(form, 'IsDeleted')) refuseParam('IsDeleted', 'unsupported', form.lang);
  return { table: form.table.name, where: readConditions(form), includeDeleted: readFlag(form, '_IsContainDeleted') };
}

/** `{State: 'new'}` in a read selects nothing on the platform either; its author should hear of it. */
function warnOfIgnoredColumns(form: FormCall): void {
  const ignored = Object.keys(form.values).filter(
    (key) => key !== 'Id' && key !== 'IsDeleted' && findColumn(form.table, key) !== undefined,
  );
  if (ignored.length === 0) return;
  const names = ignored.join(', ');
  warnAuthor(form.call, {
    zh: `读取 ${form.table.name} 时忽略了 ${names}：列值不是条件，请写进 _Where。`,
    en: `reading ${form.table.name} ignored ${names}: column values are no conditions, put them into _Where.`,
  });
}
