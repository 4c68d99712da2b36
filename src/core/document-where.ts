/**
 * `_Where` of documents (v8-surface.md 6.4). The platform's rules with these faults mended: (b) In and NotIn take lists,
 * (c) StartLike and EndLike are anchored, (d) each AND and OR counts by itself, (e) and brackets group, (i) a condition
 * that cannot be read is refused. Kept: (a) null asks for nothing, (f) what an ordering compares with, (g) an unknown
 * operator is equality, (h) a condition of fewer than three parts asks for nothing.
 */
import { type LocalText, localMillis, normalDateText } from './date-text.ts';
import { CREATE_TIME_FIELD, ID_FIELD, isFieldName } from './document.ts';
import { isObjectId } from './document-name.ts';
import { accept, type Lang, type Parsed, refuse } from './errors.ts';
import { isJsonObject } from './json.ts';
import { parseJson } from './json-text.ts';
import { printable } from './printable.ts';
import { type BracketedCondition, groupConditions } from './where-group.ts';
import { comparesList, comparesText, findOperator, type WhereOperator } from './where-operator.ts';
import { type ConditionParts, type Glue, readParts } from './where-parts.ts';
import {
  broken,
  MAX_CONDITIONS,
  MAX_PATTERN_LENGTH,
  MAX_VALUES,
  type Reading,
  read,
  WHERE_RULES,
  type WhereRule,
} from './where-rule.ts';
import type { NodeOf } from './where-tree.ts';

/** A plain value, or a moment, which equals no plain value. */
export type DocumentOperand = string | number | boolean | null | { readonly at: number };

/** One comparison. Of several values any may hold: those of a list, and the readings of a date as moment and as text. */
export interface DocumentCondition {
  readonly glue: Glue;
  /** A field, or a path into nested ones with `.` between the names. */
  readonly column: string;
  readonly operator: WhereOperator;
  readonly value: readonly DocumentOperand[];
}

export type DocumentNode = NodeOf<DocumentCondition>;

export interface DocumentScope {
  readonly localText: LocalText;
  readonly lang: Lang;
}

export interface DocumentFilter {
  /** All of it must hold; empty: every document. */
  readonly nodes: readonly DocumentNode[];
  /** What the platform's rules made of conditions their author may have meant otherwise: number from 1, and why. */
  readonly notes: readonly { readonly index: number; readonly rule: WhereRule }[];
}

/** Refusal: WHERE_INVALID with the condition's number from 1 and the rule. */
export function parseDocumentWhere(input: unknown, scope: DocumentScope): Parsed<DocumentFilter> {
  const list = readList(input);
  if (!list.ok) return invalid(0, list.rule, scope);
  if (list.value.length > MAX_CONDITIONS) return invalid(MAX_CONDITIONS, WHERE_RULES.tooMany, scope);
  const conditions: BracketedCondition<DocumentCondition>[] = [];
  const notes: { index: number; rule: WhereRule }[] = [];
  let values = 0;
  for (const [index, item] of list.value.entries()) {
    if (Array.isArray(item) && item.length < 3) {
      notes.push({ index: index + 1, rule: RULES.short });
      continue;
    }
    const condition = readCondition(item, scope);
    if (!condition.ok) return invalid(index, condition.rule, scope);
    values += condition.value.condition.value.length;
    if (values > MAX_VALUES) return invalid(index, WHERE_RULES.tooMany, scope);
    if (condition.value.note !== undefined) notes.push({ index: index + 1, rule: condition.value.note });
    conditions.push(condition.value);
  }
  const grouping = groupConditions(conditions);
  if (!grouping.ok) return invalid(grouping.index, grouping.rule, scope);
  return accept({ nodes: withoutBlanks(grouping.nodes), notes });
}

const RULES = {
  short: {
    zh: '少于三个部分，已忽略：写成 [字段, 运算符, 值]。',
    en: 'it has fewer than three parts and was left out: write [field, operator, value].',
  },
  equality: (operator: unknown): WhereRule => ({
    zh: `运算符 ${printable(operator)} 不存在，按 = 处理。`,
    en: `the operator ${printable(operator)} does not exist and was taken for =.`,
  }),
  field: (field: unknown): WhereRule => ({
    zh: `字段名 ${printable(field)} 不合法：不能为空，各段不能以 $ 开头。`,
    en: `the field ${printable(field)} is invalid: it is not empty, and no part of it begins with $.`,
  }),
  values: {
    zh: 'In 和 NotIn 的值须为数组，或逗号分隔的文本。',
    en: 'In and NotIn need an array, or text with commas.',
  },
  createTime: {
    zh: 'CreateTime 是时间：用 >、>=、<、<= 与日期文本比较，例如 "2026-01-31 08:00:00"。',
    en: 'CreateTime is a moment: compare it by >, >=, <, <= with a date such as "2026-01-31 08:00:00".',
  },
  id: { zh: '_id 不能用 Like 类运算符。', en: '_id cannot be compared by the Like operators.' },
} as const;

function readList(input: unknown): Reading<readonly unknown[]> {
  if (input === undefined || input === null || input === '') return read([]);
  if (typeof input === 'string') {
    const parsed = parseJson(input);
    return parsed.ok && Array.isArray(parsed.value) ? readList(parsed.value) : broken(WHERE_RULES.list);
  }
  if (isJsonObject(input)) return broken(WHERE_RULES.flat);
  if (!Array.isArray(input)) return broken(WHERE_RULES.list);
  return typeof input[0] === 'string' ? broken(WHERE_RULES.flat) : read(input);
}

