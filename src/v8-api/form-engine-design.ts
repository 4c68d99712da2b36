/** V8.FormEngine.AddTable, AddField, UptField, LoadNotDiyTable: the shape of the tenant's tables (v8-surface.md 2.2, 2.5). */
import { type DosResult, succeed } from '../core/dos-result.ts';
import { AppError, orThrow } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { type DesignType, parseDesignType, parseFieldName, parseTableName } from '../core/table-design.ts';
import type { Row, TableInfo, TableStore } from '../ports/table-store.ts';
import { findColumn } from './form-engine-columns.ts';
import { fieldRows, findDesigned } from './form-engine-fields.ts';
import { completeNewRow, readRow } from './form-engine-row.ts';
import { readSettings, tableOfId, textOf } from './form-engine-settings.ts';
import type { FormCall } from './form-engine-target.ts';
import type { Call } from './host-call.ts';
import { checkTenant } from './own-tenant.ts';
import { refuseParam } from './param-rules.ts';
import { isBlank, readFlag, readText } from './param-values.ts';

const TABLES = 'diy_table';
const FIELDS = 'diy_field';
const LABEL_LENGTH = 60;

/** Components of the designer that no column stands behind (v8-surface.md 2.5). */
const WITHOUT_COLUMN: ReadonlySet<string> = new Set(
  'divider button tablechild collapsegroup tabs alert statictext html opentable phonesms'.split(' '),
);

/** The parameters of a change, and the rows it reads and writes beside the tables themselves. */
interface Change {
  readonly call: Call;
  readonly values: JsonObject;
  readonly lang: Call['lang'];
  readonly store: TableStore;
}

/**
 * AddTable({Name, Description?, …}): makes the table with its fixed columns, and the designer's row for it. Data has
 * Name and Id. @throws AppError PARAM_*, TABLE_EXISTS, TABLE_IN_TRANSACTION.
 */
export async function addTable(call: Call): Promise<DosResult> {
  const change = await open(call);
  const name = orThrow(parseTableName(required(change, 'Name', 'TableName'), change.lang));
  await designerOf(call, 'AddTable').createTable(name);
  const id = readFlag(change, '_OnlyCreateTable') ? null : await describeTable(change, name);
  return succeed({ Name: name, Id: id });
}

/**
 * AddField({TableName or TableId, Name, Type, Label?, Component?, …}): adds the column, and the designer's row for it.
 * A component without a column has the row alone. Data has Name and Id. @throws AppError also COLUMN_EXISTS, TABLE_FULL.
 */
export async function addField(call: Call): Promise<DosResult> {
  const change = await open(call);
  const table = await tableOf(change);
  const name = orThrow(parseFieldName(required(change, 'Name'), change.lang));
  checkLabel(change);
  const type = typeOf(change);
  const designer = designerOf(call, 'AddField');
  if (type !== undefined) await designer.addColumn(table.name, { name, type });
  const id = readFlag(change, '_OnlyCreateField') ? null : await describeField(change, table, name);
  return succeed({ Name: name, Id: id });
}

/**
 * UptField({TableName or TableId, Name, …} or {Id, …}): changes what the designer says, and lets the column hold more
 * when `Type` asks for it. A column keeps its name. @throws AppError also COLUMN_UNKNOWN, COLUMN_TYPE.
 */
export async function uptField(call: Call): Promise<DosResult> {
  const change = await open(call);
  const { table, field, name } = await fieldOf(change);
  checkLabel(change);
  const designer = designerOf(call, 'UptField');
  const declared = readText(change, 'Type');
  const isColumn = findColumn(table, name) !== undefined;
  if (!isColumn && field === undefined) throw new AppError('COLUMN_UNKNOWN', { table: table.name, column: name });
  if (isColumn && declared !== undefined) {
    await designer.widenColumn(table.name, { name, type: orThrow(parseDesignType(declared, change.lang)) });
  }
  if (readFlag(change, '_OnlyCreateField') || field === undefined)
    return succeed(null, { DataCount: isColumn ? 1 : 0 });
  const rows = await formOf(change, FIELDS, { ...change.values, Name: name });
  const given = rows === undefined ? {} : without(readRow(rows), ['Id', 'TableId', 'TableName']);
  if (rows === undefined || Object.keys(given).length === 0) return succeed(null, { DataCount: 1 });
  const where = [{ glue: 'and', column: 'Id', operator: 'eq', value: textOf(field, 'Id') }] as const;
  await change.store.update({ table: rows.table.name, where, includeDeleted: false }, given);
  return succeed(null, { DataCount: 1 });
}

