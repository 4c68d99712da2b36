/** A document of a tenant: what it may hold, and how an update changes it (v8-surface.md 6.4). */
import { bilingual } from './bilingual.ts';
import { accept, type Parsed, refuse } from './errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { printable } from './printable.ts';

/** The field that holds the id, and the one that the host fills with the time of the insert. */
export const ID_FIELD = '_id';
export const CREATE_TIME_FIELD = 'CreateTime';

/** A document apart from how a store writes it. */
export interface StoredDocument {
  readonly id: string;
  /** Milliseconds UTC; undefined for a document that another program wrote without a date in `CreateTime`. */
  readonly createdAt: number | undefined;
  /** Everything but `_id` and the date `CreateTime`. */
  readonly fields: JsonObject;
}

/** Largest document, and largest list of one read. Bytes of JSON. */
export const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;
export const MAX_DOCUMENT_LIST_BYTES = 16 * 1024 * 1024;

/** Documents a list returns unless it says how many, as on the platform, and the most it can ask for. */
export const DEFAULT_DOCUMENTS = 1_000;
export const MAX_DOCUMENTS = 10_000;

/** MongoDB nests at most 100 deep. */
const MAX_DEPTH = 90;
const LONGEST_NAME = 255;

const RULES = {
  name: (name: string) =>
    bilingual(
      `字段名 ${printable(name)} 不合法：不能为空，不能以 $ 开头，不能含 . 或控制字符，最多 ${LONGEST_NAME} 个字符`,
      `the name ${printable(name)} is invalid: not empty, no $ in front, no . and no control characters, at most ${LONGEST_NAME} characters`,
    ),
  depth: bilingual(`嵌套超过 ${MAX_DEPTH} 层`, `it nests deeper than ${MAX_DEPTH} levels`),
} as const;

/**
 * The fields a script gave, without `_id` and `CreateTime`, which are the host's. Refusals: PARAM_MISSING for nothing
 * to write; PARAM_INVALID for a name that MongoDB reads as something else; DOCUMENT_TOO_LARGE.
 */
export function parseDocumentFields(given: JsonObject): Parsed<JsonObject> {
  const { [ID_FIELD]: _id, [CREATE_TIME_FIELD]: _time, ...fields } = given;
  if (Object.keys(fields).length === 0) return refuse('PARAM_MISSING', { field: '_FormData' });
  const rule = brokenRule(fields, 1);
  if (rule !== undefined) return refuse('PARAM_INVALID', { field: '_FormData', rule });
  const size = documentBytes(fields);
  return size > MAX_DOCUMENT_BYTES ? tooLarge(size) : accept(fields);
}

/** The fields after an update; undefined when it changes nothing. Refusal: DOCUMENT_TOO_LARGE. */
export function updateFields(old: JsonObject, given: JsonObject): Parsed<JsonObject | undefined> {
  const isSame = Object.entries(given).every(
    ([name, value]) => Object.hasOwn(old, name) && JSON.stringify(old[name]) === JSON.stringify(value),
  );
  if (isSame) return accept(undefined);
  const fields = { ...old, ...given };
  const size = documentBytes(fields);
  return size > MAX_DOCUMENT_BYTES ? tooLarge(size) : accept(fields);
}

/** Size of the fields as JSON, in bytes of UTF-8. */
export function documentBytes(fields: JsonObject): number {
  return new TextEncoder().encode(JSON.stringify(fields)).byteLength;
}

function tooLarge(size: number): ReturnType<typeof refuse> {
  return refuse('DOCUMENT_TOO_LARGE', { size, limit: MAX_DOCUMENT_BYTES });
}

function brokenRule(value: JsonValue | undefined, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return RULES.depth;
  if (Array.isArray(value)) return firstBroken(value, depth);
  if (!isJsonObject(value)) return undefined;
  const name = Object.keys(value).find((key) => !isFieldName(key));
  return name === undefined ? firstBroken(Object.values(value), depth) : RULES.name(name);
}

function firstBroken(values: readonly (JsonValue | undefined)[], depth: number): string | undefined {
  for (const value of values) {
    const rule = brokenRule(value, depth + 1);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

/** True for a name that means itself to MongoDB: `$` begins its operators, `.` is a path. */
export function isFieldName(name: string): boolean {
  if (name === '' || name.length > LONGEST_NAME || !name.isWellFormed()) return false;
  return !name.startsWith('$') && !/[.\p{Cc}]/u.test(name);
}
