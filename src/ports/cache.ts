/**
 * Short-lived values shared by the hosts: Redis, or the embedded one. Keys are checked (core/cache-key.ts). A cache is
 * not part of a transaction: what a run writes here stays when the run rolls back.
 *
 * All promises settle within about 2 s: a cache that is away rejects with CACHE_UNAVAILABLE, after which it is unknown
 * whether a write happened. A key holds a string or a hash; the wrong one rejects with CACHE_VALUE_MISMATCH. Times to
 * live are whole milliseconds, at least 1. A write that would pass a tenant's number of keys, or the fields of one
 * hash, rejects with CACHE_FULL and changes nothing; keys that are there can always be written.
 */
import type { CacheKey } from '../core/cache-key.ts';

export interface Cache {
  /** The string, or undefined when there is none or it expired. */
  get(key: CacheKey): Promise<string | undefined>;
  /** Replaces whatever the key holds, its expiry included; without `ttlMs` it stays. */
  set(key: CacheKey, value: string, ttlMs?: number): Promise<void>;
  /** Stores the string when the key holds nothing, in one step. @returns true when it did. */
  setIfAbsent(key: CacheKey, value: string, ttlMs?: number): Promise<boolean>;
  /** Adds to the number under the key, 0 when there is none. @param ttlMs life of a new key. @returns the sum. */
  increment(key: CacheKey, by: number, ttlMs?: number): Promise<number>;
  /** Removes the key. @returns true when it was there. */
  delete(key: CacheKey): Promise<boolean>;
  /** Removes every key that starts with the text; not in one step. @returns removed keys. */
  deletePrefix(prefix: CacheKey): Promise<number>;
  /** True when the key holds something. */
  exists(key: CacheKey): Promise<boolean>;
  /** Lets the key live so long from now. @returns false when there is none. */
  expire(key: CacheKey, ttlMs: number): Promise<boolean>;
  /** Sets fields of a hash and keeps its expiry. @returns fields that are new. */
  hashSet(key: CacheKey, fields: readonly HashField[]): Promise<number>;
  hashGet(key: CacheKey, field: string): Promise<string | undefined>;
  /**
   * All fields in no promised order; none when there is no hash. One of more than MAX_HASH_READ_BYTES is refused before
   * it is read: @throws AppError CACHE_VALUE_TOO_LARGE.
   */
  hashGetAll(key: CacheKey): Promise<readonly HashField[]>;
  /** Removes fields; a hash without fields is gone. @returns removed fields. */
  hashDelete(key: CacheKey, fields: readonly string[]): Promise<number>;
  hashExists(key: CacheKey, field: string): Promise<boolean>;
  hashLength(key: CacheKey): Promise<number>;
  /** Adds to the number in a field, 0 when there is none; `by` may be negative or a fraction. @returns the sum. */
  hashIncrement(key: CacheKey, field: string, by: number): Promise<number>;
}

/** A field of a hash with its value. */
export type HashField = readonly [name: string, value: string];
