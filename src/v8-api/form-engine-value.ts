/** What a column takes from a script (v8-surface.md 2.5, "write binding"). */
import { type LocalText, normalDateText } from '../core/date-text.ts';
import type { JsonValue } from '../core/json.ts';
import type { SqlValue } from '../core/sql-value.ts';
import type { ColumnInfo } from '../ports/table-store.ts';
import type { FormCall } from './form-engine-target.ts';
import { type ParamRule, refuseParam } from './param-rules.ts';

type Scalar = string | number | boolean;

/** The value as the column stores it. @throws AppError PARAM_INVALID naming `key`. */
export function columnValue(column: ColumnInfo, key: string, value: JsonValue, { lang, call }: FormCall): SqlValue {
  if (value === null) return null;
  if (typeof value === 'object') return refuseParam(key, 'scalarValue', lang);
  if (typeof value === 'number' && !Number.isFinite(value)) return refuseParam(key, 'finiteNumber', lang);
  const taken = takeScalar(column, value, (millis) => call.context.clock.localText(millis));
  return taken === undefined ? refuseParam(key, RULE_OF_KIND[column.kind] ?? 'scalarText', lang) : taken;
}

const RULE_OF_KIND: Readonly<Partial<Record<ColumnInfo['kind'], ParamRule>>> = {
  integer: 'integerValue',
  decimal: 'decimalValue',
  boolean: 'booleanValue',
  datetime: 'dateValue',
};

/** Undefined when the column does not take it. */
function takeScalar(column: ColumnInfo, value: Scalar, localText: LocalText): SqlValue | undefined {
  switch (column.kind) {
    case 'integer':
      return takeNumber(value, /^[+-]?\d+$/, Number.isSafeInteger);
    case 'decimal':
      return takeNumber(value, /^[+-]?(\d+\.?\d*|\.\d+)$/, Number.isFinite);
    case 'boolean':
      return takeBoolean(value);
    case 'datetime':
      return takeMoment(value, localText);
    case 'date':
    case 'time':
      return value === '' ? null : asColumnText(value);
    case 'text':
    case 'blob':
      return asColumnText(value);
  }
}

/** Booleans are 0 and 1. Text stays text, so that no digit of a long number is lost; blank text and "null" are NULL. */
function takeNumber(value: Scalar, format: RegExp, fits: (value: number) => boolean): SqlValue | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number') return fits(value) ? value : undefined;
  const text = value.trim();
  if (text === '' || text.toLowerCase() === 'null') return null;
  return format.test(text) ? text : undefined;
}

/** One form on every database: MySQL refuses others, SQLite would keep them as they are. */
function takeMoment(value: Scalar, localText: LocalText): SqlValue | undefined {
  if (typeof value !== 'string') return undefined;
  return value.trim() === '' ? null : normalDateText(value, localText);
}

function takeBoolean(value: Scalar): SqlValue | undefined {
  const text = String(value).trim().toLowerCase();
  if (text === '' || text === 'null') return null;
  if (text === '1' || text === 'true') return 1;
  return text === '0' || text === 'false' ? 0 : undefined;
}

/** A number becomes its JavaScript text here: the driver would write 1 into a text column as "1.0". */
function asColumnText(value: Scalar): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return String(value);
}
