import { bilingual } from './bilingual.ts';
import { AppError } from './errors.ts';

/** What a tenant's cache can be full of, and what helps beside removing something. */
const BOUNDS = {
  keys: {
    what: bilingual('键的数量', 'keys'),
    otherwise: bilingual('由运维提高 cache.keysPerTenant', 'let the operator raise cache.keysPerTenant'),
  },
  bytes: {
    what: bilingual('键名与值的字节数', 'bytes of names and values'),
    otherwise: bilingual('由运维提高 cache.mbPerTenant', 'let the operator raise cache.mbPerTenant'),
  },
  fields: {
    what: bilingual('一个哈希的字段数', 'fields of one hash'),
    otherwise: bilingual('分成几个哈希', 'split the hash'),
  },
} as const;

export type CacheBound = keyof typeof BOUNDS;

/** The refusal of a write that would pass a bound; it names the bound and the setting behind it. */
export function cacheFull(bound: CacheBound, limit: number): AppError {
  return new AppError('CACHE_FULL', { ...BOUNDS[bound], limit });
}
