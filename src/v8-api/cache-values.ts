/** Reading the arguments of V8.Cache. */
import { type CacheKey, toCacheKey } from '../core/cache-key.ts';
import { MAX_CACHE_FIELD_BYTES, MAX_CACHE_TTL_MS, MAX_CACHE_VALUE_BYTES } from '../core/cache-limits.ts';
import { AppError, orThrow } from '../core/errors.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import { parseTimeSpan } from '../core/time-span.ts';
import type { HashField } from '../ports/cache.ts';
import type { Call } from './host-call.ts';
import { refuseParam } from './param-rules.ts';
import { asText, isBlank } from './param-values.ts';

/** The first argument as a key of the run's tenant. @throws AppError CACHE_KEY_INVALID, CACHE_KEY_FOREIGN. */
export function readKey({ args, context }: Call): CacheKey {
  return orThrow(toCacheKey(context.tenant, asText(args[0])));
}

/** A value as the text that is stored: numbers and booleans as theirs, null as ''. Objects are refused. */
export function readValue(call: Call, value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'boolean' ? String(value) : asText(value);
  if (text === undefined) return refuseParam('value', 'cacheValue', call.lang);
  const size = new TextEncoder().encode(text).byteLength;
  if (size > MAX_CACHE_VALUE_BYTES) throw new AppError('CACHE_VALUE_TOO_LARGE', { size, limit: MAX_CACHE_VALUE_BYTES });
  return text;
}

/**
 * A life: seconds as a number, or `d.HH:mm:ss`. Undefined when none is given. What cannot be read is refused: a value
 * that was to end would stay for ever. @returns milliseconds.
 */
export function readLife(call: Call, value: JsonValue | undefined): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const ms = typeof value === 'number' ? Math.floor(value * 1000) : parseTimeSpan(asText(value) ?? '');
  if (ms === undefined || ms < 1 || ms > MAX_CACHE_TTL_MS) return refuseParam('seconds', 'cacheLife', call.lang);
  return ms;
}

/** The same where it must be given. @throws AppError PARAM_MISSING. */
export function readRequiredLife(call: Call, value: JsonValue | undefined): number {
  const ms = readLife(call, value);
  if (ms === undefined) throw new AppError('PARAM_MISSING', { field: 'seconds' });
  return ms;
}

/** The name of a hash's field. */
export function readField(call: Call, value: JsonValue | undefined): string {
  const name = asText(value);
  if (name === undefined || name === '') throw new AppError('PARAM_MISSING', { field: 'field' });
  const fits = new TextEncoder().encode(name).byteLength <= MAX_CACHE_FIELD_BYTES;
  return fits && name.isWellFormed() ? name : refuseParam('field', 'cacheField', call.lang);
}

/** `(key, field, value)` or `(key, [{Name, Value}])`. */
export function readFields(call: Call): readonly HashField[] {
  const [, second, third] = call.args;
  if (!Array.isArray(second)) return [[readField(call, second), readValue(call, third)]];
  if (isBlank(second)) return refuseParam('fields', 'cacheFields', call.lang);
  return second.map((entry: JsonValue) => {
    if (!isJsonObject(entry)) return refuseParam('fields', 'cacheFields', call.lang);
    return [readField(call, entry.Name), readValue(call, entry.Value)] as const;
  });
}

/** The number that is added to a counter; 1 when none is given. */
export function readStep(call: Call, value: JsonValue | undefined): number {
  if (value === undefined || value === null) return 1;
  const text = asText(value)?.trim() ?? '';
  const step = Number(text);
  return text !== '' && Number.isFinite(step) ? step : refuseParam('n', 'number', call.lang);
}
