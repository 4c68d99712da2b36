/**
 * V8.Cache: short-lived values of the tenant (v8-surface.md 6.1). It is outside the transaction. Failures are answered
 * by a DosResult with Code 0, never by null or false, which would mean that there is no value.
 */
import type { DosResult } from '../core/dos-result.ts';
import { AppError, describeError } from '../core/errors.ts';
import type { JsonValue } from '../core/json.ts';
import type { HashField } from '../ports/cache.ts';
import { warnAuthor } from './author-warning.ts';
import { readField, readFields, readKey, readLife, readRequiredLife, readStep, readValue } from './cache-values.ts';
import { type Call, type HostCall, hostCall } from './host-call.ts';

const DELETE = cacheCall((call) => call.context.cache.delete(readKey(call)));
const EXISTS = cacheCall((call) => call.context.cache.exists(readKey(call)));

export const CACHE = {
  'Cache.Get': cacheCall(async (call) => (await call.context.cache.get(readKey(call))) ?? null),
  'Cache.Set': cacheCall(set),
  /** True when it was set: the key held nothing. */
  'Cache.SetIfNotExists': cacheCall((call) => {
    const [, value, life] = call.args;
    return call.context.cache.setIfAbsent(readKey(call), readValue(call, value), readRequiredLife(call, life));
  }),
  'Cache.Delete': DELETE,
  'Cache.Del': DELETE,
  'Cache.Remove': DELETE,
  /** Removes every key that starts with the text; answers how many. */
  'Cache.RemoveParent': cacheCall((call) => call.context.cache.deletePrefix(readKey(call))),
  'Cache.KeyExist': EXISTS,
  'Cache.Exists': EXISTS,
  'Cache.Expire': cacheCall((call) => call.context.cache.expire(readKey(call), readRequiredLife(call, call.args[1]))),
  'Cache.HashSet': cacheCall(hashSet),
  'Cache.HashGet': cacheCall(
    async (call) => (await call.context.cache.hashGet(readKey(call), readField(call, call.args[1]))) ?? null,
  ),
  'Cache.HashGetAll': hashRead(([name, value]) => ({ Name: name, Value: value })),
  'Cache.HashGetAllKeys': hashRead(([name]) => name),
  'Cache.HashGetAllValues': hashRead(([, value]) => value),
  'Cache.HashDelete': cacheCall(hashDelete),
  'Cache.HashRemove': cacheCall(async (call) => (await hashDelete(call)) !== 0),
  'Cache.HashExists': cacheCall((call) => call.context.cache.hashExists(readKey(call), readField(call, call.args[1]))),
  'Cache.HashLength': cacheCall((call) => call.context.cache.hashLength(readKey(call))),
  'Cache.HashIncrement': cacheCall((call) =>
    call.context.cache.hashIncrement(readKey(call), readField(call, call.args[1]), readStep(call, call.args[2])),
  ),
} as const;

/** Scripts seldom look at what a cache answers, so its failures are told to the author as well. */
function cacheCall(member: (call: Call) => Promise<JsonValue | DosResult>): HostCall {
  return hostCall(async (call) => {
    try {
      return await member(call);
    } catch (thrown) {
      if (thrown instanceof AppError) {
        warnAuthor(call, {
          zh: `V8.Cache：${describeError(thrown, 'zh')}`,
          en: `V8.Cache: ${describeError(thrown, 'en')}`,
        });
      }
      throw thrown;
    }
  });
}

async function set(call: Call): Promise<boolean> {
  const [, value, life] = call.args;
  await call.context.cache.set(readKey(call), readValue(call, value), readLife(call, life));
  return true;
}

async function hashSet(call: Call): Promise<boolean> {
  await call.context.cache.hashSet(readKey(call), readFields(call));
  return true;
}

function hashRead(shape: (field: HashField) => JsonValue): HostCall {
  return cacheCall(async (call) => (await call.context.cache.hashGetAll(readKey(call))).map(shape));
}

/** One field: whether it was there. A list: how many were. */
async function hashDelete(call: Call): Promise<boolean | number> {
  const [, fields] = call.args;
  const key = readKey(call);
  if (!Array.isArray(fields)) return (await call.context.cache.hashDelete(key, [readField(call, fields)])) > 0;
  return call.context.cache.hashDelete(
    key,
    fields.map((field: JsonValue) => readField(call, field)),
  );
}
