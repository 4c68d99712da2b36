import { Redis } from 'ioredis';

/** Sends one command over a connection of its own. */
export async function redisCommand(url: string, name: string, ...args: readonly string[]): Promise<unknown> {
  const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 1, retryStrategy: () => null });
  try {
    await client.connect();
    return await client.call(name, ...args);
  } finally {
    client.disconnect();
  }
}
