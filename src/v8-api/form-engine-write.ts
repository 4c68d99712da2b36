/** V8.FormEngine.AddFormData, UptFormData(ByWhere), DelFormData(ByWhere) (v8-surface.md 2.2, 2.4). */
import { type DosResult, succeed } from '../core/dos-result.ts';
import { AppError } from '../core/errors.ts';
import type { JsonValue } from '../core/json.ts';
import type { Condition } from '../core/where.ts';
import type { Filter, Row } from '../ports/table-store.ts';
import { warnAuthor } from './author-warning.ts';
import { findColumn, requireColumn } from './form-engine-columns.ts';
import { hasId, readIds, whereConditions } from './form-engine-filter.ts';
import { changedValues, completeNewRow, readRow } from './form-engine-row.ts';
import { type FormCall, openForWrite } from './form-engine-target.ts';
import type { Call } from './host-call.ts';
import { refuseParam } from './param-rules.ts';
import { isBlank, readFlag, readText } from './param-values.ts';

/** Inserts one row. Data is the row as it is stored, with Id, times and user. */
export async function addFormData(call: Call): Promise<DosResult> {
  const form = await openForWrite(call);
  return succeed(await insertRow(form, readRow(form)));
}

/** Updates the row of `Id`. DataCount is the number of matched rows, 0 when there is none. */
export async function uptFormData(call: Call): Promise<DosResult> {
  const form = await openForWrite(call);
  const row = readRow(form);
  const id = readText(form, 'Id') ?? idOf(form, row);
  if (id === undefined) throw new AppError('PARAM_MISSING', { field: 'Id' });
  warnOfIgnoredWhere(form, 'UptFormData');
  return update(form, { ...row, [requireColumn(form.table, 'Id', form)]: id }, byId(form, [id]));
}

/** Updates every row that `_Where` matches. @throws AppError WHERE_REQUIRED without a condition. */
export async function uptFormDataByWhere(call: Call): Promise<DosResult> {
  const form = await openForWrite(call);
  const filter = byWhere(form, 'UptFormDataByWhere');
  // With _NoLineForAdd the Id is that of the row to add.
  if (!readFlag(form, '_NoLineForAdd')) refuseIdAsCondition(form, 'Id');
  return update(form, readRow(form), filter);
}

/** Deletes the rows of `Id` or `Ids`. DataCount is the number of deleted rows. */
export async function delFormData(call: Call): Promise<DosResult> {
  const form = await openForWrite(call);
  const id = readText(form, 'Id');
  const ids = readIds(form);
  if (id === undefined && ids === undefined) throw new AppError('PARAM_MISSING', { field: 'Id' });
  warnOfIgnoredWhere(form, 'DelFormData');
  const all = new Set([...(ids ?? []), ...(id === undefined ? [] : [id])]);
  return remove(form, byId(form, [...all]));
}

/** Deletes every row that `_Where` matches. @throws AppError WHERE_REQUIRED without a condition. */
export async function delFormDataByWhere(call: Call): Promise<DosResult> {
  const form = await openForWrite(call);
  const filter = byWhere(form, 'DelFormDataByWhere');
  refuseIdAsCondition(form, 'Id');
  return remove(form, filter);
}

async function insertRow(form: FormCall, given: Row): Promise<JsonValue> {
  const row = completeNewRow(form, given);
  await form.store.insert(form.table.name, row);
  const id = idOf(form, row);
  if (id === undefined) return row;
  const [stored] = await form.store.select({ ...byId(form, [id]), columns: [], sort: [], limit: 1, offset: 0 });
  return stored ?? row;
}

async function update(form: FormCall, row: Row, filter: Filter): Promise<DosResult> {
  const values = changedValues(form, row);
  const empty = Object.keys(values).length === 0;
  const matched = empty ? await form.store.count(filter) : await form.store.update(filter, values);
  if (matched > 0 || !readFlag(form, '_NoLineForAdd')) return succeed(null, { DataCount: matched });
  return succeed(await insertRow(form, row), { DataCount: 1 });
}

async function remove(form: FormCall, filter: Filter): Promise<DosResult> {
  return succeed(null, { DataCount: await form.store.delete(filter) });
}

/** By Id a script means exactly this row, in the recycle bin or not: restoring one is an update. */
function byId(form: FormCall, ids: readonly string[]): Filter {
  return { table: form.table.name, where: [hasId(form, ids)], includeDeleted: true };
}

/** By condition a write touches what a read with this condition shows. */
function byWhere(form: FormCall, method: string): Filter {
  const where: readonly Condition[] = whereConditions(form);
  if (where.length === 0) throw new AppError('WHERE_REQUIRED', { method });
  refuseIdAsCondition(form, 'Ids');
  return { table: form.table.name, where, includeDeleted: readFlag(form, '_IsContainDeleted') };
}

function refuseIdAsCondition(form: FormCall, key: 'Id' | 'Ids'): void {
  if (!isBlank(form.values[key])) refuseParam(key, 'idIsNoCondition', form.lang);
}

function idOf(form: FormCall, row: Row): string | undefined {
  const column = findColumn(form.table, 'Id');
  const id = column === undefined ? undefined : row[column.name];
  return id === undefined || id === null || id === '' ? undefined : String(id);
}

/** Ignored as on the platform (v8-surface.md 2.2), but not silently: its author thought the write was conditional. */
function warnOfIgnoredWhere(form: FormCall, method: string): void {
  if (isBlank(form.values._Where)) return;
  warnAuthor(form.call, {
    zh: `${method} 忽略 _Where：按条件写入请用 ${method}ByWhere。`,
    en: `${method} ignores _Where: use ${method}ByWhere to write by condition.`,
  });
}
