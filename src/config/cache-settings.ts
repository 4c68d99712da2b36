/** Settings of `cache.*`: what one tenant may keep in V8.Cache. */
import * as z from 'zod';
import { BYTES_PER_MB, DEFAULT_BYTES_PER_TENANT, DEFAULT_KEYS_PER_TENANT } from '../core/cache-limits.ts';
import { setting } from './setting-doc.ts';

export const CACHE_SETTINGS = z
  .strictObject({
    keysPerTenant: setting(z.int().min(100).max(10_000_000).default(DEFAULT_KEYS_PER_TENANT), {
      zh: '每个租户在 V8.Cache 中的键数上限；值最大 1 MiB，一个哈希最多 10,000 个字段。',
      en: 'Keys of V8.Cache that one tenant may have; a value has at most 1 MiB, a hash 10,000 fields.',
    }),
    mbPerTenant: setting(
      z
        .int()
        .min(1)
        .max(1_048_576)
        .default(DEFAULT_BYTES_PER_TENANT / BYTES_PER_MB),
      {
        zh: '没有 cacheUrl 时，每个租户在 V8.Cache 中的键名与值的总大小上限（MiB）。使用 Redis 时由 keysPerTenant 和 Redis 自己的 maxmemory 限制。',
        en: 'Names and values of V8.Cache that one tenant may have without cacheUrl, in MiB. On Redis keysPerTenant and its own maxmemory bound them.',
      },
    ),
  })
  .prefault({});
