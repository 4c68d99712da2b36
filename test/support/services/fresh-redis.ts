import { Redis as Client } from 'ioredis';
import { service } from './services.ts';

/**
 * An empty database of the shared Redis. Channels of PUBLISH know no databases: tests of these take a server of their
 * own (`startRedis`, under 100 ms). A given server with 16 databases gives each of them again after 15 calls.
 * @returns its URL: `redis://HOST:PORT/NUMBER`.
 */
export async function freshRedis(): Promise<string> {
  const { redisUrl } = await service('redis');
  const client = new Client(redisUrl, { lazyConnect: true, maxRetriesPerRequest: 1, retryStrategy: () => null });
  try {
    await client.connect();
    const [, databases = '16'] = (await client.config('GET', 'databases')) as string[];
    const turn = await client.incr('v8host:test-databases');
    const database = 1 + (turn % (Number(databases) - 1));
    await client.select(database);
    await client.flushdb();
    return Object.assign(new URL(redisUrl), { pathname: `/${database}` }).href;
  } finally {
    client.disconnect();
  }
}
