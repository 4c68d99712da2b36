/** V8.FormEngine.AddFormData, UptFormData(ByWhere), DelFormData(ByWhere) (v8-surface.md 2.2, 2.4). */
import { type DosResult, succeed } from '../core/dos-result.ts';
import { AppError } from '../core/errors.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import type { Filter, Row } from '../ports/table-store.ts';
import { warnAuthor } from './author-warning.ts';
import { findColumn, requireColumn } from './form-engine-columns.ts';
import { eventsOf, formOf, refuseEvents, submit } from './form-engine-events.ts';
import { designedFields, withNumbers, withoutNumbers } from './form-engine-fields.ts';
import { hasId, readIds, requiredWhere } from './form-engine-filter.ts';
import { changedValues, completeNewRow, givenValues, localNow, readRow } from './form-engine-row.ts';
import { readSettings } from './form-engine-settings.ts';
import { type FormCall, openForWrite } from './form-engine-target.ts';
import { assertUnique, assertUniqueOfMany } from './form-engine-unique.ts';
import type { Call, MemberAnswer } from './host-call.ts';
import { refuseParam } from './param-rules.ts';
import { asText, isBlank, readFlag, readText } from './param-values.ts';

/** Inserts one row. Data is the row as it is stored, with Id, times and user. */
export async function addFormData(call: Call): Promise<MemberAnswer> {
  const form = await openForWrite(call);
  const events = await eventsOf(form);
  if (events === undefined) return succeed(await addRow(form));
  const given = formOf(form, givenValues(form));
  const id = findColumn(form.table, 'Id');
  const numbered = id === undefined || id.kind === 'integer';
  const row = numbered || !isBlank(given[id.name]) ? given : { ...given, [id.name]: call.context.ids.ulid() };
  return submit(form, events, {
    action: 'Insert',
    form: row,
    oldForm: {},
    write: async (changed) => {
      const stored = await addRow(changed);
      return { answer: succeed(stored), form: isJsonObject(stored) ? stored : row };
    },
  });
}

async function addRow(form: FormCall): Promise<JsonValue> {
  return asStored(form, await insertRow(form, readRow(form)));
}

/** Updates the row of `Id`. DataCount is the number of matched rows, 0 when there is none. */
export async function uptFormData(call: Call): Promise<MemberAnswer> {
  const form = await openForWrite(call);
  const events = await eventsOf(form);
  if (events === undefined) return answerUpdate(form, updateById);
  const given = formOf(form, givenValues(form));
  const id = asText(given[findColumn(form.table, 'Id')?.name ?? 'Id']);
  const oldForm = id === undefined ? undefined : await rowOfId(form, id);
  // There is nothing to update: what happens then (_NoLineForAdd, Id missing) has no event of an update.
  if (oldForm === undefined) return answerUpdate(form, updateById);
  return submit(form, events, {
    action: 'Update',
    form: given,
    oldForm,
    write: async (changed) => {
      const answer = await answerUpdate(changed, updateById);
      return { answer, form: { ...formOf(changed, changed.values), ...(id === undefined ? {} : { Id: id }) } };
    },
  });
}

/** Updates every row that `_Where` matches. @throws AppError WHERE_REQUIRED without a condition. */
export async function uptFormDataByWhere(call: Call): Promise<DosResult> {
  const form = await openForWrite(call);
  await refuseEvents(form);
  const filter = byWhere(form, 'UptFormDataByWhere');
  // With _NoLineForAdd the Id is that of the row to add.
  if (!readFlag(form, '_NoLineForAdd')) refuseIdAsCondition(form, 'Id');
  const fields = await designedFields(form);
  const row = withoutNumbers(form, fields, readRow(form));
  await assertUniqueOfMany(form, fields, changedValues(form, row), filter);
  return answerUpdate(form, () => update(form, row, filter));
}

/** Deletes the rows of `Id` or `Ids`. DataCount is the number of deleted rows. */
export async function delFormData(call: Call): Promise<MemberAnswer> {
  const form = await openForWrite(call);
  const events = await eventsOf(form);
  if (events === undefined) return succeed(null, { DataCount: await deleteById(form) });
  const ids = idsToDelete(form);
  if (ids.length > 1) await refuseEvents(form);
  const oldForm = ids[0] === undefined ? undefined : await rowOfId(form, ids[0]);
  if (oldForm === undefined) return succeed(null, { DataCount: await deleteById(form) });
  return submit(form, events, {
    action: 'Delete',
    form: oldForm,
    oldForm,
    write: async (same) => ({ answer: succeed(null, { DataCount: await deleteById(same) }), form: oldForm }),
  });
}

/** Deletes every row that `_Where` matches. @throws AppError WHERE_REQUIRED without a condition. */
export async function delFormDataByWhere(call: Call): Promise<DosResult> {
  const form = await openForWrite(call);
  await refuseEvents(form);
  const filter = byWhere(form, 'DelFormDataByWhere');
  refuseIdAsCondition(form, 'Id');
  return succeed(null, { DataCount: await remove(form, filter) });
}

