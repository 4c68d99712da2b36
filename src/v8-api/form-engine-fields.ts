/** What the designer says about single columns in `diy_field`: unique values and automatic numbers (v8-surface.md 2.5). */
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { parseJson } from '../core/json-text.ts';
import type { SqlValue } from '../core/sql-value.ts';
import type { Condition } from '../core/where.ts';
import type { Row, TableStore } from '../ports/table-store.ts';
import { findColumn } from './form-engine-columns.ts';
import { isSet, readSettings, textOf } from './form-engine-settings.ts';
import type { FormCall } from './form-engine-target.ts';
import { readFlag } from './param-values.ts';

const FIELDS_TABLE = 'diy_field';

/** Fields of one table at most. */
const MAX_FIELDS = 1_000;

/** A column that the designer describes. */
export interface DesignedField {
  /** As the database spells it. */
  readonly column: string;
  readonly unique: 'alone' | 'together' | undefined;
  readonly number: NumberRule | undefined;
}

/** How the platform numbers the rows of a table. */
export interface NumberRule {
  /** What stands before the digits. */
  readonly prefix: string;
  /** Digits at least. */
  readonly digits: number;
  /** Columns whose rows have a series of their own for each value: `AutoNumberFields`. */
  readonly series: readonly string[];
  /** Numbers of deleted rows are free again. */
  readonly reusesDeleted: boolean;
}

/** Fields with a rule of the table; empty where there is no `diy_field` or it says nothing. */
export async function designedFields(form: FormCall): Promise<readonly DesignedField[]> {
  const rows = await fieldRows(form);
  return rows.flatMap((row) => {
    const column = findColumn(form.table, textOf(row, 'Name'));
    if (column === undefined) return [];
    const config = configOf(row);
    const unique = isSet(row, 'Unique') ? uniqueOf(config) : undefined;
    const isNumber = textOf(row, 'Component').toLowerCase() === 'autonumber';
    const number = isNumber ? numberOf(config, (key) => columnOfField(form, rows, key)) : undefined;
    return unique === undefined && number === undefined ? [] : [{ column: column.name, unique, number }];
  });
}

/** The designer's rows of the table's fields. */
export async function fieldRows(form: Pick<FormCall, 'store' | 'table'>): Promise<readonly Row[]> {
  const fields = await form.store.describe(FIELDS_TABLE);
  if (fields === undefined) return [];
  const has = (name: string) => fields.columns.some((column) => column.name === name);
  const id = has('TableId') ? textOf((await readSettings(form.store, form.table)).model, 'Id') : '';
  const owner = id === '' ? { column: 'TableName', value: form.table.name } : { column: 'TableId', value: id };
  if (!has(owner.column) || !has('Name')) return [];
  return form.store.select({
    table: fields.name,
    columns: [],
    where: [{ glue: 'and', operator: 'eq', ...owner }],
    includeDeleted: false,
    sort: [],
    limit: MAX_FIELDS,
    offset: 0,
  });
}

/** The designer's row of one field, by its Id. */
export async function findDesigned(store: TableStore, id: string): Promise<Row | undefined> {
  const fields = await store.describe(FIELDS_TABLE);
  if (fields === undefined || findColumn(fields, 'Id') === undefined) return undefined;
  const [row] = await store.select({
    table: fields.name,
    columns: [],
    where: [{ glue: 'and', column: 'Id', operator: 'eq', value: id }],
    includeDeleted: false,
    sort: [],
    limit: 1,
    offset: 0,
  });
  return row;
}

/** What a field's `Config` says; empty where it says nothing. */
export function configOf(row: Row): JsonObject {
  const parsed = parseJson(textOf(row, 'Config'));
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
}

function uniqueOf({ Unique: setting }: JsonObject): 'alone' | 'together' {
  return isJsonObject(setting) && String(setting.Type).toLowerCase() === 'all' ? 'together' : 'alone';
}

function numberOf(config: JsonObject, columnOf: (key: JsonValue) => string | undefined): NumberRule {
  const { AutoNumberFixed: prefix, AutoNumberLength: length, AutoNumberFields: fields, AutoNumber: rules } = config;
  const digits = Math.trunc(Number(length));
  return {
    prefix: typeof prefix === 'string' ? prefix : '',
    digits: digits >= 1 && digits <= MAX_DIGITS ? digits : 1,
    series: (Array.isArray(fields) ? fields : []).map(columnOf).filter((column) => column !== undefined),
    reusesDeleted: isJsonObject(rules) && rules.DataRule === 'NoDeleted',
  };
}

/** The designer names fields by their Ids; names are understood, too. One that is gone divides nothing. */
function columnOfField(form: FormCall, rows: readonly Row[], key: JsonValue): string | undefined {
  const field = rows.find((row) => textOf(row, 'Id') === key);
  return findColumn(form.table, field === undefined ? String(key) : textOf(field, 'Name'))?.name;
}

const MAX_DIGITS = 15;

/** The row with the numbers of columns that have none yet. */
export async function withNumbers(form: FormCall, fields: readonly DesignedField[], row: Row): Promise<Row> {
  const numbered: Record<string, SqlValue> = { ...row };
  for (const { column, number } of fields) {
    const given = numbered[column];
    if (number === undefined || (given !== undefined && given !== null && given !== '')) continue;
    numbered[column] = await nextNumber({ form, column, number, series: seriesOf(row, number) });
  }
  return numbered;
}

/** What an update may write: numbers stay as they were made, unless `_ForceUpt` says otherwise. */
export function withoutNumbers(form: FormCall, fields: readonly DesignedField[], row: Row): Row {
  if (readFlag(form, '_ForceUpt')) return row;
  const numbers = fields.filter(({ number }) => number !== undefined).map(({ column }) => column);
  return Object.fromEntries(Object.entries(row).filter(([column]) => !numbers.includes(column)));
}

/** The numbers among which the next one is looked for. */
interface Series {
  readonly form: FormCall;
  readonly column: string;
  readonly number: NumberRule;
  /** Conditions of the rows that are numbered together. */
  readonly series: readonly Condition[];
}

function seriesOf(row: Row, { series }: NumberRule): readonly Condition[] {
  return series.map((column) => ({ glue: 'and', column, operator: 'eq', value: row[column] ?? null }));
}

async function nextNumber(numbers: Series): Promise<string> {
  const { prefix, digits } = numbers.number;
  let longest = await largestOf(numbers, prefix + '_'.repeat(digits));
  // As texts 9 comes after 10: the numbers with the most digits are the largest.
  for (let more = digits + 1; longest !== undefined && more <= MAX_DIGITS; more += 1) {
    const longer = await largestOf(numbers, prefix + '_'.repeat(more));
    if (longer === undefined) break;
    longest = longer;
  }
  const last = longest?.startsWith(prefix) === true ? Number(longest.slice(prefix.length)) : 0;
  const next = Number.isSafeInteger(last) && last >= 0 ? last + 1 : 1;
  return prefix + String(next).padStart(digits, '0');
}

async function largestOf({ form, column, number, series }: Series, pattern: string): Promise<string | undefined> {
  const [row] = await form.store.select({
    table: form.table.name,
    columns: [column],
    where: [{ glue: 'and', column, operator: 'startLike', value: pattern }, ...series],
    includeDeleted: !number.reusesDeleted,
    sort: [{ column, descending: true }],
    limit: 1,
    offset: 0,
  });
  return row === undefined ? undefined : textOf(row, column);
}