/** LoadNotDiyTable({TableName}): the designer's rows for a table that is there without them. */
export async function loadNotDiyTable(call: Call): Promise<DosResult> {
  const change = await open(call);
  const name = required(change, 'TableName', 'Name');
  const table = await change.store.describe(name);
  if (table === undefined) throw new AppError('TABLE_UNKNOWN', { table: name });
  if (!table.writable) throw new AppError('TABLE_READ_ONLY', { table: table.name });
  const known = textOf((await readSettings(change.store, table)).model, 'Id');
  const id = known === '' ? await describeTable(change, table.name) : known;
  const described = new Set(
    (await fieldRows({ store: change.store, table })).map((row) => textOf(row, 'Name').toLowerCase()),
  );
  const missing = table.columns.filter((column) => !described.has(column.name.toLowerCase()));
  for (const column of missing) await describeField({ ...change, values: { Label: column.name } }, table, column.name);
  return succeed({ Name: table.name, Id: id }, { DataCount: missing.length });
}

async function open(call: Call): Promise<Change> {
  const [values] = call.args;
  if (!isJsonObject(values)) return refuseParam('param', 'object', call.lang);
  checkTenant(values, call.context.tenant);
  return { call, values, lang: call.lang, store: await call.context.tables(false) };
}

/** `V8.DbTrans` among the arguments asks for what cannot be. */
function designerOf(call: Call, method: string) {
  if (call.joins) throw new AppError('TABLE_IN_TRANSACTION', { method });
  return call.context.designer(method);
}

function required(change: Change, ...keys: readonly string[]): string {
  for (const key of keys) {
    const text = readText(change, key)?.trim();
    if (text !== undefined) return text;
  }
  throw new AppError('PARAM_MISSING', { field: keys[0] ?? '' });
}

async function tableOf(change: Change): Promise<TableInfo> {
  const name = required(change, 'TableName', 'TableId', 'FormEngineKey');
  change.call.context.touch(name);
  const { store } = change;
  const table = (await store.describe(name)) ?? (await tableOfId(store, name));
  if (table === undefined) throw new AppError('TABLE_UNKNOWN', { table: name });
  if (!table.writable) throw new AppError('TABLE_READ_ONLY', { table: table.name });
  return table;
}

/** The field of `Id`, or of a table and a name. */
async function fieldOf(change: Change): Promise<{ table: TableInfo; field: Row | undefined; name: string }> {
  const id = readText(change, 'Id')?.trim();
  if (id === undefined) {
    const table = await tableOf(change);
    const name = required(change, 'Name');
    const rows = await fieldRows({ store: change.store, table });
    return { table, name, field: rows.find((row) => textOf(row, 'Name').toLowerCase() === name.toLowerCase()) };
  }
  const field = await findDesigned(change.store, id);
  if (field === undefined) throw new AppError('COLUMN_UNKNOWN', { table: FIELDS, column: id });
  const owner = { TableName: textOf(field, 'TableName') || textOf(field, 'TableId') };
  return { table: await tableOf({ ...change, values: owner }), field, name: textOf(field, 'Name') };
}

function checkLabel(change: Change): void {
  const label = readText(change, 'Label');
  if (label !== undefined && label.length > LABEL_LENGTH) refuseParam('Label', 'labelLength', change.lang);
}

function typeOf(change: Change): DesignType | undefined {
  const component = (readText(change, 'Component') ?? '').toLowerCase();
  if (WITHOUT_COLUMN.has(component)) return undefined;
  if (component === 'devcomponent' && isBlank(change.values.Type)) return undefined;
  return orThrow(parseDesignType(required(change, 'Type'), change.lang));
}

/** Writes the designer's row of a table. @returns its Id; null where there is no designer. */
function describeTable(change: Change, name: string): Promise<string | null> {
  return describe(change, TABLES, { ...change.values, Name: name });
}

async function describeField(change: Change, table: TableInfo, name: string): Promise<string | null> {
  const { model } = await readSettings(change.store, table);
  const owner = { TableId: textOf(model, 'Id'), TableName: table.name };
  return describe(change, FIELDS, { ...without(change.values, ['Id']), ...owner, Name: name });
}

async function describe(change: Change, table: string, values: JsonObject): Promise<string | null> {
  const form = await formOf(change, table, values);
  if (form === undefined) return null;
  const row = completeNewRow(form, readRow(form));
  await change.store.insert(form.table.name, row);
  return textOf(row, findColumn(form.table, 'Id')?.name ?? 'Id');
}

async function formOf(change: Change, name: string, values: JsonObject): Promise<FormCall | undefined> {
  const table = await change.store.describe(name);
  return table === undefined ? undefined : { ...change, table, values };
}

function without<T extends Row | JsonObject>(values: T, names: readonly string[]): T {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name))) as T;
}