interface ReadCondition extends BracketedCondition<DocumentCondition> {
  readonly note?: WhereRule;
}

function readCondition(item: unknown, scope: DocumentScope): Reading<ReadCondition> {
  const parts = readParts(Array.isArray(item) ? withWords(item) : item);
  if (!parts.ok) return parts;
  const { glue, opens, closes, field } = parts.value;
  const column = readField(field);
  if (column === undefined) return broken(RULES.field(field));
  const operator = findOperator(parts.value.operator) ?? 'eq';
  const value = readValue(column, operator, parts.value, scope);
  if (!value.ok) return value;
  const known = findOperator(parts.value.operator) !== undefined;
  const condition = { glue, column, operator, value: value.value };
  return read({ condition, opens, closes, ...(known ? {} : { note: RULES.equality(parts.value.operator) }) });
}

/** `&&` and `||` in front are AND and OR. */
function withWords(item: readonly unknown[]): readonly unknown[] {
  return item.map((part, index) => {
    if (index >= item.length - 3) return part;
    if (part === '&&') return 'AND';
    return part === '||' ? 'OR' : part;
  });
}

function readField(field: unknown): string | undefined {
  const path = typeof field === 'string' ? field.trim() : '';
  return path.split('.').every(isFieldName) ? path : undefined;
}

/** No value at all for what asks for nothing. */
function readValue(
  column: string,
  operator: WhereOperator,
  { value }: ConditionParts,
  scope: DocumentScope,
): Reading<readonly DocumentOperand[]> {
  if (value === null || value === undefined) return read(NOTHING);
  if (column === CREATE_TIME_FIELD) return readMoment(operator, value, scope);
  if (comparesList(operator)) return readListValue(column, value);
  if (!isScalar(value)) return broken(WHERE_RULES.scalar);
  if (comparesText(operator)) {
    if (column === ID_FIELD) return broken(RULES.id);
    return String(value).length > MAX_PATTERN_LENGTH ? broken(WHERE_RULES.patternLength) : read([String(value)]);
  }
  if (column === ID_FIELD) return read([idValue(value)]);
  return read(operator === 'eq' || operator === 'ne' ? [value] : orderedOperands(value, scope.localText));
}

/** Stands for a condition that asks for nothing; a list without elements is another one. */
const NOTHING: readonly DocumentOperand[] = Object.freeze([]);

function readMoment(operator: WhereOperator, value: unknown, { localText }: DocumentScope): Reading<[{ at: number }]> {
  const isOrdering = ['gt', 'ge', 'lt', 'le'].includes(operator);
  const text = typeof value === 'string' ? normalDateText(value, localText) : undefined;
  return isOrdering && text !== undefined ? read([{ at: localMillis(text, localText) }]) : broken(RULES.createTime);
}

/** A list, JSON text of one, or text with commas, whose parts stay texts as on the platform. */
function readListValue(column: string, value: unknown): Reading<readonly DocumentOperand[]> {
  const list = typeof value === 'string' ? listOfText(value) : value;
  if (!Array.isArray(list)) return broken(RULES.values);
  if (!list.every((element) => element === null || isScalar(element))) return broken(WHERE_RULES.scalar);
  return read(column === ID_FIELD ? list.map(idValue) : [...list]);
}

function listOfText(text: string): readonly unknown[] {
  const parsed = text.trim().startsWith('[') ? parseJson(text) : undefined;
  if (parsed?.ok && Array.isArray(parsed.value)) return parsed.value;
  return text.trim() === '' ? [] : text.split(',').map((part) => part.trim());
}

function idValue(value: string | number | boolean | null): string {
  const text = String(value);
  return isObjectId(text) ? text.toLowerCase() : text;
}

function isScalar(value: unknown): value is string | number | boolean {
  return (
    typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  );
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * What an ordering compares with (6.4 f): text is read as a number, else a boolean, else a date, else text. A date also
 * is compared as the text it is, because scripts store texts where the platform's own programs store dates.
 */
function orderedOperands(value: string | number | boolean, localText: LocalText): readonly DocumentOperand[] {
  if (typeof value !== 'string') return [value];
  const text = value.trim();
  if (NUMBER.test(text)) return [Number(text)];
  if (/^(true|false)$/i.test(text)) return [text.toLowerCase() === 'true'];
  const moment = normalDateText(text, localText);
  return moment === undefined ? [value] : [{ at: localMillis(moment, localText) }, value];
}

/** Without conditions that ask for nothing, and without groups that are empty then. */
function withoutBlanks(nodes: readonly DocumentNode[]): readonly DocumentNode[] {
  return nodes.flatMap((node): readonly DocumentNode[] => {
    if (!('group' in node)) return node.value === NOTHING ? [] : [node];
    const group = withoutBlanks(node.group);
    return group.length === 0 ? [] : [{ glue: node.glue, group }];
  });
}

function invalid(index: number, rule: WhereRule, { lang }: DocumentScope): ReturnType<typeof refuse> {
  return refuse('WHERE_INVALID', { index: index + 1, rule: rule[lang] });
}
