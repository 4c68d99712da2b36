import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { EmbeddedBrokerStore } from '../../src/adapters/embedded/broker-store.ts';
import { RedisBrokerStore } from '../../src/adapters/redis/redis-broker-store.ts';
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

/** The stores of the broker, each empty; what is opened again has what the former left. */
export const BROKER_STORES: Record<string, (t: TestContext) => Promise<OpenStore>> = {
  file: async (t) => {
    const file = join(tempDir(t), 'host.db');
    return async () => EmbeddedBrokerStore.open(file);
  },
  Redis: async (t) => {
    const link = linkTo(t, await freshRedis());
    return () => RedisBrokerStore.open({ link, log: SILENT_LOG, onLost: () => {} });
  },
};