/** Tries to insert a row under a new number. */
const NUMBER_TRIES = 5;

/** What an update did: rows that matched, or the row that was added because none did. */
export type Updated = { readonly matched: number } | { readonly added: Row };

/** Inserts the row with what the platform fills. @returns what was written. */
export async function insertRow(form: FormCall, given: Row): Promise<Row> {
  const fields = await designedFields(form);
  const complete = completeNewRow(form, given);
  if (fields.length === 0) {
    await form.store.insert(form.table.name, complete);
    return complete;
  }
  for (let attempt = 1; ; attempt += 1) {
    const row = await withNumbers(form, fields, complete);
    await assertUnique(form, fields, row);
    try {
      await form.store.insert(form.table.name, row);
      return row;
    } catch (error) {
      // Another run took the number between the look and the insert.
      const isTaken = error instanceof AppError && error.code === 'ROW_NOT_UNIQUE' && attempt < NUMBER_TRIES;
      if (!isTaken || !fields.some(({ column }) => row[column] !== complete[column])) throw error;
    }
  }
}

export async function updateById(form: FormCall): Promise<Updated> {
  const row = readRow(form);
  const id = readText(form, 'Id') ?? idOf(form, row);
  if (id === undefined) throw new AppError('PARAM_MISSING', { field: 'Id' });
  warnOfIgnoredWhere(form, 'UptFormData');
  const fields = await designedFields(form);
  const values = withoutNumbers(form, fields, row);
  if (fields.some(({ column, unique }) => unique !== undefined && values[column] !== undefined)) {
    await assertUnique(form, fields, { ...(await rowOfId(form, id)), ...values }, id);
  }
  return update(form, { ...values, [requireColumn(form.table, 'Id', form)]: id }, byId(form, [id]));
}

/** @returns the number of deleted rows. */
export async function deleteById(form: FormCall): Promise<number> {
  const ids = idsToDelete(form);
  warnOfIgnoredWhere(form, 'DelFormData');
  return remove(form, byId(form, ids));
}

function idsToDelete(form: FormCall): readonly string[] {
  const id = readText(form, 'Id');
  const ids = readIds(form);
  if (id === undefined && ids === undefined) throw new AppError('PARAM_MISSING', { field: 'Id' });
  return [...new Set([...(ids ?? []), ...(id === undefined ? [] : [id])])];
}

async function answerUpdate(form: FormCall, work: (form: FormCall) => Promise<Updated>): Promise<DosResult> {
  const updated = await work(form);
  if ('matched' in updated) return succeed(null, { DataCount: updated.matched });
  return succeed(await asStored(form, updated.added), { DataCount: 1 });
}

async function update(form: FormCall, row: Row, filter: Filter): Promise<Updated> {
  const values = changedValues(form, row);
  const empty = Object.keys(values).length === 0;
  const matched = empty ? await form.store.count(filter) : await form.store.update(filter, values);
  if (matched > 0 || !readFlag(form, '_NoLineForAdd')) return { matched };
  return { added: await insertRow(form, row) };
}

async function asStored(form: FormCall, row: Row): Promise<JsonValue> {
  const id = idOf(form, row);
  if (id === undefined) return row;
  return (await rowOfId(form, id)) ?? row;
}

async function rowOfId(form: FormCall, id: string): Promise<Row | undefined> {
  const [stored] = await form.store.select({ ...byId(form, [id]), columns: [], sort: [], limit: 1, offset: 0 });
  return stored;
}

/** Removes rows, or marks them as deleted where the table has a recycle bin (v8-surface.md 2.6). */
async function remove(form: FormCall, filter: Filter): Promise<number> {
  const { trash } = await readSettings(form.store, form.table);
  if (!trash) return form.store.delete(filter);
  const updated = findColumn(form.table, 'UpdateTime')?.name;
  const mark = { [requireColumn(form.table, 'IsDeleted', form)]: 1 };
  const time = updated === undefined ? {} : { [updated]: localNow(form.call.context) };
  return form.store.update({ ...filter, includeDeleted: false }, { ...mark, ...time });
}

/** By Id a script means exactly this row, in the recycle bin or not: restoring one is an update. */
function byId(form: FormCall, ids: readonly string[]): Filter {
  return { table: form.table.name, where: [hasId(form, ids)], includeDeleted: true };
}

/** By condition a write touches what a read with this condition shows. */
function byWhere(form: FormCall, method: string): Filter {
  const where = requiredWhere(form, method);
  refuseIdAsCondition(form, 'Ids');
  const includeDeleted = readFlag(form, '_IsContainDeleted') || readFlag(form, '_IsTrashRestore');
  return { table: form.table.name, where, includeDeleted };
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
