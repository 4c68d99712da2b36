import type { CacheKey } from '../../core/cache-key.ts';
import type { Cache, HashField } from '../../ports/cache.ts';
import type { RedisLink } from './redis-link.ts';

/** A counter that is new gets its life in the same step, or a crash between would leave it for ever. */
const INCREMENT = `
  local isNew = redis.call('EXISTS', KEYS[1]) == 0
  local sum = redis.call('INCRBYFLOAT', KEYS[1], ARGV[1])
  if isNew and ARGV[2] ~= '' then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
  return sum`;

/** Keys that one step of a walk over the server looks at. */
const SCAN_COUNT = 1_000;

/** The cache on a Redis server, under the very keys and types that the platform uses. */
export class RedisCache implements Cache {
  readonly #link: RedisLink;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  async get(key: CacheKey): Promise<string | undefined> {
    return (await this.#link.run((redis) => redis.get(key), key)) ?? undefined;
  }

  async set(key: CacheKey, value: string, ttlMs?: number): Promise<void> {
    await this.#link.run((redis) => (ttlMs === undefined ? redis.set(key, value) : redis.set(key, value, 'PX', ttlMs)));
  }

  async setIfAbsent(key: CacheKey, value: string, ttlMs?: number): Promise<boolean> {
    const answer = await this.#link.run((redis) =>
      ttlMs === undefined ? redis.set(key, value, 'NX') : redis.set(key, value, 'PX', ttlMs, 'NX'),
    );
    return answer === 'OK';
  }

  async increment(key: CacheKey, by: number, ttlMs?: number): Promise<number> {
    return Number(await this.#link.run((redis) => redis.eval(INCREMENT, 1, key, by, ttlMs ?? ''), key));
  }

  async delete(key: CacheKey): Promise<boolean> {
    return (await this.#link.run((redis) => redis.del(key))) > 0;
  }

  async deletePrefix(prefix: CacheKey): Promise<number> {
    const pattern = `${prefix.replace(/[\\*?[\]]/g, '\\$&')}*`;
    let cursor = '0';
    let removed = 0;
    do {
      const [next, keys] = await this.#link.run((redis) => redis.scan(cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT));
      if (keys.length > 0) removed += await this.#link.run((redis) => redis.unlink(...keys));
      cursor = next;
    } while (cursor !== '0');
    return removed;
  }

  async exists(key: CacheKey): Promise<boolean> {
    return (await this.#link.run((redis) => redis.exists(key))) > 0;
  }

  async expire(key: CacheKey, ttlMs: number): Promise<boolean> {
    return (await this.#link.run((redis) => redis.pexpire(key, ttlMs))) > 0;
  }

  async hashSet(key: CacheKey, fields: readonly HashField[]): Promise<number> {
    if (fields.length === 0) return 0;
    return this.#link.run((redis) => redis.hset(key, ...fields.flat()), key);
  }

  async hashGet(key: CacheKey, field: string): Promise<string | undefined> {
    return (await this.#link.run((redis) => redis.hget(key, field), key)) ?? undefined;
  }

  async hashGetAll(key: CacheKey): Promise<readonly HashField[]> {
    return Object.entries(await this.#link.run((redis) => redis.hgetall(key), key));
  }

  async hashDelete(key: CacheKey, fields: readonly string[]): Promise<number> {
    if (fields.length === 0) return 0;
    return this.#link.run((redis) => redis.hdel(key, ...fields), key);
  }

  async hashExists(key: CacheKey, field: string): Promise<boolean> {
    return (await this.#link.run((redis) => redis.hexists(key, field), key)) > 0;
  }

  async hashLength(key: CacheKey): Promise<number> {
    return this.#link.run((redis) => redis.hlen(key), key);
  }

  async hashIncrement(key: CacheKey, field: string, by: number): Promise<number> {
    return Number(await this.#link.run((redis) => redis.hincrbyfloat(key, field, by), key));
  }
}
