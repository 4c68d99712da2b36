/** V8.FormEngine.AddTableData, UptTableData, DelTableData, SaveBatch: many rows, all or none (v8-surface.md 2.2, defaults.md 10.3). */
import { type DosResult, fail, succeed } from '../core/dos-result.ts';
import { AppError, coerceError } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { SqlValue } from '../core/sql-value.ts';
import type { TableStore } from '../ports/table-store.ts';
import { findColumn } from './form-engine-columns.ts';
import { refuseEvents } from './form-engine-events.ts';
import { readRow } from './form-engine-row.ts';
import { type FormCall, openRow } from './form-engine-target.ts';
import { deleteById, insertRow, updateById } from './form-engine-write.ts';
import type { Call } from './host-call.ts';
import { checkTenant } from './own-tenant.ts';
import { refuseParam } from './param-rules.ts';
import { isBlank } from './param-values.ts';

/** Most rows of one batch. */
const MAX_ROWS = 10_000;

/** After so many rows the host turns to others for a moment: an embedded database never makes it wait by itself. */
const ROWS_AT_A_TIME = 100;

/** Writes one row. @returns the number of rows it touched, and the Id of an added one. */
type WriteRow = (form: FormCall) => Promise<{ readonly count: number; readonly id?: SqlValue }>;

const ADD: WriteRow = async (form) => {
  const row = await insertRow(form, readRow(form));
  return { count: 1, id: row[findColumn(form.table, 'Id')?.name ?? ''] ?? null };
};

const UPDATE: WriteRow = async (form) => {
  const updated = await updateById(form);
  return { count: 'matched' in updated ? updated.matched : 1 };
};

const DELETE: WriteRow = async (form) => ({ count: await deleteById(form) });

/** Inserts rows of any tables. Data has their Ids in order. */
export function addTableData(call: Call): Promise<DosResult> {
  return writeRows(call, ADD);
}

/** Updates rows by their Ids. DataCount is the number of matched or added rows. */
export function uptTableData(call: Call): Promise<DosResult> {
  return writeRows(call, UPDATE);
}

/** Deletes rows by their Ids. DataCount is the number of deleted rows. */
export function delTableData(call: Call): Promise<DosResult> {
  return writeRows(call, DELETE);
}

/**
 * SaveBatch({FormEngineKey?, AddList?, UptList?}): inserts the rows of AddList, then updates those of UptList. Data has
 * the Ids of the inserted ones, DataCount all rows.
 */
export async function saveBatch(call: Call): Promise<DosResult> {
  const [param] = call.args;
  if (!isJsonObject(param)) return refuseParam('param', 'batchLists', call.lang);
  checkTenant(param, call.context.tenant);
  const table = isBlank(param.FormEngineKey) ? undefined : param.FormEngineKey;
  const added = listOf(call, param, 'AddList').map((row) => ({ row, write: ADD }));
  const updated = listOf(call, param, 'UptList').map((row) => ({ row, write: UPDATE }));
  if (added.length + updated.length === 0) refuseParam('param', 'batchLists', call.lang);
  if (added.length + updated.length > MAX_ROWS) refuseParam('UptList', 'rowCount', call.lang);
  return writeBatch(call, [...added, ...updated], table);
}

function listOf(call: Call, param: JsonObject, key: 'AddList' | 'UptList'): readonly JsonValue[] {
  const list = param[key];
  if (isBlank(list)) return [];
  return Array.isArray(list) ? list : refuseParam(key, 'rowList', call.lang);
}

function writeRows(call: Call, write: WriteRow): Promise<DosResult> {
  const { rows, table } = readRows(call);
  return writeBatch(
    call,
    rows.map((row) => ({ row, write })),
    table,
  );
}

/** A row of a batch, and what is done with it. */
interface BatchRow {
  readonly row: JsonValue;
  readonly write: WriteRow;
}

async function writeBatch(call: Call, rows: readonly BatchRow[], table: JsonValue | undefined): Promise<DosResult> {
  if (rows.length === 0) return succeed([], { DataCount: 0 });
  let at = 0;
  try {
    const store = await call.context.tables(call.joins);
    return await store.allOrNothing(async (tables) => {
      const ids: JsonValue[] = [];
      let count = 0;
      for (const row of rows) {
        at += 1;
        if (at % ROWS_AT_A_TIME === 0) await call.context.clock.sleep(0);
        const written = await writeRow(call, row, tables, table);
        count += written.count;
        if (written.id !== undefined) ids.push(written.id);
      }
      assertRunning(call);
      return succeed(ids, { DataCount: count });
    });
  } catch (thrown) {
    return refuseBatch(call, coerceError(thrown), at);
  }
}

async function writeRow(
  call: Call,
  { row, write }: BatchRow,
  tables: TableStore,
  table: JsonValue | undefined,
): ReturnType<WriteRow> {
  assertRunning(call);
  const given: JsonObject = isJsonObject(row) ? row : refuseParam('rows', 'object', call.lang);
  const form = await openRow(call, given, tables, table);
  await refuseEvents(form);
  return write(form);
}

/** A run that ended must not go on writing: what it wrote is rolled back. */
function assertRunning(call: Call): void {
  if (call.context.signal.aborted) throw new AppError('DB_TX_LOST');
}

/** `([row, …])`, and `(table, [row, …])` as one guide of the platform writes it. */
function readRows(call: Call): { rows: readonly JsonValue[]; table: JsonValue | undefined } {
  const [first, second] = call.args;
  const [rows, table] = Array.isArray(first) ? [first, undefined] : [second, first];
  if (!Array.isArray(rows)) return refuseParam('rows', 'rowList', call.lang);
  if (rows.length > MAX_ROWS) return refuseParam('rows', 'rowCount', call.lang);
  return { rows, table: isBlank(table) ? undefined : table };
}

/** A row's own fault names the row; nothing of the batch was stored. */
function refuseBatch(call: Call, error: AppError, at: number): DosResult {
  const isFaultOfRow = at > 0 && ROW_FAULTS.has(error.code);
  if (!isFaultOfRow) throw error;
  const failure = fail(error.toRecord(), call.lang);
  const place = call.lang === 'zh' ? `第 ${at} 行：` : `row ${at}: `;
  return { ...failure, Msg: place + failure.Msg, DataAppend: { RowIndex: at - 1 } };
}

const ROW_FAULTS: ReadonlySet<string> = new Set([
  'PARAM_MISSING',
  'PARAM_INVALID',
  'TENANT_MISMATCH',
  'TABLE_UNKNOWN',
  'TABLE_READ_ONLY',
  'ROW_NOT_UNIQUE',
  'DB_STATEMENT',
]);
