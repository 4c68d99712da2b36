import { bilingual } from './bilingual.ts';
import { accept, type Parsed, refuse } from './errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { parseJson } from './json-text.ts';

/** A condition in the object form of `_Where` (v8-surface.md 3.2). */
export interface WhereObject extends JsonObject {
  readonly Name: string;
  readonly Value: JsonValue;
  readonly Type: string;
  readonly AndOr: 'And' | 'Or';
  readonly GroupStart: boolean;
  readonly GroupEnd: boolean;
}

const RULES = {
  list: bilingual('须为条件数组或其 JSON 文本', 'it must be a list of conditions or its JSON text'),
  parts: bilingual('须为 [列, 运算符, 值]', 'it must be [column, operator, value]'),
} as const;

/**
 * Converts the array form of `_Where` to the object form, for scripts that walk through `w.Name` and `w.Value`
 * (V8.Method.ParseWhere). Conditions in object form pass through. Names and operators are taken as they are: nothing
 * is read or written by them here.
 */
export function toWhereObjects(input: unknown): Parsed<readonly JsonObject[]> {
  const list = readList(input);
  if (list === undefined) return refuse('WHERE_INVALID', { index: 1, rule: RULES.list });
  const objects: JsonObject[] = [];
  for (const [position, item] of list.entries()) {
    const object = isJsonObject(item) ? item : toWhereObject(item);
    if (object === undefined) return refuse('WHERE_INVALID', { index: position + 1, rule: RULES.parts });
    objects.push(object);
  }
  return accept(objects);
}

function readList(input: unknown): readonly JsonValue[] | undefined {
  if (input === null || input === undefined || input === '') return [];
  if (typeof input !== 'string') return Array.isArray(input) ? (input as readonly JsonValue[]) : undefined;
  const parsed = parseJson(input);
  return parsed.ok && Array.isArray(parsed.value) ? parsed.value : undefined;
}

/** `(`, and a glue before or after it, may stand in front; `)` at the end. Several brackets count as one. */
function toWhereObject(item: JsonValue): WhereObject | undefined {
  if (!Array.isArray(item)) return undefined;
  const parts = item as readonly JsonValue[];
  let start = 0;
  let andOr: WhereObject['AndOr'] = 'And';
  let opened = false;
  for (; start < parts.length; start++) {
    const glue = glueOf(parts[start]);
    if (glue === undefined && parts[start] !== '(') break;
    andOr = glue ?? andOr;
    opened ||= parts[start] === '(';
  }
  let end = parts.length;
  while (end > start + 3 && parts[end - 1] === ')') end--;
  const [name, type, value] = parts.slice(start, end);
  if (end - start !== 3 || typeof name !== 'string' || typeof type !== 'string' || value === undefined)
    return undefined;
  return { Name: name, Value: value, Type: type, AndOr: andOr, GroupStart: opened, GroupEnd: end < parts.length };
}

function glueOf(part: JsonValue | undefined): WhereObject['AndOr'] | undefined {
  const text = typeof part === 'string' ? part.toLowerCase() : '';
  if (text === 'and') return 'And';
  return text === 'or' ? 'Or' : undefined;
}
