import { bilingual } from './bilingual.ts';
import { accept, type Parsed, refuse } from './errors.ts';
import { isJsonObject } from './json.ts';
import { parseJson } from './json-text.ts';
import { printable } from './printable.ts';

/** A comparison of `_Where` (v8-surface.md 3.3), already normalised. */
export type WhereOperator =
  | 'eq'
  | 'ne'
  | 'gt'
  | 'ge'
  | 'lt'
  | 'le'
  | 'in'
  | 'notIn'
  | 'like'
  | 'notLike'
  | 'startLike'
  | 'notStartLike'
  | 'endLike'
  | 'notEndLike';

/** One condition of a `_Where`, glued to the previous one by `glue` (the first one's is ignored). */
export interface Condition {
  readonly glue: 'and' | 'or';
  readonly column: string;
  readonly operator: WhereOperator;
  /** A list for `in` and `notIn`, a single value otherwise. */
  readonly value: string | number | null | readonly (string | number | null)[];
}

type Scalar = string | number | null;

/** Columns of every table (v8-surface.md 2.5); conditions may use them even where the catalogue does not list them. */
const FIXED_COLUMNS = ['Id', 'CreateTime', 'UpdateTime', 'UserId', 'UserName', 'IsDeleted'] as const;

const OPERATORS: ReadonlyMap<string, WhereOperator> = new Map([
  ['equal', 'eq'],
  ['=', 'eq'],
  ['==', 'eq'],
  ['notequal', 'ne'],
  ['<>', 'ne'],
  ['!=', 'ne'],
  ['>', 'gt'],
  ['>=', 'ge'],
  ['<', 'lt'],
  ['<=', 'le'],
  ['in', 'in'],
  ['notin', 'notIn'],
  ['like', 'like'],
  ['notlike', 'notLike'],
  ['startlike', 'startLike'],
  ['notstartlike', 'notStartLike'],
  ['endlike', 'endLike'],
  ['notendlike', 'notEndLike'],
]);

/**
 * Reads the array form of `_Where` (v8-surface.md 3.1, without groups): a list of `[andOr?, field, operator, value]`,
 * or its JSON text. Absent, blank and empty mean no condition; the caller decides whether that is allowed.
 *
 * The platform drops a condition that it does not understand, and the statement then hits other rows; here every
 * condition is kept or the whole list is refused: WHERE_INVALID with the condition's number from 1 and the rule.
 *
 * Null (v8-surface.md 3.3) is already resolved: a comparison with null, and `In` null, is `eq` null (IS NULL);
 * `NotEqual` and `NotIn` null is `ne` null (IS NOT NULL).
 * @param columns the table's columns; the result carries their case.
 */
export function parseWhere(input: unknown, columns: readonly string[]): Parsed<readonly Condition[]> {
  const list = readList(input);
  if (!list.ok) return list;
  const known = columnsByLower(columns);
  const conditions: Condition[] = [];
  for (const [position, item] of list.value.entries()) {
    const condition = parseCondition(item, position + 1, known);
    if (!condition.ok) return condition;
    conditions.push(condition.value);
  }
  return accept(conditions);
}

function readList(input: unknown): Parsed<readonly unknown[]> {
  if (input === undefined || input === null) return accept([]);
  if (typeof input === 'string') return readListText(input.trim());
  if (!Array.isArray(input)) return isJsonObject(input) ? invalid(1, OBJECT_FORM) : invalid(1, NOT_A_LIST);
  const looksFlat = typeof input[0] === 'string';
  return looksFlat ? invalid(1, FLAT_CONDITION) : accept(input);
}

function readListText(text: string): Parsed<readonly unknown[]> {
  if (text === '') return accept([]);
  const parsed = text.startsWith('[') ? parseJson(text) : undefined;
  return parsed?.ok === true ? readList(parsed.value) : invalid(1, NOT_A_LIST);
}

/** The table's own case by lower-case name; a real column beats a fixed one of the same name. */
function columnsByLower(columns: readonly string[]): ReadonlyMap<string, string> {
  return new Map([...FIXED_COLUMNS, ...columns].map((column) => [column.toLowerCase(), column]));
}

function parseCondition(item: unknown, index: number, known: ReadonlyMap<string, string>): Parsed<Condition> {
  if (!Array.isArray(item)) return invalid(index, isJsonObject(item) ? OBJECT_FORM : NOT_A_CONDITION);
  const parts = splitParts(item);
  if (parts === undefined) return invalid(index, usesGroup(item) ? GROUP : NOT_A_CONDITION);
  const column = typeof parts.field === 'string' ? known.get(parts.field.trim().toLowerCase()) : undefined;
  if (column === undefined) return invalid(index, unknownField(parts.field));
  const operator = typeof parts.operator === 'string' ? OPERATORS.get(parts.operator.trim().toLowerCase()) : undefined;
  if (operator === undefined) return invalid(index, unknownOperator(parts.operator));
  const compared = parseComparison(operator, parts.value, index);
  return compared.ok ? accept({ glue: parts.glue, column, ...compared.value }) : compared;
}

