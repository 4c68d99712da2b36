import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createRedis, type RedisServices } from '../../../src/adapters/redis/create-redis.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import { EngineCache } from '../../../src/app/engine-cache.ts';
import type { EngineSource } from '../../../src/core/engine.ts';
import { NO_ENGINE_LIMITS } from '../../../src/core/engine-limits.ts';
import { eventually } from '../../support/eventually.ts';
import { startRedis } from '../../support/services/redis.ts';
import { SILENT_LOG } from '../../support/silent-log.ts';

const CLOCK = systemClock('Asia/Shanghai');

/** One row that both hosts read. */
class SharedRow {
  version = 'v1';
  asked = 0;

  readonly store = {
    tenant: 't1',
    engines: { find: async () => this.#read() },
  };

  #read(): EngineSource {
    this.asked++;
    return {
      key: 'a',
      name: 'a',
      source: '',
      version: this.version,
      enabled: true,
      stopHttp: false,
      limits: NO_ENGINE_LIMITS,
    };
  }
}

/** A host's engines; kept so long that only an event can explain a new version. */
function host(t: TestContext, url: string): { redis: RedisServices; engines: EngineCache } {
  const redis = createRedis({ url, log: SILENT_LOG, clock: CLOCK });
  const engines = new EngineCache({
    clock: CLOCK,
    invalidation: redis.invalidation,
    log: SILENT_LOG,
    ttlMs: 3_600_000,
  });
  t.after(() => {
    engines.close();
    redis.close();
  });
  return { redis, engines };
}

test('a push on one host is seen by the other, before, during and after an outage of Redis', async (t) => {
  await using server = await startRedis();
  const row = new SharedRow();
  const [here, there] = [host(t, server.url), host(t, server.url)];
  const live = (expected: boolean) =>
    eventually(() => {
      for (const { redis } of [here, there]) assert.equal(redis.invalidation.isLive(), expected);
    });
  const seen = async () => (await there.engines.find(row.store, 'a'))?.version;
  const push = (version: string) => {
    row.version = version;
    return here.engines.changed('t1', ['a']);
  };

  await live(true);
  assert.deepEqual([await seen(), await seen(), row.asked], ['v1', 'v1', 1]);
  await push('v2');
  await eventually(async () => assert.equal(await seen(), 'v2'));

  await server.kill();
  await live(false);
  await push('v3');
  assert.equal(await seen(), 'v3');

  await server.start();
  await live(true);
  assert.equal(await seen(), 'v3');
  const asked = row.asked;
  await seen();
  assert.equal(row.asked, asked, 'remembered again');
  await push('v4');
  await eventually(async () => assert.equal(await seen(), 'v4'));
});
