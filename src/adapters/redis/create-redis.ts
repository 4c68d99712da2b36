import { DEFAULT_KEYS_PER_TENANT } from '../../core/cache-limits.ts';
import { parseCacheUrl } from '../../core/cache-url.ts';
import { orThrow } from '../../core/errors.ts';
import type { Cache } from '../../ports/cache.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Invalidation } from '../../ports/invalidation.ts';
import type { Locks } from '../../ports/locks.ts';
import type { Log } from '../../ports/log.ts';
import { RedisCache } from './redis-cache.ts';
import { RedisInvalidation } from './redis-invalidation.ts';
import { RedisLink } from './redis-link.ts';
import { RedisLocks } from './redis-locks.ts';

export interface RedisOptions {
  /** `redis://` or `rediss://` (core/cache-url.ts); never logged. */
  readonly url: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Most keys of the cache that one tenant may have. */
  readonly keysPerTenant?: number;
}

export interface RedisServices {
  readonly cache: Cache;
  readonly locks: Locks;
  readonly invalidation: Invalidation;
  /** True while commands are served. */
  isUp(): boolean;
  /** Resolves when the server answers, rejects with the reason; settles within 7 s. @throws AppError CACHE_UNAVAILABLE. */
  probe(): Promise<void>;
  close(): void;
}

/**
 * Cache, locks and events on one Redis server over two connections, which are made in the background and come back by
 * themselves: a server that is away is found by `probe`, not by this function.
 * @throws AppError CACHE_URL_INVALID.
 */
export function createRedis(options: RedisOptions): RedisServices {
  const url = orThrow(parseCacheUrl(options.url));
  const { log, clock } = options;
  const commands = new RedisLink({
    url,
    log,
    clock,
    purpose: 'commands',
    onUp: () => void invalidation.announceOwed(),
  });
  const invalidation: RedisInvalidation = new RedisInvalidation({ url, log, clock, commands });
  return {
    cache: new RedisCache(commands, options.keysPerTenant ?? DEFAULT_KEYS_PER_TENANT),
    locks: new RedisLocks(commands),
    invalidation,
    isUp: () => commands.isUp,
    probe: () => commands.probe(),
    close() {
      invalidation.close();
      commands.close();
    },
  };
}
