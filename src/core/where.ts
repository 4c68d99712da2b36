import type { LocalText } from './date-text.ts';
import { accept, type Lang, type Parsed, refuse } from './errors.ts';
import { isJsonObject } from './json.ts';
import { parseJson } from './json-text.ts';
import { type BracketedCondition, groupConditions } from './where-group.ts';
import { findOperator } from './where-operator.ts';
import { readParts } from './where-parts.ts';
import {
  broken,
  MAX_CONDITIONS,
  MAX_VALUES,
  type Reading,
  read,
  unknownField,
  unknownOperator,
  WHERE_RULES,
  type WhereRule,
} from './where-rule.ts';
import type { WhereNode } from './where-tree.ts';
import { readComparison, type WhereColumn } from './where-value.ts';

export type { WhereOperator } from './where-operator.ts';
export type { Condition, ConditionGroup, WhereNode } from './where-tree.ts';

/** What conditions may name, and how values and refusals are written. */
export interface WhereScope {
  /** The table's name: `Table.Field` may name it. */
  readonly table: string;
  readonly columns: readonly WhereColumn[];
  readonly localText: LocalText;
  readonly lang: Lang;
}

/**
 * Reads `_Where` (v8-surface.md 3.1, 3.2): a list of conditions in array or object form, or its JSON text. Absent,
 * blank and empty mean no condition; the caller decides whether that is allowed.
 *
 * The platform drops a condition that it does not understand, and the statement then hits other rows; here every
 * condition is kept or the whole list is refused: WHERE_INVALID with the condition's number from 1 and the rule.
 *
 * The result carries the columns' own case and values as their columns take them.
 */
export function parseWhere(input: unknown, scope: WhereScope): Parsed<readonly WhereNode[]> {
  const list = readList(input);
  if (!list.ok) return invalid(0, list.rule, scope);
  if (list.value.length > MAX_CONDITIONS) return invalid(MAX_CONDITIONS, WHERE_RULES.tooMany, scope);
  if (list.value.length === 0) return accept([]);
  const columns = new Map(scope.columns.map((column) => [column.name.toLowerCase(), column]));
  const conditions: BracketedCondition[] = [];
  let values = 0;
  for (const [index, item] of list.value.entries()) {
    const condition = readCondition(item, columns, scope);
    if (!condition.ok) return invalid(index, condition.rule, scope);
    const { value } = condition.value.condition;
    values += Array.isArray(value) ? value.length : 1;
    if (values > MAX_VALUES) return invalid(index, WHERE_RULES.tooMany, scope);
    conditions.push(condition.value);
  }
  const grouping = groupConditions(conditions);
  return grouping.ok ? accept(grouping.nodes) : invalid(grouping.index, grouping.rule, scope);
}

function readList(input: unknown): Reading<readonly unknown[]> {
  if (input === undefined || input === null) return read([]);
  if (typeof input === 'string') return readListText(input.trim());
  if (isJsonObject(input)) return broken(WHERE_RULES.flat);
  if (!Array.isArray(input)) return broken(WHERE_RULES.list);
  return typeof input[0] === 'string' ? broken(WHERE_RULES.flat) : read(input);
}

function readListText(text: string): Reading<readonly unknown[]> {
  if (text === '') return read([]);
  const parsed = text.startsWith('[') ? parseJson(text) : undefined;
  return parsed?.ok === true ? readList(parsed.value) : broken(WHERE_RULES.list);
}

function readCondition(
  item: unknown,
  columns: ReadonlyMap<string, WhereColumn>,
  scope: WhereScope,
): Reading<BracketedCondition> {
  const parts = readParts(item);
  if (!parts.ok) return parts;
  const { glue, opens, closes, field, operator, value } = parts.value;
  const column = findColumn(field, columns, scope.table);
  if (column === undefined) return broken(unknownField(field));
  const known = findOperator(operator);
  if (known === undefined) return broken(unknownOperator(operator));
  const comparison = readComparison(known, value, column, scope.localText);
  if (!comparison.ok) return comparison;
  return read({ condition: { glue, column: column.name, ...comparison.value }, opens, closes });
}

/** By its name, or by `Table.Field` with the table that is read: a join does not exist here. */
function findColumn(field: unknown, columns: ReadonlyMap<string, WhereColumn>, table: string): WhereColumn | undefined {
  if (typeof field !== 'string') return undefined;
  const name = field.trim().toLowerCase();
  const prefix = `${table.toLowerCase()}.`;
  return columns.get(name) ?? (name.startsWith(prefix) ? columns.get(name.slice(prefix.length)) : undefined);
}

function invalid(index: number, rule: WhereRule, { lang }: WhereScope): ReturnType<typeof refuse> {
  return refuse('WHERE_INVALID', { index: index + 1, rule: rule[lang] });
}
