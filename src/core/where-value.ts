/** What a condition compares with: the value as its column takes it (v8-surface.md 3.1 and 3.3). */
import type { ColumnKind } from './column-kind.ts';
import { type LocalText, normalDateText } from './date-text.ts';
import { parseJson } from './json-text.ts';
import { comparesList, comparesText, isNegative, type WhereOperator } from './where-operator.ts';
import {
  broken,
  MAX_PATTERN_LENGTH,
  type Reading,
  read,
  unfitValue,
  WHERE_RULES,
  type WhereRule,
} from './where-rule.ts';

export type WhereScalar = string | number | null;

/** A list for `in` and `notIn`, a single value otherwise. */
export type WhereValue = WhereScalar | readonly WhereScalar[];

export interface Comparison {
  readonly operator: WhereOperator;
  readonly value: WhereValue;
}

/** A column that conditions may name. */
export interface WhereColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/**
 * Null is resolved: a comparison with null, and `In` null, is `eq` null (IS NULL); `NotEqual` and `NotIn` null is `ne`
 * null (IS NOT NULL).
 */
export function readComparison(
  operator: WhereOperator,
  value: unknown,
  column: WhereColumn,
  localText: LocalText,
): Reading<Comparison> {
  if (value === null) return compareWithNull(operator);
  if (comparesList(operator)) {
    const list = readList(value, column, localText);
    return list.ok ? read({ operator, value: list.value }) : list;
  }
  const scalar = readScalar(value);
  if (scalar === undefined) return broken(WHERE_RULES.scalar);
  if (!comparesText(operator)) {
    const fit = fitValue(scalar, column, localText);
    return fit === undefined ? refuseValue(column) : read({ operator, value: fit });
  }
  const text = String(scalar);
  return text.length > MAX_PATTERN_LENGTH ? broken(WHERE_RULES.patternLength) : read({ operator, value: text });
}

function compareWithNull(operator: WhereOperator): Reading<Comparison> {
  if (comparesText(operator)) return broken(WHERE_RULES.likeNull);
  return read({ operator: isNegative(operator) ? 'ne' : 'eq', value: null });
}

/** Text that is no JSON array is the empty list, which matches nothing, as on the platform. */
function readList(value: unknown, column: WhereColumn, localText: LocalText): Reading<readonly WhereScalar[]> {
  if (typeof value === 'string') {
    const parsed = parseJson(value.trim());
    return parsed.ok && Array.isArray(parsed.value) ? readList(parsed.value, column, localText) : read([]);
  }
  if (!Array.isArray(value)) return broken(WHERE_RULES.values);
  const list: WhereScalar[] = [];
  for (const element of value) {
    const scalar = element === null ? null : readScalar(element);
    if (scalar === undefined) return broken(WHERE_RULES.scalar);
    const fit = scalar === null ? null : fitValue(scalar, column, localText);
    if (fit === undefined) return refuseValue(column);
    list.push(fit);
  }
  return read(list);
}

/** A value that can be bound: text, a finite number, or a boolean as 0 and 1. Undefined for anything else. */
function readScalar(value: unknown): string | number | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/**
 * The value as the column holds it; undefined when no value of the column could equal it. Left to the database, text
 * beside a number column would be 0 on MySQL, and a date without time would be another text on SQLite.
 */
function fitValue(value: string | number, column: WhereColumn, localText: LocalText): string | number | undefined {
  switch (column.kind) {
    case 'integer':
    case 'decimal':
      return typeof value === 'number' ? value : numberOf(value.trim());
    case 'boolean':
      return flagOf(String(value).trim().toLowerCase());
    case 'datetime':
      return typeof value === 'number' ? undefined : normalDateText(value, localText);
    default:
      return String(value);
  }
}

/** A number where it is exact, else the number's text: the adapter binds it with all its digits (defaults.md 7). */
function numberOf(text: string): string | number | undefined {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) return undefined;
  const plain = plainDecimal(text);
  const number = Number(plain);
  return plainDecimal(String(number)) === plain ? number : plain;
}

/** Without a plus sign and without zeros that change nothing. */
function plainDecimal(text: string): string {
  const [, minus = '', whole = '', fraction = ''] = /^\+?(-?)0*(\d*)\.?(\d*?)0*$/.exec(text) ?? [];
  const digits = `${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`;
  return digits === '0' ? '0' : minus + digits;
}

function flagOf(text: string): number | undefined {
  if (text === '1' || text === 'true') return 1;
  return text === '0' || text === 'false' ? 0 : undefined;
}

const TAKES: Readonly<Partial<Record<ColumnKind, WhereRule>>> = {
  integer: { zh: '数字，空值用 null', en: 'a number, or null for an empty one' },
  decimal: { zh: '数字，空值用 null', en: 'a number, or null for an empty one' },
  boolean: { zh: ' true/false 或 1/0，空值用 null', en: 'true/false or 1/0, or null for an empty one' },
  datetime: {
    zh: '日期文本，例如 "2026-01-31" 或 "2026-01-31 08:00:00"，空值用 null',
    en: 'a date such as "2026-01-31" or "2026-01-31 08:00:00", or null for an empty one',
  },
};

function refuseValue(column: WhereColumn): { readonly ok: false; readonly rule: WhereRule } {
  return broken(unfitValue(column.name, TAKES[column.kind] ?? WHERE_RULES.scalar));
}
