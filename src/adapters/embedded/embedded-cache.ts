import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { bilingual } from '../../core/bilingual.ts';
import { cacheFull } from '../../core/cache-full.ts';
import { type CacheKey, cacheOwner } from '../../core/cache-key.ts';
import {
  DEFAULT_BYTES_PER_TENANT,
  DEFAULT_KEYS_PER_TENANT,
  MAX_HASH_FIELDS,
  MAX_HASH_READ_BYTES,
} from '../../core/cache-limits.ts';
import { AppError } from '../../core/errors.ts';
import type { Cache, HashField } from '../../ports/cache.ts';
import type { Clock } from '../../ports/clock.ts';
import { CacheStore } from './cache-store.ts';

export interface EmbeddedCacheOptions {
  /** Path of `host.db`; its folder is made. */
  readonly file: string;
  readonly clock: Clock;
  /** Most keys that one tenant may have. */
  readonly keysPerTenant?: number;
  /** Most bytes of names and values that one tenant may have. */
  readonly bytesPerTenant?: number;
}

export interface EmbeddedCache extends Cache {
  close(): void;
}

/** Pause between two removals of expired keys. Milliseconds. */
const SWEEP_MS = 60_000;

/** Expired keys removed in one step, so that the event loop is not held. */
const SWEEP_KEYS = 1_000;

/**
 * Opens the cache of the embedded default.
 * @throws AppError CACHE_UNAVAILABLE with the reason, SCHEMA_NEWER.
 */
export async function createEmbeddedCache(options: EmbeddedCacheOptions): Promise<EmbeddedCache> {
  try {
    await mkdir(dirname(options.file), { recursive: true });
    // Values are the tenants' own: SQLite gives its side files the rights of this one.
    await (await open(options.file, 'a', 0o600)).close();
    return new SqliteCache(new CacheStore(options.file), options);
  } catch (error) {
    throw unavailable(error);
  }
}

/** Every call is one transaction of the file; nothing is remembered beside it. */
class SqliteCache implements EmbeddedCache {
  readonly #store: CacheStore;
  readonly #clock: Clock;
  readonly #keysPerTenant: number;
  readonly #bytesPerTenant: number;
  readonly #closing = new AbortController();

  constructor(store: CacheStore, options: EmbeddedCacheOptions) {
    this.#store = store;
    this.#clock = options.clock;
    this.#keysPerTenant = options.keysPerTenant ?? DEFAULT_KEYS_PER_TENANT;
    this.#bytesPerTenant = options.bytesPerTenant ?? DEFAULT_BYTES_PER_TENANT;
    void this.#sweep();
  }

  get(key: CacheKey): Promise<string | undefined> {
    return this.#do(() => this.#string(key));
  }

  set(key: CacheKey, value: string, ttlMs?: number): Promise<void> {
    return this.#write(key, () => this.#put(key, value, ttlMs));
  }

