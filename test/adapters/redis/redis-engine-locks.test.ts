/** Locks of engines between hosts that share a Redis. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedis } from '../../../src/adapters/redis/create-redis.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import { callOf, openCountingHost } from '../../support/counting-hosts.ts';
import { eventually } from '../../support/eventually.ts';
import { RecordingLog } from '../../support/recording-log.ts';
import { startRedis } from '../../support/services/redis.ts';
import { SILENT_LOG } from '../../support/silent-log.ts';

test('runs of an engine with a lock happen one after the other on hosts that share a Redis', async (t) => {
  await using server = await startRedis();
  const calls: ReturnType<typeof callOf>[] = [];
  for (let host = 0; host < 2; host++) {
    const redis = createRedis({ url: server.url, log: SILENT_LOG, clock: systemClock('Asia/Shanghai') });
    t.after(() => redis.close());
    calls.push(callOf(await openCountingHost(t, { cache: redis.cache, locks: redis.locks })));
  }
  const count = (key: string, param = {}) =>
    Promise.all(Array.from({ length: 8 }, (_, i) => calls[i % 2]?.(key, param) as Promise<{ Data: number }>));
  const numbers = (await count('count')).map(({ Data }) => Data).sort((a, b) => a - b);
  assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
  const free = (await count('count-free', { Scope: 'free' })).map(({ Data }) => Data);
  assert.ok(Math.max(...free) < 8, 'the same without a lock loses counts, so the test can see it');
});

test('failure row 41: Redis is away when an engine with a lock is to run; its message waits, uncounted, and runs once when it is back', async (t) => {
  const server = await startRedis();
  t.after(() => server.kill());
  const log = new RecordingLog();
  const redis = createRedis({ url: server.url, log: SILENT_LOG, clock: systemClock('Asia/Shanghai') });
  t.after(() => redis.close());
  const shared = { cache: redis.cache, locks: redis.locks };
  const host = await openCountingHost(t, shared, { log, policy: { queueWaitMs: 500 } });
  const note = "return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });";
  await host.push({
    'locked.js': `/**\n * @queue locked\n * @lock\n * @retry 1\n */\n${note}`,
    'free.js': `/** @queue free */\n${note}`,
  });
  await host.host.start();
  await host.send('locked', 'before', {});
  await eventually(async () => assert.deepEqual(await host.effects(), ['before']));

  await server.kill();
  await host.send('locked', 'waits', {});
  await host.send('free', 'goes on', {});
  await eventually(() => {
    const codes = log.of('delivery.deferred').map(({ fields }) => fields.code);
    assert.ok(codes.includes('CACHE_UNAVAILABLE'), codes.join());
  });
  await eventually(async () => assert.deepEqual(await host.effects(), ['before', 'goes on']));
  await assert.rejects(callOf(host)('count'), { code: 'CACHE_UNAVAILABLE' });

  await server.start();
  await eventually(async () => assert.deepEqual(await host.effects(), ['before', 'goes on', 'waits']), 30_000);
  await eventually(async () => {
    const { attempts, parked } = await host.host.services.story('demo', 'waits');
    assert.deepEqual([attempts.map(({ verdict }) => verdict), parked], [['done'], []], 'nothing was counted');
  });
});
