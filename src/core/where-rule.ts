/** Why a condition is refused, in both languages. The sentence around it is WHERE_INVALID's. */
import type { Lang } from './errors.ts';
import { printable } from './printable.ts';

export type WhereRule = Readonly<Record<Lang, string>>;

/** A part of `_Where` that was read, or the rule it breaks. */
export type Reading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly rule: WhereRule };

export function read<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function broken(rule: WhereRule): { readonly ok: false; readonly rule: WhereRule } {
  return { ok: false, rule };
}

/** Bounds of one `_Where`: below what a statement of either database can hold. */
export const MAX_CONDITIONS = 500;
export const MAX_VALUES = 10_000;
export const MAX_GROUP_DEPTH = 32;
export const MAX_PATTERN_LENGTH = 10_000;

export const WHERE_RULES = {
  list: {
    zh: '须为条件数组 [[字段, 运算符, 值], …]。',
    en: 'write a list of conditions [[field, operator, value], …].',
  },
  flat: {
    zh: '单个条件也要放进数组：写成 [[字段, 运算符, 值]]。',
    en: 'a single condition needs a list around it: write [[field, operator, value]].',
  },
  condition: {
    zh: '须为 [AND|OR, "(", 字段, 运算符, 值, ")"]，其中 AND|OR 和括号可省略，或为 {Name, Type, Value, AndOr, GroupStart, GroupEnd}。',
    en: 'write [AND|OR, "(", field, operator, value, ")"], of which AND|OR and brackets may be left out, or {Name, Type, Value, AndOr, GroupStart, GroupEnd}.',
  },
  glue: { zh: 'AndOr 须为 And 或 Or。', en: 'AndOr must be And or Or.' },
  flag: { zh: 'GroupStart、GroupEnd 须为 true 或 false。', en: 'GroupStart and GroupEnd must be true or false.' },
  noType: { zh: '缺少 Type（运算符，例如 "="）。', en: 'Type is missing: the operator, such as "=".' },
  scalar: {
    zh: '值须为字符串、有限数字、布尔或 null。',
    en: 'the value must be a string, a finite number, a boolean or null.',
  },
  values: { zh: 'In 和 NotIn 的值须为数组。', en: 'In and NotIn need an array.' },
  likeNull: { zh: 'Like 类运算符的值不能为 null。', en: 'the Like operators need text, not null.' },
  patternLength: {
    zh: `Like 类运算符的值最多 ${MAX_PATTERN_LENGTH} 个字符。`,
    en: `the Like operators take at most ${MAX_PATTERN_LENGTH} characters.`,
  },
  tooMany: {
    zh: `最多 ${MAX_CONDITIONS} 个条件、共 ${MAX_VALUES} 个值：分批查询。`,
    en: `at most ${MAX_CONDITIONS} conditions with ${MAX_VALUES} values in all: ask in portions.`,
  },
  tooDeep: { zh: `括号最多嵌套 ${MAX_GROUP_DEPTH} 层。`, en: `brackets nest at most ${MAX_GROUP_DEPTH} deep.` },
  unopened: { zh: '右括号没有对应的左括号。', en: 'it closes a bracket that was not opened.' },
  unclosed: { zh: '左括号没有闭合。', en: 'its bracket is not closed.' },
  severalBrackets: {
    zh: '一个条件里的多个括号在平台上只算一个，会得到另一个结果：每个条件最多写一个左括号和一个右括号。',
    en: 'several brackets in one condition count as one on the platform and select other rows: write at most one on each side of a condition.',
  },
} as const satisfies Record<string, WhereRule>;

export function unknownField(field: unknown): WhereRule {
  const name = printable(field);
  return { zh: `字段 ${name} 不存在：检查拼写。`, en: `the field ${name} does not exist: check its spelling.` };
}

export function unknownKey(key: string): WhereRule {
  const name = printable(key);
  return {
    zh: `没有属性 ${name}，可用 Name、Value、Type、AndOr、GroupStart、GroupEnd、FormEngineKey。`,
    en: `there is no property ${name}: use Name, Value, Type, AndOr, GroupStart, GroupEnd, FormEngineKey.`,
  };
}

const OPERATOR_LIST = '= <> > >= < <= In NotIn Like NotLike StartLike NotStartLike EndLike NotEndLike';

export function unknownOperator(operator: unknown): WhereRule {
  const name = printable(operator);
  return {
    zh: `运算符 ${name} 不存在，可用 ${OPERATOR_LIST}。`,
    en: `the operator ${name} does not exist: use ${OPERATOR_LIST}.`,
  };
}

/** @param takes what the column takes, in both languages. */
export function unfitValue(column: string, takes: WhereRule): WhereRule {
  const name = printable(column);
  return { zh: `字段 ${name} 的值须为${takes.zh}。`, en: `the value for ${name} must be ${takes.en}.` };
}
