/** A test file of a run of its own: uses a shared service and one of its own, and is then still busy. */
import { test } from 'node:test';
import { startRedis } from './redis.ts';
import { service } from './services.ts';

test('uses services', async () => {
  const { redisUrl } = await service('redis');
  const own = await startRedis();
  process.stderr.write(`${JSON.stringify({ urls: [redisUrl, own.url] })}\n`);
  await new Promise((resolve) => setTimeout(resolve, 100_000));
});
