/** One condition taken apart, from either of its forms (v8-surface.md 3.1, 3.2). Nothing is checked but the shape. */
import { isJsonObject, type JsonObject } from './json.ts';
import { findOperator } from './where-operator.ts';
import { broken, MAX_GROUP_DEPTH, type Reading, read, unknownKey, WHERE_RULES } from './where-rule.ts';

export type Glue = 'and' | 'or';

export interface ConditionParts {
  /** To the condition before. */
  readonly glue: Glue;
  /** Brackets before and behind the condition, as written. */
  readonly opens: number;
  readonly closes: number;
  readonly field: unknown;
  readonly operator: unknown;
  readonly value: unknown;
}

export function readParts(item: unknown): Reading<ConditionParts> {
  if (Array.isArray(item)) return readArrayForm(item);
  return isJsonObject(item) ? readObjectForm(item) : broken(WHERE_RULES.condition);
}

/** Field, operator and value, with AND or OR and as many brackets on each side as nest. */
const MAX_PARTS = 4 + 2 * MAX_GROUP_DEPTH;

/**
 * `[andOr?, '('*, field, operator, value, ')'*]`, brackets also before andOr. A field may be called Or, and a value may
 * be a bracket, so of the readings that the brackets allow the one with a known operator is taken.
 */
function readArrayForm(item: readonly unknown[]): Reading<ConditionParts> {
  if (item.length > MAX_PARTS) return broken(WHERE_RULES.condition);
  const readings: ConditionParts[] = [];
  let glue: Glue | undefined;
  let opens = 0;
  for (let start = 0; start + 3 <= item.length; start += 1) {
    const behind = item.slice(start + 3);
    const [field, operator, value] = item.slice(start);
    if (behind.every((part) => part === ')')) {
      readings.push({ glue: glue ?? 'and', opens, closes: behind.length, field, operator, value });
    }
    const word = glueOf(item[start]);
    if (item[start] === '(') opens += 1;
    else if (word !== undefined && glue === undefined) glue = word;
    else break;
  }
  const taken = readings.find(({ operator }) => findOperator(operator) !== undefined) ?? readings.at(-1);
  return taken === undefined ? broken(WHERE_RULES.condition) : read(taken);
}

function glueOf(part: unknown): Glue | undefined {
  const word = typeof part === 'string' ? part.trim().toLowerCase() : '';
  return word === 'and' || word === 'or' ? word : undefined;
}

const PROPERTIES: ReadonlySet<string> = new Set([
  'name',
  'value',
  'type',
  'andor',
  'groupstart',
  'groupend',
  'formenginekey',
]);

/** `{Name, Value, Type, AndOr, GroupStart, GroupEnd, FormEngineKey}`, in any case as the platform's reader takes them. */
function readObjectForm(item: JsonObject): Reading<ConditionParts> {
  const given = new Map(Object.entries(item).map(([key, value]) => [key.toLowerCase(), value]));
  const strange = Object.keys(item).find((key) => !key.startsWith('_') && !PROPERTIES.has(key.toLowerCase()));
  if (strange !== undefined) return broken(unknownKey(strange));
  if (isBlank(given.get('type'))) return broken(WHERE_RULES.noType);
  const glue = isBlank(given.get('andor')) ? 'and' : glueOf(given.get('andor'));
  if (glue === undefined) return broken(WHERE_RULES.glue);
  const [opens, closes] = [bracketOf(given.get('groupstart')), bracketOf(given.get('groupend'))];
  if (opens === undefined || closes === undefined) return broken(WHERE_RULES.flag);
  const table = given.get('formenginekey');
  const field = isBlank(table) ? given.get('name') : `${String(table)}.${String(given.get('name'))}`;
  return read({ glue, opens, closes, field, operator: given.get('type'), value: given.get('value') ?? null });
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

function bracketOf(value: unknown): 0 | 1 | undefined {
  if (isBlank(value)) return 0;
  const text = String(value).trim().toLowerCase();
  if (text === 'true' || text === '1') return 1;
  return text === 'false' || text === '0' ? 0 : undefined;
}
