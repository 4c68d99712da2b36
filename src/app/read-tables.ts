import type { ErrorRecord } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { parseJson } from '../core/json-text.ts';
import { tableAccess } from '../core/protected-tables.ts';
import type { TableDefinition } from '../ports/tenant-store.ts';
import type { ScriptFile } from './push-scripts.ts';

const TABLES_FILE = 'tables.json';

/** Physical types a field may have (v8-surface.md 2.5), with sizes. */
const FIELD_TYPE = /^(varchar\(\d{1,4}\)|mediumtext|longtext|int|bigint|decimal\(18,\d{1,2}\))$/i;

/** Table and field names: at most 30 characters for fields, never a leading underscore. */
const TABLE_NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;
const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,29}$/;

/** Names that mean something else in a FormEngine parameter. */
const RESERVED_FIELDS = new Set(['osclient', 'formenginekey', 'tableid', 'tablename']);

type Report = (path: string, rule: string) => void;

/** Reads `tables.json` of a script project (defaults.md 4): `[{Name, Fields: [{Name, Type, Unique}], Rows: [...]}]`. */
export function readTables(files: readonly ScriptFile[], problems: ErrorRecord[]): TableDefinition[] {
  const file = files.find((candidate) => candidate.path === TABLES_FILE);
  if (file === undefined) return [];
  const report: Report = (path, rule) =>
    problems.push({ code: 'REQUEST_INVALID', params: { field: `${TABLES_FILE}${path}`, rule } });
  const parsed = parseJson(file.text);
  if (!parsed.ok) {
    problems.push(parsed.error);
    return [];
  }
  if (!Array.isArray(parsed.value)) {
    report('', '[{Name, Fields, Rows}]');
    return [];
  }
  return parsed.value.map((entry: JsonValue, index: number) => readTable(entry, `[${index}]`, report));
}

function readTable(entry: JsonValue, path: string, report: Report): TableDefinition {
  const table: JsonObject = isJsonObject(entry) ? entry : {};
  const name = typeof table.Name === 'string' ? table.Name : '';
  if (!TABLE_NAME.test(name)) report(`${path}.Name`, TABLE_NAME.source);
  else if (tableAccess(name) !== 'write') report(`${path}.Name`, `${name}: 系统表 / a system table`);
  const fields = listOf(table.Fields).map((field, index) => readField(field, `${path}.Fields[${index}]`, report));
  const rows = listOf(table.Rows).map((row, index) => readRow(row, `${path}.Rows[${index}]`, fields, report));
  return { name, fields, rows };
}

function readField(entry: JsonValue, path: string, report: Report): TableDefinition['fields'][number] {
  const field: JsonObject = isJsonObject(entry) ? entry : {};
  const name = String(field.Name ?? '');
  const type = String(field.Type ?? '');
  if (!FIELD_NAME.test(name) || RESERVED_FIELDS.has(name.toLowerCase())) report(`${path}.Name`, FIELD_NAME.source);
  if (!FIELD_TYPE.test(type)) report(`${path}.Type`, 'varchar(N), mediumtext, longtext, int, bigint, decimal(18,N)');
  return { name, type, unique: field.Unique === true || field.Unique === 1 };
}

function readRow(
  entry: JsonValue,
  path: string,
  fields: TableDefinition['fields'],
  report: Report,
): Record<string, string | number | null> {
  const known = new Set(['Id', ...fields.map((field) => field.name)]);
  const row: Record<string, string | number | null> = {};
  for (const [name, value] of Object.entries(isJsonObject(entry) ? entry : {})) {
    if (!known.has(name)) report(`${path}.${name}`, '没有这个字段 / no such field');
    else if (typeof value === 'string' || typeof value === 'number' || value === null) row[name] = value;
    else report(`${path}.${name}`, 'text, number, null');
  }
  return row;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
