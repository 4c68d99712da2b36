import { type Caller, refusalOf } from '../core/access.ts';
import type { EngineSource } from '../core/engine.ts';
import { NO_ENGINE_LIMITS } from '../core/engine-limits.ts';
import { type EntrySources, entryValue, ownParams } from '../core/entry-param.ts';
import { type FormMethod, isReading } from '../core/entry-path.ts';
import { AppError } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';

/** A FormEngine method called over HTTP. */
export interface FormCall {
  readonly method: FormMethod;
  /** Table in the path. */
  readonly table: string | undefined;
  readonly sources: EntrySources;
}

/** Methods whose one argument is a list of rows; over HTTP the body is that list. */
const BATCHES: ReadonlySet<FormMethod> = new Set(['AddTableData', 'UptTableData', 'DelTableData']);

/** What a client may not decide: over HTTP the events of tables always run (v8-surface.md 2.8). */
const SWITCHES = ['_RunV8Event', '_InvokeType', '_CurrentUser', '_TrustedServerInvocation'];

/** Of the host's own scripts: another text gets another version. */
const VERSION = 'form-twin-1';

/**
 * The script of a FormEngine twin: over HTTP a method runs as it does in a script, in the same sandbox, limits and
 * transaction. Reads need no transaction; a write and its table events have one.
 */
export function formTwin(method: FormMethod): EngineSource {
  const key = `FormEngine-${method}`;
  const argument = BATCHES.has(method) ? 'V8.Param.Rows' : 'V8.Param';
  const source = isReading(method)
    ? `return V8.FormEngine.${method}(${argument});`
    : `return V8.FormEngine.${method}(${argument}, V8.DbTrans);`;
  return { key, name: key, source, version: VERSION, enabled: true, stopHttp: false, limits: NO_ENGINE_LIMITS };
}

/** Refuses callers who may not read or write tables. @throws AppError ENTRY_LOGIN, ENTRY_FORM_ROLE. */
export function admitToTables(caller: Caller | undefined, method: FormMethod): void {
  if (caller === undefined) throw new AppError('ENTRY_LOGIN');
  const refusal = refusalOf(caller, isReading(method) ? 'table.read' : 'table.write');
  if (refusal !== undefined) throw new AppError('ENTRY_FORM_ROLE', { method });
}

/** `V8.Param` of a twin's script. @throws AppError PARAM_INVALID for a batch without rows. */
export function formParam({ method, table, sources }: FormCall): JsonObject {
  if (BATCHES.has(method)) {
    const rows = sources.rows;
    if (rows === undefined) throw new AppError('REQUEST_INVALID', { field: 'body', rule: '[{"FormEngineKey": …}, …]' });
    return { Rows: rowsAsClient(rows) };
  }
  const key = table ?? entryValue(sources, 'FormEngineKey');
  const own = asClient(ownParams(sources));
  return { ...own, ...listsAsClient(own, method), ...(key === undefined ? {} : { FormEngineKey: key }) };
}

/** SaveBatch has its rows in lists. */
function listsAsClient({ AddList: added, UptList: updated }: JsonObject, method: FormMethod): JsonObject {
  if (method !== 'SaveBatch') return {};
  return { AddList: rowsAsClient(added), UptList: rowsAsClient(updated) };
}

function rowsAsClient(rows: JsonValue | undefined): JsonValue {
  return Array.isArray(rows) ? rows.map((row) => (isJsonObject(row) ? asClient(row) : row)) : (rows ?? []);
}

function asClient(values: JsonObject): JsonObject {
  const own = Object.entries(values).filter(([name]) => !SWITCHES.includes(name));
  return { ...Object.fromEntries(own), _InvokeType: 'Client' };
}