interface Parts {
  readonly glue: Condition['glue'];
  readonly field: unknown;
  readonly operator: unknown;
  readonly value: unknown;
}

/** Three parts, or four of which the first is AND or OR; a field that is called `Or` thus stays usable. */
function splitParts(item: readonly unknown[]): Parts | undefined {
  if (item.length === 3) return { glue: 'and', field: item[0], operator: item[1], value: item[2] };
  const glue = typeof item[0] === 'string' ? item[0].trim().toLowerCase() : '';
  if (item.length !== 4 || (glue !== 'and' && glue !== 'or')) return undefined;
  return { glue, field: item[1], operator: item[2], value: item[3] };
}

function usesGroup(item: readonly unknown[]): boolean {
  return item.includes('(') || item.includes(')');
}

type Comparison = Pick<Condition, 'operator' | 'value'>;

function parseComparison(operator: WhereOperator, value: unknown, index: number): Parsed<Comparison> {
  const isList = operator === 'in' || operator === 'notIn';
  if (value === null) return compareWithNull(operator, index);
  if (isList) {
    const list = readValues(value, index);
    return list.ok ? accept({ operator, value: list.value }) : list;
  }
  const scalar = readScalar(value);
  if (scalar === undefined) return invalid(index, NOT_A_SCALAR);
  return accept({ operator, value: TEXT_OPERATOR.test(operator) ? String(scalar) : scalar });
}

const TEXT_OPERATOR = /like$/i;

function compareWithNull(operator: WhereOperator, index: number): Parsed<Comparison> {
  if (TEXT_OPERATOR.test(operator)) return invalid(index, LIKE_NULL);
  const negative = operator === 'ne' || operator === 'notIn';
  return accept({ operator: negative ? 'ne' : 'eq', value: null });
}

/** Text that is no JSON array is the empty list, which matches nothing, as on the platform. */
function readValues(value: unknown, index: number): Parsed<readonly Scalar[]> {
  if (typeof value === 'string') {
    const parsed = parseJson(value.trim());
    return parsed.ok && Array.isArray(parsed.value) ? readValues(parsed.value, index) : accept([]);
  }
  if (!Array.isArray(value)) return invalid(index, NOT_VALUES);
  const scalars: Scalar[] = [];
  for (const element of value) {
    const scalar = element === null ? null : readScalar(element);
    if (scalar === undefined) return invalid(index, NOT_A_SCALAR);
    scalars.push(scalar);
  }
  return accept(scalars);
}

/** A value that can be bound: text, a finite number, or a boolean as 0 and 1. Undefined for anything else. */
function readScalar(value: unknown): string | number | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

const NOT_A_LIST = bilingual(
  '须为条件数组 [[字段, 运算符, 值], …]',
  'write a list of conditions [[field, operator, value], …]',
);
const FLAT_CONDITION = bilingual(
  '单个条件也要放进数组：写成 [[字段, 运算符, 值]]',
  'a single condition needs its own list: write [[field, operator, value]]',
);
const OBJECT_FORM = bilingual(
  '本版本不支持对象形式，请写成数组 [字段, 运算符, 值]',
  'the object form is not supported in this version, write an array [field, operator, value]',
);
const NOT_A_CONDITION = bilingual(
  '须为 [字段, 运算符, 值] 或 [AND|OR, 字段, 运算符, 值]',
  'write [field, operator, value] or [AND|OR, field, operator, value]',
);
const GROUP = bilingual('本版本不支持括号分组', 'groups in brackets are not supported in this version');
const NOT_A_SCALAR = bilingual(
  '值须为字符串、有限数字、布尔或 null',
  'the value must be a string, a finite number, a boolean or null',
);
const NOT_VALUES = bilingual('In 和 NotIn 的值须为数组', 'In and NotIn need an array');
const LIKE_NULL = bilingual('Like 类运算符的值不能为 null', 'the Like operators need text, not null');

function unknownField(field: unknown): string {
  const name = printable(field);
  return bilingual(`字段 ${name} 不存在`, `the field ${name} does not exist`);
}

function unknownOperator(operator: unknown): string {
  const name = printable(operator);
  return bilingual(
    `运算符 ${name} 不存在，可用 = <> > >= < <= In NotIn Like NotLike StartLike NotStartLike EndLike NotEndLike`,
    `the operator ${name} does not exist, use one of these`,
  );
}

function invalid(index: number, rule: string): ReturnType<typeof refuse> {
  return refuse('WHERE_INVALID', { index, rule });
}
