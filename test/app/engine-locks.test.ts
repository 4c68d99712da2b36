/** `Lock` and `LockKey` of engines: runs of one scope happen one after the other (v8-surface.md 8.4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCacheKey } from '../../src/core/cache-key.ts';
import { AppError } from '../../src/core/errors.ts';
import { callOf, openCountingHost } from '../support/counting-hosts.ts';
import { eventually } from '../support/eventually.ts';
import { accepted } from '../support/parsed.ts';
import type { TestHost } from '../support/test-host.ts';

const times = <T>(n: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => make(i)));
const keyOf = (key: string) => accepted(toCacheKey('demo', key));
const cached = (host: TestHost, key: string) => host.adapters.cache.get(keyOf(key));
const sorted = (results: readonly { Data: number }[]) => results.map(({ Data }) => Data).sort((a, b) => a - b);

test('runs of an engine with a lock happen one after the other, on two hosts that share the locks', async (t) => {
  const here = await openCountingHost(t, {});
  const { cache, locks } = here.adapters;
  const there = await openCountingHost(t, { cache, locks });
  const calls = [callOf(here), callOf(there)];
  const all = await times(8, (i) => calls[i % 2]?.('count') as Promise<{ Data: number }>);
  assert.deepEqual(sorted(all), [1, 2, 3, 4, 5, 6, 7, 8]);
});

test('LockKey divides the lock by a parameter; text and numbers that read alike are one scope', async (t) => {
  const host = await openCountingHost(t, {});
  await host.push({
    'holder.js': `/** @lock Scope */
      V8.Cache.Set('in:' + V8.Param.Scope, '1');
      while (V8.Cache.Get('go') !== '1') V8.Action.Sleep(20);
      return { Code: 1 };`,
  });
  const call = callOf(host);
  const held = call('holder', { Scope: 'a' });
  await eventually(async () => assert.ok((await cached(host, 'in:a')) === '1'));
  const other = call('holder', { Scope: 'b' });
  await eventually(async () => assert.ok((await cached(host, 'in:b')) === '1'));
  await host.adapters.cache.set(keyOf('go'), '1');
  await Promise.all([held, other]);
  assert.deepEqual(sorted(await times(4, () => call('count-by', { Scope: '7' }))), [1, 2, 3, 4]);
});

test('a nested engine enters the lock of its own tree again; another tree waits until the first has ended', async (t) => {
  const host = await openCountingHost(t, {});
  await host.push({
    'self.js': `/** @lock */
      if (V8.Param.Deep) return { Code: 1, Data: 'deep' };
      const again = V8.ApiEngine.Run('self', { Deep: 1 });
      return { Code: 1, Data: [again.Data, V8.ApiEngine.Run('twice').Data] };`,
    'twice.js':
      "return { Code: 1, Data: [V8.ApiEngine.Run('self', { Deep: 1 }).Data, V8.ApiEngine.Run('count').Code] };",
    'parent.js': `const first = V8.ApiEngine.Run('inner');
      V8.Action.Sleep(100);
      V8.Cache.Set('busy', '0');
      return first;`,
    'inner.js': `/** @lock */
      const wasBusy = V8.Cache.Get('busy') === '1';
      V8.Cache.Set('busy', '1');
      return { Code: wasBusy ? 0 : 1, Data: 1 };`,
  });
  const call = callOf(host);
  assert.deepEqual((await call('self')).Data, ['deep', ['deep', 1]]);
  const parents = await times(3, () => call('parent'));
  assert.deepEqual(
    parents.map(({ Code }) => Code),
    [1, 1, 1],
  );
});

test('messages of one scope run one after the other', async (t) => {
  const host = await openCountingHost(t, {});
  await host.push({
    'counter.js': `/** @queue counts
      * @inbox off
      * @lock Message.Message.Order */
      const key = 'm:' + V8.Param.Message.Message.Order;
      const n = Number(V8.Cache.Get(key) ?? 0);
      V8.Action.Sleep(30);
      V8.Cache.Set(key, String(n + 1));
      return { Code: 1 };`,
  });
  await host.host.start();
  await times(6, (i) => host.send('counts', `e${i}`, { Order: 'o1' }));
  await eventually(async () => assert.equal(await cached(host, 'm:o1'), '6'));
});

test('the wait is bounded and says so; a nested wait is an answer of Code 0', async (t) => {
  const host = await openCountingHost(t, {}, { policy: { queueWaitMs: 300 } });
  const { locks, ids } = host.adapters;
  assert.equal(await locks.take({ tenant: 'demo', name: 'engine:count' }, ids.ulid(), 60_000), true);
  const call = callOf(host);
  await assert.rejects(call('count'), (e: AppError) => {
    assert.deepEqual([e.code, e.params.limit], ['ENGINE_LOCK_TIMEOUT', 300]);
    return true;
  });
  await host.push({ 'outer.js': "return { Code: 1, Data: V8.ApiEngine.Run('count') };" });
  const { Data } = await call('outer');
  assert.deepEqual([Data.Code, Data.ReasonCode], [0, 'ENGINE_LOCK_TIMEOUT']);
});

test('a run that loses its lock begins nothing more and commits nothing', async (t) => {
  let isLost = false;
  const host = await openCountingHost(
    t,
    {},
    {
      decorate: (adapters) => {
        return {
          ...adapters,
          locks: {
            take: (lock, owner) => adapters.locks.take(lock, owner, 60_000),
            drop: (lock, owner) => adapters.locks.drop(lock, owner),
            extend: async (lock, owner, leaseMs) => !isLost && adapters.locks.extend(lock, owner, leaseMs),
          },
        };
      },
    },
  );
  await host.push({
    'long.js': `/** @lock */
      V8.FormEngine.AddFormData('effect', { EventId: 'e1' }, V8.DbTrans);
      for (;;) {
        V8.Action.Sleep(100);
        const answer = V8.FormEngine.GetTableDataCount('effect', {}, V8.DbTrans);
        if (answer.Code !== 1) return { Code: 1 };
      }
      return { Code: 1 };`,
  });
  isLost = true;
  // The lease is renewed after a third of it.
  await assert.rejects(callOf(host)('long'), (e) => e instanceof AppError && e.code === 'ENGINE_LOCK_LOST');
  assert.deepEqual(await host.effects(), []);
});
