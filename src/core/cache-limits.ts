/** What one tenant may keep in the cache. */

/** Longest value of a key or of a hash's field. Bytes of UTF-8. */
export const MAX_CACHE_VALUE_BYTES = 1024 * 1024;

/** Longest name of a hash's field. Bytes of UTF-8. */
export const MAX_CACHE_FIELD_BYTES = 1024;

/** Names and values of a hash that is read as a whole; a script could take no more. Bytes of UTF-8. */
export const MAX_HASH_READ_BYTES = 16 * 1024 * 1024;

/** Fields of one hash. */
export const MAX_HASH_FIELDS = 10_000;

/** Keys of one tenant, unless the configuration says otherwise. */
export const DEFAULT_KEYS_PER_TENANT = 100_000;

export const BYTES_PER_MB = 1024 * 1024;

/** Names and values of one tenant in the embedded cache, unless the configuration says otherwise. Bytes of UTF-8. */
export const DEFAULT_BYTES_PER_TENANT = 256 * BYTES_PER_MB;

/** Longest life that can be asked for; a cache is no archive. Milliseconds. */
export const MAX_CACHE_TTL_MS = 3_650 * 86_400_000;
