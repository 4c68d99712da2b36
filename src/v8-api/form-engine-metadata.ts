/** V8.FormEngine.GetDiyTable, GetSysConfig, GetSysMenu, GetFieldData: what the designer stored (v8-surface.md 2.2). */
import { type DosResult, fail, succeed } from '../core/dos-result.ts';
import { AppError } from '../core/errors.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import { parseJson } from '../core/json-text.ts';
import type { Row, TableStore } from '../ports/table-store.ts';
import { findColumn } from './form-engine-columns.ts';
import { configOf, fieldRows, findDesigned } from './form-engine-fields.ts';
import { readSettings, tableOfId, textOf } from './form-engine-settings.ts';
import type { Call } from './host-call.ts';
import { checkTenant } from './own-tenant.ts';
import { refuseParam } from './param-rules.ts';
import { asText, type CallParam, isBlank, readText } from './param-values.ts';

/**
 * GetDiyTable(name or Id, osClient?, lang?): the table's row of `diy_table`; one that the designer does not know has
 * its name alone. @throws AppError PARAM_MISSING, TABLE_UNKNOWN, TENANT_MISMATCH.
 */
export async function getDiyTable(call: Call): Promise<DosResult> {
  const [given, osClient] = call.args;
  checkTenant({ OsClient: osClient ?? null }, call.context.tenant);
  const name = asText(given)?.trim() ?? '';
  if (isBlank(name)) throw new AppError('PARAM_MISSING', { field: 'TableName' });
  call.context.touch(name);
  const store = await call.context.tables(call.joins);
  const table = (await store.describe(name)) ?? (await tableOfId(store, name));
  if (table === undefined) throw new AppError('TABLE_UNKNOWN', { table: name });
  const { model } = await readSettings(store, table);
  return succeed({ Name: table.name, ...model });
}

/** GetSysConfig(osClient?, lang?): as `V8.SysConfig`, without what must stay in the host. */
export async function getSysConfig(call: Call): Promise<DosResult> {
  checkTenant({ OsClient: call.args[0] ?? null }, call.context.tenant);
  return succeed(await call.context.sysConfig());
}

const MENUS = 'sys_menu';

/** Columns by which a menu is asked for, where the table has them. */
const MENU_KEYS = ['Id', 'ModuleEngineKey', 'Key'] as const;

/** GetSysMenu(Id or key, osClient?, lang?): the row of `sys_menu`. Code 2 when there is none. @throws AppError TABLE_UNKNOWN. */
export async function getSysMenu(call: Call): Promise<DosResult> {
  const [given, osClient] = call.args;
  checkTenant({ OsClient: osClient ?? null }, call.context.tenant);
  const key = asText(given)?.trim() ?? '';
  if (key === '') throw new AppError('PARAM_MISSING', { field: 'Id' });
  const store = await call.context.tables(call.joins);
  const menus = await store.describe(MENUS);
  if (menus === undefined) throw new AppError('TABLE_UNKNOWN', { table: MENUS });
  for (const column of MENU_KEYS) {
    const found = findColumn(menus, column);
    const row = found && (await firstRow(store, menus.name, { column: found.name, value: key }));
    if (row !== undefined) return succeed(row);
  }
  return { ...fail({ code: 'ROW_NOT_FOUND', params: {} }, call.lang), Code: 2 };
}

async function firstRow(store: TableStore, table: string, is: { column: string; value: string }) {
  const where = [{ glue: 'and', operator: 'eq', ...is }] as const;
  const query = { table, columns: [], where, includeDeleted: false, sort: [], limit: 1, offset: 0 };
  return (await store.select(query))[0];
}

/**
 * GetFieldData({TableName or TableId, Name} or {Id}): the options of a field, from its columns `Data` or
 * `KeyValueList` or from its `Config`. @throws AppError PARAM_*, TABLE_UNKNOWN, COLUMN_UNKNOWN.
 */
export async function getFieldData(call: Call): Promise<DosResult> {
  const [param] = call.args;
  if (!isJsonObject(param)) return refuseParam('param', 'object', call.lang);
  checkTenant(param, call.context.tenant);
  const store = await call.context.tables(call.joins);
  const field = await askedField(store, { values: param, lang: call.lang });
  const config = configOf(field);
  const options = OPTION_PLACES.map((place) => listOf(field[place] ?? config[place])).find(
    (list) => list !== undefined,
  );
  if (options !== undefined) return succeed(options, { DataCount: options.length });
  const isComputed = ['Sql', 'DataSourceId', 'DataSourceApiEngineKey'].some((key) => !isBlank(config[key]));
  if (isComputed) refuseParam(textOf(field, 'Name'), 'fieldBySql', call.lang);
  return succeed([], { DataCount: 0 });
}

/** Where the designer keeps options that people typed in. */
const OPTION_PLACES = ['Data', 'KeyValueList'] as const;

async function askedField(store: TableStore, param: CallParam): Promise<Row> {
  const id = readText(param, 'Id') ?? readText(param, 'FieldId');
  const name = readText(param, 'TableName') ?? readText(param, 'TableId') ?? readText(param, 'FormEngineKey');
  if (id !== undefined) {
    const row = await findDesigned(store, id);
    if (row !== undefined) return row;
    throw new AppError('COLUMN_UNKNOWN', { table: 'diy_field', column: id });
  }
  if (name === undefined) throw new AppError('PARAM_MISSING', { field: 'TableName' });
  const table = (await store.describe(name)) ?? (await tableOfId(store, name));
  if (table === undefined) throw new AppError('TABLE_UNKNOWN', { table: name });
  const field = readText(param, 'Name') ?? readText(param, 'FieldName');
  if (field === undefined) throw new AppError('PARAM_MISSING', { field: 'Name' });
  const rows = await fieldRows({ store, table });
  const row = rows.find((each) => textOf(each, 'Name').toLowerCase() === field.trim().toLowerCase());
  if (row === undefined) throw new AppError('COLUMN_UNKNOWN', { table: table.name, column: field });
  return row;
}

/** A list, also as JSON text. Undefined for everything else, and for an empty one. */
function listOf(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  const parsed = typeof value === 'string' ? parseJson(value) : undefined;
  const list = parsed?.ok === true ? parsed.value : value;
  return Array.isArray(list) && list.length > 0 ? list : undefined;
}