  setIfAbsent(key: CacheKey, value: string, ttlMs?: number): Promise<boolean> {
    return this.#write(key, () => {
      if (this.#find(key) !== undefined) return false;
      this.#put(key, value, ttlMs);
      return true;
    });
  }

  increment(key: CacheKey, by: number, ttlMs?: number): Promise<number> {
    return this.#write(key, () => {
      const found = this.#string(key);
      const sum = add(key, found ?? '0', by);
      if (found === undefined) this.#put(key, String(sum), ttlMs);
      else this.#store.setValue(key, String(sum));
      return sum;
    });
  }

  delete(key: CacheKey): Promise<boolean> {
    return this.#do(() => {
      const found = this.#find(key) !== undefined;
      this.#store.drop(key);
      return found;
    });
  }

  deletePrefix(prefix: CacheKey): Promise<number> {
    return this.#do(() => this.#store.dropPrefix(prefix, this.#clock.now()));
  }

  exists(key: CacheKey): Promise<boolean> {
    return this.#do(() => this.#find(key) !== undefined);
  }

  expire(key: CacheKey, ttlMs: number): Promise<boolean> {
    return this.#do(() => {
      const found = this.#find(key) !== undefined;
      if (found) this.#store.setExpiry(key, this.#clock.now() + ttlMs);
      return found;
    });
  }

  hashSet(key: CacheKey, fields: readonly HashField[]): Promise<number> {
    return this.#write(key, () => {
      if (fields.length === 0) return 0;
      if (!this.#isHash(key)) this.#put(key, null, undefined);
      const before = this.#store.countFields(key);
      for (const [name, value] of fields) this.#store.putField(key, name, value);
      return this.#checkFields(key) - before;
    });
  }

  hashGet(key: CacheKey, field: string): Promise<string | undefined> {
    return this.#do(() => this.#field(key, field));
  }

  hashGetAll(key: CacheKey): Promise<readonly HashField[]> {
    return this.#do(() => {
      if (!this.#isHash(key)) return [];
      const size = this.#store.weighFields(key);
      const limit = MAX_HASH_READ_BYTES;
      if (size > limit) throw new AppError('CACHE_VALUE_TOO_LARGE', { size, limit });
      return this.#store.fields(key);
    });
  }

  hashDelete(key: CacheKey, fields: readonly string[]): Promise<number> {
    return this.#do(() => {
      if (!this.#isHash(key)) return 0;
      const removed = fields.filter((field) => this.#store.dropField(key, field)).length;
      if (this.#store.countFields(key) === 0) this.#store.drop(key);
      return removed;
    });
  }

  hashExists(key: CacheKey, field: string): Promise<boolean> {
    return this.#do(() => this.#field(key, field) !== undefined);
  }

  hashLength(key: CacheKey): Promise<number> {
    return this.#do(() => (this.#isHash(key) ? this.#store.countFields(key) : 0));
  }

  hashIncrement(key: CacheKey, field: string, by: number): Promise<number> {
    return this.#write(key, () => {
      const sum = add(key, this.#field(key, field) ?? '0', by);
      if (!this.#isHash(key)) this.#put(key, null, undefined);
      this.#store.putField(key, field, String(sum));
      this.#checkFields(key);
      return sum;
    });
  }

  close(): void {
    this.#closing.abort();
    this.#store.close();
  }

  async #do<T>(work: () => T): Promise<T> {
    try {
      return this.#store.transact(work);
    } catch (error) {
      throw unavailable(error);
    }
  }

  /**
   * A write that may need room. Expired keys hold none: when it is refused they are removed and it is tried again, from
   * the same state, since a refused one is rolled back.
   */
  async #write<T>(key: CacheKey, work: () => T): Promise<T> {
    const owner = cacheOwner(key);
    for (;;) {
      try {
        return this.#store.transact(() => this.#weighed(owner, work));
      } catch (error) {
        const isFull = error instanceof AppError && error.code === 'CACHE_FULL';
        if (!isFull || this.#dropExpiredOf(owner) === 0) throw unavailable(error);
      }
    }
  }

  /** @throws AppError CACHE_FULL when the work makes the tenant's part larger than it may be. */
  #weighed<T>(owner: string, work: () => T): T {
    const before = this.#store.weigh(owner);
    const result = work();
    const after = this.#store.weigh(owner);
    // A limit that was lowered below what is there still lets it be written smaller.
    if (after > this.#bytesPerTenant && after > before) throw cacheFull('bytes', this.#bytesPerTenant);
    return result;
  }

  #find(key: string) {
    return this.#store.find(key, this.#clock.now());
  }

  #string(key: string): string | undefined {
    const found = this.#find(key);
    if (found?.kind === 'hash') throw mismatch(key, WRONG_KIND);
    return found?.text;
  }

  /** False when the key holds nothing. */
  #isHash(key: string): boolean {
    const found = this.#find(key);
    if (found?.kind === 'string') throw mismatch(key, WRONG_KIND);
    return found !== undefined;
  }

  /** Writes a string, or an empty hash for null. @throws AppError CACHE_FULL when the key is new and there is no room. */
  #put(key: CacheKey, value: string | null, ttlMs: number | undefined): void {
    if (!this.#store.has(key) && this.#store.countKeys(cacheOwner(key)) >= this.#keysPerTenant) {
      throw cacheFull('keys', this.#keysPerTenant);
    }
    this.#store.replace(key, value, ttlMs === undefined ? null : this.#clock.now() + ttlMs);
  }

  /** @returns removed keys; none when the file cannot be written now. */
  #dropExpiredOf(owner: string): number {
    try {
      return this.#store.transact(() => this.#store.dropExpiredOf(owner, this.#clock.now(), SWEEP_KEYS));
    } catch {
      return 0;
    }
  }

  /** @throws AppError CACHE_FULL, which undoes the write. */
  #checkFields(key: string): number {
    const count = this.#store.countFields(key);
    if (count > MAX_HASH_FIELDS) throw cacheFull('fields', MAX_HASH_FIELDS);
    return count;
  }

  #field(key: string, field: string): string | undefined {
    return this.#isHash(key) ? this.#store.findField(key, field) : undefined;
  }

  /** Expired keys are invisible at once; this frees their place. */
  async #sweep(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const removed = await this.#do(() => this.#store.dropExpired(this.#clock.now(), SWEEP_KEYS)).catch(() => 0);
      await this.#clock.sleep(removed === SWEEP_KEYS ? 10 : SWEEP_MS, this.#closing.signal);
    }
  }
}

const WRONG_KIND = bilingual('字符串与哈希不能混用', 'a string is no hash and a hash no string');
const NO_NUMBER = bilingual('内容不是数字', 'it is no number');
const OUT_OF_RANGE = bilingual('结果超出数值范围', 'the sum is out of range');

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Adds as a Redis server does, in decimal: 0.1 and 0.2 make 0.3. Whole numbers are exact within ±(2^53-1). */
function add(key: string, text: string, by: number): number {
  if (!NUMBER.test(text)) throw mismatch(key, NO_NUMBER);
  const sum = Number(text) + by;
  if (!Number.isFinite(sum)) throw mismatch(key, OUT_OF_RANGE);
  return Number.isInteger(sum) ? sum : Number(sum.toPrecision(15));
}

function mismatch(key: string, rule: string): AppError {
  return new AppError('CACHE_VALUE_MISMATCH', { key, rule });
}

function unavailable(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new AppError('CACHE_UNAVAILABLE', { reason }, { cause: error });
}
