/** What a FormEngine call is about: its parameters and its table, from any of the argument forms (v8-surface.md 2.1). */
import { AppError } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { TableInfo, TableStore } from '../ports/table-store.ts';
import { type CallKind, checkKeys } from './form-engine-keys.ts';
import { tableOfId } from './form-engine-settings.ts';
import type { Call } from './host-call.ts';
import { checkTenant } from './own-tenant.ts';
import { refuseParam } from './param-rules.ts';
import { asText, type CallParam, isBlank } from './param-values.ts';

/** A checked FormEngine call. */
export interface FormCall extends CallParam {
  readonly call: Call;
  readonly table: TableInfo;
  readonly store: TableStore;
}

/** A table as it was asked for, and the parameters without the keys that address it. */
export interface FormTarget {
  readonly name: string;
  readonly values: JsonObject;
}

/** Names of the table key in the one-argument form; the first one given counts. */
const TABLE_KEYS = ['FormEngineKey', '_FormEngineKey', 'TableName', '_TableName', 'TableId', '_TableId'] as const;

/** Keys that address the call and are never column values. */
const ADDRESS_KEYS = ['FormEngineKey', '_FormEngineKey', 'OsClient', '_OsClient'] as const;

/**
 * Opens the table a call names, for reading.
 * @throws AppError PARAM_MISSING, PARAM_INVALID, TENANT_MISMATCH, TABLE_UNKNOWN, or what the store throws.
 */
export async function openForRead(call: Call, kind: CallKind = 'read'): Promise<FormCall> {
  const target = readTarget(call);
  checkKeys({ values: target.values, lang: call.lang }, kind);
  return openTable(call, target, await call.context.tables(call.joins));
}

/** The same for a write. @throws AppError also TABLE_READ_ONLY. */
export async function openForWrite(call: Call): Promise<FormCall> {
  return writable(await openForRead(call, 'write'));
}

/** Opens the table of one row of a batch, for writing. @param otherwise the table of rows that name none. */
export async function openRow(
  call: Call,
  row: JsonObject,
  store: TableStore,
  otherwise: JsonValue | undefined,
): Promise<FormCall> {
  const target = targetOf(call, row, otherwise);
  checkKeys({ values: target.values, lang: call.lang }, 'write');
  return writable(await openTable(call, target, store));
}

async function openTable(call: Call, { name, values }: FormTarget, store: TableStore): Promise<FormCall> {
  call.context.touch(name);
  const table = (await store.describe(name)) ?? (await tableOfId(store, name));
  if (table === undefined) throw new AppError('TABLE_UNKNOWN', { table: name });
  return { values, lang: call.lang, call, table, store };
}

function writable(form: FormCall): FormCall {
  if (!form.table.writable) throw new AppError('TABLE_READ_ONLY', { table: form.table.name });
  return form;
}

function readTarget(call: Call): FormTarget {
  const [first, second] = call.args;
  if (isJsonObject(first)) return targetOf(call, first, undefined);
  const param = isBlank(second) ? {} : second;
  return targetOf(call, isJsonObject(param) ? param : refuseParam('param', 'object', call.lang), first ?? '');
}

/** @param given the table's name where it is an argument of its own; the keys inside are then ordinary values. */
function targetOf(call: Call, param: JsonObject, given: JsonValue | undefined): FormTarget {
  checkTenant(param, call.context.tenant);
  const key = given === undefined ? TABLE_KEYS.find((candidate) => !isBlank(param[candidate])) : undefined;
  const name = key === undefined ? given : param[key];
  if (isBlank(name)) throw new AppError('PARAM_MISSING', { field: 'FormEngineKey' });
  const text = asText(name) ?? refuseParam(key ?? 'FormEngineKey', 'scalarText', call.lang);
  // TableId and TableName are columns of some tables, so only the key that named the table is taken away.
  return { name: text.trim(), values: without(param, key === undefined ? ADDRESS_KEYS : [...ADDRESS_KEYS, key]) };
}

function without(values: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !keys.includes(key)));
}
