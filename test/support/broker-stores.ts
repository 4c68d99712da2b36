import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { EmbeddedBrokerStore } from '../../src/adapters/embedded/broker-store.ts';
import { BrokerKeys } from '../../src/adapters/redis/broker-keys.ts';
import { RedisBrokerStore, type RedisBrokerStoreParts } from '../../src/adapters/redis/redis-broker-store.ts';
import { RedisLink } from '../../src/adapters/redis/redis-link.ts';
import { systemClock } from '../../src/adapters/system/system-clock.ts';
import { parseCacheUrl } from '../../src/core/cache-url.ts';
import { orThrow } from '../../src/core/errors.ts';
import type { BrokerStore } from '../../src/ports/broker-store.ts';
import { freshRedis } from './services/fresh-redis.ts';
import { SILENT_LOG } from './silent-log.ts';
import { tempDir } from './temp-dir.ts';

export type OpenStore = () => Promise<BrokerStore>;

/** A connection to Redis, gone with the test. */
export function linkTo(t: TestContext, url: string): RedisLink {
  const link = new RedisLink({
    url: orThrow(parseCacheUrl(url)),
    purpose: 'mqtt',
    log: SILENT_LOG,
    clock: systemClock('UTC'),
  });
  t.after(() => link.close());
  return link;
}

/** Keys of the store that `openRedisStore` opens. */
export const REDIS_KEYS = new BrokerKeys('test');

/** Begins a broker's term on Redis. */
export function openRedisStore(
  link: RedisLink,
  parts: Partial<Omit<RedisBrokerStoreParts, 'link'>> = {},
): Promise<RedisBrokerStore> {
  return RedisBrokerStore.open({ link, installation: 'test', log: SILENT_LOG, onLost: () => {}, ...parts });
}

/** The stores of the broker, each empty; what is opened again has what the former left. */
export const BROKER_STORES: Record<string, (t: TestContext) => Promise<OpenStore>> = {
  file: async (t) => {
    const file = join(tempDir(t), 'host.db');
    return async () => EmbeddedBrokerStore.open(file);
  },
  Redis: async (t) => {
    const link = linkTo(t, await freshRedis());
    return () => openRedisStore(link);
  },
};
