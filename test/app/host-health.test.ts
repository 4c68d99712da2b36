/** `/readyz` from the running use cases: its phases. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Adapters } from '../../src/compose.ts';
import { AppError } from '../../src/core/errors.ts';
import type { Cache } from '../../src/ports/cache.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

test('a host starts, runs and drains, and is ready only while it runs', async (t) => {
  const host = await TestHost.open(tempDir(t));
  t.after(() => host.close());
  const { services } = host.host;
  const look = async () => {
    const { ready, phase } = await services.health();
    return { ready, phase };
  };
  assert.deepEqual(await look(), { ready: false, phase: 'starting' });
  await host.host.start();
  assert.deepEqual(await look(), { ready: true, phase: 'running' });
  await host.host.drain();
  assert.deepEqual(await look(), { ready: false, phase: 'draining' });
});

/** A cache that answers a probe in this way; everything else is the real one's. */
const withCache = (exists: () => Promise<boolean>) => (adapters: Adapters) => ({
  ...adapters,
  cache: Object.assign(Object.create(adapters.cache), { exists }) as Cache,
});

for (const [name, exists, reason] of [
  ['is away', () => Promise.reject(new AppError('CACHE_UNAVAILABLE', { reason: 'ECONNREFUSED' })), /ECONNREFUSED/],
  ['does not answer', () => new Promise<boolean>(() => {}), /1000 ms/],
] as const) {
  test(`a cache that ${name} is told, and the host stays ready`, async (t) => {
    const host = await TestHost.open(tempDir(t), { decorate: withCache(exists) });
    t.after(() => host.close());
    await host.host.start();
    const { ready, queue, cache } = await host.host.services.health();
    assert.deepEqual([ready, queue], [true, { ready: true }]);
    assert.equal(cache.ready, false);
    assert.match(String(cache.reason), reason);
  });
}
