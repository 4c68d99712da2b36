/** Table events around a write (v8-surface.md 2.8, 5.7): before it, after it, and nothing of it when one of them refuses. */

import type { DosResult } from '../core/dos-result.ts';
import { decodeEngineSource } from '../core/engine-source.ts';
import type { JsonObject } from '../core/json.ts';
import type { HostCallAnswer } from '../ports/engine-runner.ts';
import type { TableEventCall, TableEventEnd, TableEventName } from '../ports/table-events.ts';
import { findColumn } from './form-engine-columns.ts';
import { asksForEvents } from './form-engine-keys.ts';
import { readSettings, type TableSettings, textOf } from './form-engine-settings.ts';
import type { FormCall } from './form-engine-target.ts';
import { answered } from './host-call.ts';
import { openGroup } from './open-group.ts';
import { refuseParam } from './param-rules.ts';

/** Code of a table's events; undefined where it has none. */
export interface TableEvents {
  readonly settings: TableSettings;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly filter: string | undefined;
}

/** The events that this call fires; undefined when it fires none. */
export async function eventsOf(form: FormCall): Promise<TableEvents | undefined> {
  if (!asksForEvents(form)) return undefined;
  const settings = await readSettings(form.store, form.table);
  const code = (name: TableEventName): string | undefined => {
    const source = decodeEngineSource(textOf(settings.model, name));
    return source.trim() === '' ? undefined : source;
  };
  const events = {
    settings,
    before: code('SubmitBeforeServerV8'),
    after: code('SubmitAfterServerV8'),
    filter: code('ServerDataV8'),
  };
  return events.before === undefined && events.after === undefined && events.filter === undefined ? undefined : events;
}

/** For writes that touch many rows, where events would have to be left out. @throws AppError PARAM_INVALID. */
export async function refuseEvents(form: FormCall): Promise<void> {
  const events = await eventsOf(form);
  if (events?.before === undefined && events?.after === undefined) return;
  refuseParam('_InvokeType', 'eventsOfOneRow', form.lang);
}

/** A write with what its events see of it. */
export interface Submission {
  readonly action: 'Insert' | 'Update' | 'Delete';
  readonly form: JsonObject;
  readonly oldForm: JsonObject;
  /** Writes the row, and says what events see of it afterwards. The call's values are those the event left. */
  readonly write: (form: FormCall) => Promise<{ readonly answer: DosResult; readonly form: JsonObject }>;
}

/**
 * Fires the events around a write. All of it is in the run's platform transaction; an event that refuses or fails takes
 * the write with it.
 */
export async function submit(
  asked: FormCall,
  events: TableEvents,
  submission: Submission,
): Promise<HostCallAnswer | DosResult> {
  const form = { ...asked, store: await asked.call.context.tables(true) };
  if (events.before === undefined) return writeAndTell(form, events, submission);
  const { action, form: row, oldForm } = submission;
  const input = { Form: row, OldForm: oldForm, FormSubmitAction: action, TableModel: events.settings.model };
  return fire(form, { name: 'SubmitBeforeServerV8', source: events.before, input }, async (end) => {
    if (!end.ok) return end.result;
    return writeAndTell(action === 'Delete' ? form : changedBy(form, end), events, submission);
  });
}

/** The call with the row as the event left it: `V8.Form` is what is written. */
function changedBy(form: FormCall, { form: row, notSaveField }: Extract<TableEventEnd, { ok: true }>): FormCall {
  const own = Object.entries(form.values).filter(([key]) => key.startsWith('_') && !NESTED.has(key));
  const given = form.values._NotSaveField;
  const skipped = [...(Array.isArray(given) ? given : []), ...notSaveField];
  return {
    ...form,
    values: { ...row, ...Object.fromEntries(own), ...(skipped.length > 0 ? { _NotSaveField: skipped } : {}) },
  };
}

const NESTED: ReadonlySet<string> = new Set(['_FormData', '_RowModel']);

async function writeAndTell(
  form: FormCall,
  { after, settings }: TableEvents,
  { action, oldForm, write }: Submission,
): Promise<HostCallAnswer | DosResult> {
  if (after === undefined) return (await write(form)).answer;
  const group = await openGroup(form.store, (store) => write({ ...form, store }));
  const input = { Form: group.value.form, OldForm: oldForm, FormSubmitAction: action, TableModel: settings.model };
  return fire(form, { name: 'SubmitAfterServerV8', source: after, input }, async (end) => {
    await group.end(end.ok);
    return end.ok ? group.value.answer : end.result;
  });
}

/** Runs one event and goes on after it. */
export function fire(
  { call, table, values }: FormCall,
  event: Pick<TableEventCall, 'name' | 'source' | 'input'>,
  then: (end: TableEventEnd) => Promise<HostCallAnswer | DosResult>,
): Promise<HostCallAnswer> {
  return call.context.runTableEvent({ ...event, table: table.name, param: values }, (end) =>
    answered(call, () => then(end)),
  );
}

/** A row as events see it: the given values under the names of their columns. */
export function formOf(form: FormCall, given: JsonObject): JsonObject {
  const named = Object.entries(given).flatMap(([key, value]) => {
    const column = key.startsWith('_') ? undefined : findColumn(form.table, key);
    return column === undefined ? [] : [[column.name, value] as const];
  });
  return Object.fromEntries(named) as JsonObject;
}
