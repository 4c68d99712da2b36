/** What a FormEngine call is about: its parameters and its table, from any of the argument forms (v8-surface.md 2.1). */
import { AppError } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { TableInfo, TableStore } from '../ports/table-store.ts';
import { checkKeys } from './form-engine-keys.ts';
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

/** Names of the table key in the one-argument form; the first one given counts. */
const TABLE_KEYS = ['FormEngineKey', '_FormEngineKey', 'TableName', '_TableName', 'TableId', '_TableId'] as const;

/** Keys that address the call and are never column values. */
const ADDRESS_KEYS = ['FormEngineKey', '_FormEngineKey', 'OsClient', '_OsClient'] as const;

/**
 * Opens the table a call names, for reading.
 * @throws AppError PARAM_MISSING, PARAM_INVALID, TENANT_MISMATCH, TABLE_UNKNOWN, or what the store throws.
 */
export async function openForRead(call: Call): Promise<FormCall> {
  const { name, values } = readTarget(call);
  const param: CallParam = { values, lang: call.lang };
  checkKeys(param);
  call.context.touch(name);
  const store = await call.context.tables(call.joins);
  const table = await store.describe(name);
  if (table === undefined) throw new AppError('TABLE_UNKNOWN', { table: name });
  return { ...param, call, table, store };
}

/** The same for a write. @throws AppError also TABLE_READ_ONLY. */
export async function openForWrite(call: Call): Promise<FormCall> {
  const form = await openForRead(call);
  if (!form.table.writable) throw new AppError('TABLE_READ_ONLY', { table: form.table.name });
  return form;
}

function readTarget(call: Call): { name: string; values: JsonObject } {
  const [first, second] = call.args;
  const named = !isJsonObject(first);
  const given = readParam(named ? second : first, call);
  checkTenant(given, call.context.tenant);
  const key = named ? undefined : TABLE_KEYS.find((candidate) => !isBlank(given[candidate]));
  const name = named ? first : key === undefined ? undefined : given[key];
  if (isBlank(name)) throw new AppError('PARAM_MISSING', { field: 'FormEngineKey' });
  const text = asText(name) ?? refuseParam(key ?? 'FormEngineKey', 'scalarText', call.lang);
  // TableId and TableName are columns of some tables, so only the key that named the table is taken away.
  return { name: text.trim(), values: without(given, key === undefined ? ADDRESS_KEYS : [...ADDRESS_KEYS, key]) };
}

function readParam(value: JsonValue | undefined, call: Call): JsonObject {
  if (isBlank(value)) return {};
  return isJsonObject(value) ? value : refuseParam('param', 'object', call.lang);
}

function without(values: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !keys.includes(key)));
}
