import { join } from 'node:path';
import { createEmbeddedCache } from '../adapters/embedded/embedded-cache.ts';
import { EmbeddedInvalidation } from '../adapters/embedded/embedded-invalidation.ts';
import { EmbeddedLocks } from '../adapters/embedded/embedded-locks.ts';
import { createRedis } from '../adapters/redis/create-redis.ts';
import type { Config } from '../config/load-config.ts';
import { BYTES_PER_MB } from '../core/cache-limits.ts';
import { coerceError } from '../core/errors.ts';
import type { Releasers } from '../lifecycle.ts';
import type { Cache } from '../ports/cache.ts';
import type { Clock } from '../ports/clock.ts';
import type { Invalidation } from '../ports/invalidation.ts';
import type { Locks } from '../ports/locks.ts';
import type { Log } from '../ports/log.ts';

export interface SharedParts {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly releasers: Releasers;
}

/**
 * What hosts share: cache, locks and events. Over Redis with `cacheUrl`, where a Redis that is away stops no start; else in
 * this process, the cache in `host.db`.
 * @throws AppError CACHE_UNAVAILABLE, SCHEMA_NEWER for the file.
 */
export async function openShared(
  config: Config,
  { dataDir, clock, log, releasers }: SharedParts,
): Promise<{ readonly cache: Cache; readonly invalidation: Invalidation; readonly locks: Locks }> {
  const { keysPerTenant, mbPerTenant } = config.cache;
  if (config.cacheUrl === undefined) {
    const cache = await createEmbeddedCache({
      file: join(dataDir, 'host.db'),
      clock,
      keysPerTenant,
      bytesPerTenant: mbPerTenant * BYTES_PER_MB,
    });
    releasers.add('cache', () => cache.close());
    return { cache, invalidation: new EmbeddedInvalidation(), locks: new EmbeddedLocks(clock) };
  }
  const redis = createRedis({
    url: config.cacheUrl.reveal(),
    clock,
    log: log.child('adapters.redis'),
    keysPerTenant,
  });
  releasers.add('Redis', () => redis.close());
  redis.probe().catch((e: unknown) => log.warn('cache.connect_failed', { err: coerceError(e) }));
  return redis;
}
