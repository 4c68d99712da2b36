import { bilingual } from './bilingual.ts';
import { accept, type Parsed, refuse } from './errors.ts';
import type { JsonValue } from './json.ts';
import { findJsonFault } from './json-fault.ts';
import { findTooDeep, findTooMany, topLevelMembers } from './json-scan.ts';
import { MAX_JSON_DEPTH, MAX_JSON_VALUES } from './run-limits.ts';

const INTEGER = /^-?\d+$/;

/**
 * Text without any of these reads the same with JSON.parse alone, which is several times faster: long integers, large
 * exponents, and `__proto__`, plain or with one of its letters escaped.
 */
const NEEDS_CARE = /\d{16}|\d[eE]\+?\d{3}|__proto__|\\u00(?:5f|6f|7[024])/i;

/**
 * Reads JSON text that a stranger wrote. It differs from JSON.parse in this:
 * - nesting over MAX_JSON_DEPTH is refused before anything recurses;
 * - more than `maxValues` values are refused before one is built: millions of tiny ones hold up the whole host;
 * - an integer beyond ±(2^53-1), and a number too large for a double, is its source text, because a rounded id is
 *   another id (defaults.md 7);
 * - members named `__proto__` are dropped, so that copying a value cannot change a prototype;
 * - one byte order mark in front is ignored.
 *
 * Refusal: JSON_INVALID with the position of the first bad character, from 1; the text itself is never quoted.
 */
export function parseJson(text: string, maxValues = MAX_JSON_VALUES): Parsed<JsonValue> {
  const json = withoutMark(text);
  const marked = text.length - json.length;
  const tooMany = findTooMany(json, maxValues);
  if (tooMany !== undefined)
    return refuse('JSON_INVALID', { position: tooMany + marked + 1, rule: tooManyRule(maxValues) });
  const tooDeep = findTooDeep(json, MAX_JSON_DEPTH);
  if (tooDeep !== undefined) return refuse('JSON_INVALID', { position: tooDeep + marked + 1, rule: TOO_DEEP });
  try {
    return accept(NEEDS_CARE.test(json) ? JSON.parse(json, keepExact) : JSON.parse(json));
  } catch {
    // The engine's message quotes the payload, so the position is found anew.
    const at = findJsonFault(json);
    return refuse('JSON_INVALID', { position: at + marked + 1, rule: at >= json.length ? ENDS_EARLY : UNEXPECTED });
  }
}

/**
 * The exact source text of a top-level member's value; of the last one when the name occurs twice, as JSON.parse
 * reads it. Undefined when there is none. @param json text that `parseJson` accepts.
 */
export function memberText(json: string, name: string): string | undefined {
  return topLevelMembers(json).findLast((member) => member.name === name)?.text;
}

/** The text of UTF-8 bytes without a byte order mark; undefined when they are not UTF-8, never U+FFFD instead. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const TOO_DEEP = bilingual(`嵌套超过 ${MAX_JSON_DEPTH} 层`, `nested deeper than ${MAX_JSON_DEPTH} levels`);
const tooManyRule = (limit: number): string => bilingual(`超过 ${limit} 个值`, `more than ${limit} values`);
const ENDS_EARLY = bilingual('文本提前结束', 'the text ends too early');
const UNEXPECTED = bilingual('此处的字符不符合 JSON 语法', 'the character here is not allowed by JSON');

function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function keepExact(key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (key === '__proto__') return undefined;
  if (typeof value !== 'number' || context?.source === undefined) return value;
  const exact = INTEGER.test(context.source) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return exact ? value : context.source;
}
