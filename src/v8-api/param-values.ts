/** Reading single parameters. A blank one counts as not given; one of a wrong kind is refused by its name. */
import type { Lang } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { refuseParam } from './param-rules.ts';

/** Parameters of one call, and the language it is refused in. */
export interface CallParam {
  readonly values: JsonObject;
  readonly lang: Lang;
}

/** True for what asks for nothing: absent, null, blank text, `false`, an empty list or object. */
export function isBlank(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (typeof value === 'string') return value.trim() === '';
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** A text, or a number as its text. Undefined when blank. */
export function readText(param: CallParam, key: string): string | undefined {
  const value = param.values[key];
  if (isBlank(value)) return undefined;
  return asText(value) ?? refuseParam(key, 'scalarText', param.lang);
}

/** Text of a text or finite number; undefined for everything else. */
export function asText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

/** A switch, read as the platform reads booleans: true, 1, "1", "true". Absent is false. */
export function readFlag(param: CallParam, key: string): boolean {
  const value = param.values[key];
  if (isBlank(value)) return false;
  const text = String(value).trim().toLowerCase();
  if (text === '1' || text === 'true') return true;
  if (text === '0' || text === 'false') return false;
  return refuseParam(key, 'flag', param.lang);
}

/** A whole number from 1 up, also as text. Undefined when blank. */
export function readPositiveInteger(param: CallParam, key: string): number | undefined {
  const value = param.values[key];
  if (isBlank(value)) return undefined;
  const text = asText(value)?.trim() ?? '';
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && Number.isSafeInteger(number)) return number;
  return refuseParam(key, 'positiveInteger', param.lang);
}

/** A list of names. Undefined when blank. */
export function readNames(param: CallParam, key: string): readonly string[] | undefined {
  const value = param.values[key];
  if (isBlank(value)) return undefined;
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value;
  return refuseParam(key, 'nameList', param.lang);
}

/** A nested object. Undefined when blank. */
export function readObject(param: CallParam, key: string): JsonObject | undefined {
  const value = param.values[key];
  if (isBlank(value)) return undefined;
  return isJsonObject(value) ? value : refuseParam(key, 'object', param.lang);
}
