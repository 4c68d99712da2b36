import { type CacheKey, cacheOwner } from '../../core/cache-key.ts';
import { MAX_HASH_FIELDS, MAX_HASH_READ_BYTES } from '../../core/cache-limits.ts';
import { AppError } from '../../core/errors.ts';
import type { Cache, HashField } from '../../ports/cache.ts';
import * as scripts from './cache-scripts.ts';
import type { RedisLink } from './redis-link.ts';

/** Keys that one step of a walk over the server looks at. */
const SCAN_COUNT = 1_000;

/** The cache on a Redis server, under the very keys and types that the platform uses. */
export class RedisCache implements Cache {
  readonly #link: RedisLink;
  readonly #keysPerTenant: number;

  constructor(link: RedisLink, keysPerTenant: number) {
    this.#link = link;
    this.#keysPerTenant = keysPerTenant;
  }

  async get(key: CacheKey): Promise<string | undefined> {
    return (await this.#link.run((redis) => redis.get(key), key)) ?? undefined;
  }

  async set(key: CacheKey, value: string, ttlMs?: number): Promise<void> {
    await this.#write(scripts.SET, key, value, ttlMs ?? '');
  }

  async setIfAbsent(key: CacheKey, value: string, ttlMs?: number): Promise<boolean> {
    return (await this.#write(scripts.SET_IF_ABSENT, key, value, ttlMs ?? '')) === 1;
  }

  async increment(key: CacheKey, by: number, ttlMs?: number): Promise<number> {
    return Number(await this.#write(scripts.INCREMENT, key, by, ttlMs ?? ''));
  }

  async delete(key: CacheKey): Promise<boolean> {
    return Number(await this.#write(scripts.DELETE, key)) > 0;
  }

  async deletePrefix(prefix: CacheKey): Promise<number> {
    const pattern = `${prefix.replace(/[\\*?[\]]/g, '\\$&')}*`;
    let cursor = '0';
    let removed = 0;
    do {
      const [next, keys] = await this.#link.run((redis) => redis.scan(cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT));
      if (keys.length > 0) {
        removed += await this.#link.run((redis) => redis.unlink(...keys));
        await this.#link.run((redis) => redis.zrem(indexOf(prefix), ...keys));
      }
      cursor = next;
    } while (cursor !== '0');
    return removed;
  }

  async exists(key: CacheKey): Promise<boolean> {
    return (await this.#link.run((redis) => redis.exists(key))) > 0;
  }

  async expire(key: CacheKey, ttlMs: number): Promise<boolean> {
    return Number(await this.#write(scripts.EXPIRE, key, ttlMs)) > 0;
  }

  async hashSet(key: CacheKey, fields: readonly HashField[]): Promise<number> {
    if (fields.length === 0) return 0;
    return Number(await this.#write(scripts.HASH_SET, key, MAX_HASH_FIELDS, ...fields.flat()));
  }

  async hashGet(key: CacheKey, field: string): Promise<string | undefined> {
    return (await this.#link.run((redis) => redis.hget(key, field), key)) ?? undefined;
  }

  async hashGetAll(key: CacheKey): Promise<readonly HashField[]> {
    const limit = MAX_HASH_READ_BYTES;
    const found = await this.#link.run((redis) => redis.eval(scripts.HASH_READ, 1, key, limit), key);
    if (!Array.isArray(found)) throw new AppError('CACHE_VALUE_TOO_LARGE', { size: Number(found), limit });
    const texts = found.map(String);
    return texts.flatMap((name, at): HashField[] => (at % 2 === 0 ? [[name, texts[at + 1] ?? '']] : []));
  }

  async hashDelete(key: CacheKey, fields: readonly string[]): Promise<number> {
    if (fields.length === 0) return 0;
    return Number(await this.#write(scripts.HASH_DELETE, key, ...fields));
  }

  async hashExists(key: CacheKey, field: string): Promise<boolean> {
    return (await this.#link.run((redis) => redis.hexists(key, field), key)) > 0;
  }

  async hashLength(key: CacheKey): Promise<number> {
    return this.#link.run((redis) => redis.hlen(key), key);
  }

  async hashIncrement(key: CacheKey, field: string, by: number): Promise<number> {
    return Number(await this.#write(scripts.HASH_INCREMENT, key, MAX_HASH_FIELDS, field, by));
  }

  #write(script: string, key: CacheKey, ...values: readonly (string | number)[]): Promise<unknown> {
    return this.#link.run((redis) => redis.eval(script, 2, key, indexOf(key), this.#keysPerTenant, ...values), key);
  }
}

/** The index of a tenant's keys: outside every tenant's namespace, so that no script can write it. */
function indexOf(key: CacheKey): string {
  return `v8host:cache-keys:${cacheOwner(key)}`;
}
