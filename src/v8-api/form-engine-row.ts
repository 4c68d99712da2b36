/** The row a script wants to write: its column values, and the columns the platform fills. */
import type { JsonObject, JsonValue } from '../core/json.ts';
import type { SqlValue } from '../core/sql-value.ts';
import type { RunContext } from '../ports/run-context.ts';
import type { Row } from '../ports/table-store.ts';
import { findColumn } from './form-engine-columns.ts';
import type { FormCall } from './form-engine-target.ts';
import { columnValue } from './form-engine-value.ts';
import { refuseParam } from './param-rules.ts';
import { readNames, readObject } from './param-values.ts';

/**
 * Column values of the flat form and of `_FormData` (or `_RowModel`), which wins. Keys that are no columns are
 * dropped: scripts pass parameters of many purposes (v8-surface.md 2.5).
 * @throws AppError PARAM_INVALID naming the column whose value cannot be stored.
 */
export function readRow(form: FormCall): Row {
  const skipped = (readNames(form, '_NotSaveField') ?? []).map((name) => name.toLowerCase());
  const row: Record<string, SqlValue> = {};
  for (const [key, value] of Object.entries(givenValues(form))) {
    const column = key.startsWith('_') || value === undefined ? undefined : findColumn(form.table, key);
    if (column === undefined || skipped.includes(column.name.toLowerCase())) continue;
    if (Object.hasOwn(row, column.name)) refuseParam(key, 'columnTwice', form.lang);
    row[column.name] = columnValue(column, key, value as JsonValue, form);
  }
  return row;
}

/** The flat form and the nested ones as one, keys as they were given. */
export function givenValues(form: FormCall): JsonObject {
  const nested = { ...readObject(form, '_RowModel'), ...readObject(form, '_FormData') };
  return { ...form.values, ...nested };
}

/** Fixed columns that a script's blank value does not keep from being filled. */
type Fill = readonly [column: string, keepBlank: boolean, make: () => SqlValue];

/** Adds what every new row has (v8-surface.md 2.5). Values the script gave win. */
export function completeNewRow(form: FormCall, row: Row): Row {
  const { context } = form.call;
  const complete: Record<string, SqlValue> = { ...row };
  for (const [name, keepBlank, make] of fillsOf(context)) {
    const column = findColumn(form.table, name);
    if (column === undefined) continue;
    // A table of another system may number its rows itself.
    if (name === 'Id' && column.kind === 'integer') continue;
    const given = complete[column.name];
    const missing = given === undefined || (!keepBlank && (given === null || given === ''));
    if (missing) complete[column.name] = make();
  }
  return complete;
}

function fillsOf(context: RunContext): readonly Fill[] {
  const now = localNow(context);
  return [
    ['Id', false, () => context.ids.ulid()],
    ['CreateTime', false, () => now],
    ['UpdateTime', false, () => now],
    ['UserId', true, () => context.user?.id ?? ''],
    ['UserName', true, () => context.user?.name ?? ''],
    ['IsDeleted', false, () => 0],
  ];
}

/** What an update writes: the given columns without the Id, and a fresh UpdateTime. */
export function changedValues(form: FormCall, row: Row): Row {
  const id = findColumn(form.table, 'Id')?.name;
  const updated = findColumn(form.table, 'UpdateTime')?.name;
  const values = Object.fromEntries(Object.entries(row).filter(([column]) => column !== id));
  // A row that was read and is written back carries its old UpdateTime, so the given one does not win here.
  return updated === undefined ? values : { ...values, [updated]: localNow(form.call.context) };
}

export function localNow(context: RunContext): string {
  return context.clock.localText(context.clock.now());
}
