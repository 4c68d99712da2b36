import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createRedis } from '../../../src/adapters/redis/create-redis.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import { systemIds } from '../../../src/adapters/system/system-ids.ts';
import { LockKeeper } from '../../../src/app/lock-keeper.ts';
import { eventually } from '../../support/eventually.ts';
import { startRedis } from '../../support/services/redis.ts';
import { TcpProxy } from '../../support/services/tcp-proxy.ts';
import { SILENT_LOG } from '../../support/silent-log.ts';

const CLOCK = systemClock('Asia/Shanghai');
const LOCK = { tenant: 't1', name: 'engine:a' };

/** A host's locks over the server. */
function host(t: TestContext, url: string): LockKeeper {
  const redis = createRedis({ url, log: SILENT_LOG, clock: CLOCK });
  t.after(() => redis.close());
  return new LockKeeper({ locks: redis.locks, clock: CLOCK, log: SILENT_LOG, ids: systemIds() });
}

test('two hosts never hold one lock together, also when their connections are cut', async (t) => {
  await using server = await startRedis();
  await using proxy = await TcpProxy.open(server.url);
  const [odd, even] = [host(t, proxy.url(server.url)), host(t, proxy.url(server.url))];
  let inside = 0;
  let entered = 0;
  const work = async (keeper: LockKeeper, owner: string) => {
    const held = await keeper.acquire(LOCK, { owner, waitMs: 60_000, leaseMs: 10_000 });
    assert.ok(held);
    inside++;
    entered++;
    assert.equal(inside, 1);
    await delay(5);
    assert.equal(held.isHeld(), true);
    inside--;
    await held.release();
  };
  const all = Promise.all(Array.from({ length: 20 }, (_, n) => work(n % 2 ? odd : even, `o${n}`)));
  for (let cuts = 0; cuts < 3; cuts++) {
    await delay(40);
    proxy.cut();
  }
  await all;
  assert.equal(entered, 20);
});

test('a lock that the server forgot when it was killed is lost, not assumed', async (t) => {
  await using server = await startRedis();
  const keeper = host(t, server.url);
  const held = await keeper.acquire(LOCK, { owner: 'a', waitMs: 5_000, leaseMs: 6_000 });
  assert.ok(held);
  await server.kill();
  await server.start();
  await eventually(() => assert.equal(held.lost.aborted, true));
  assert.equal(held.isHeld(), false);
  await held.release();
  const next = await keeper.acquire(LOCK, { owner: 'b', waitMs: 5_000 });
  assert.ok(next);
  await next.release();
});

test('a lock whose lease ran out while the server was frozen is lost, and free after the thaw', async (t) => {
  await using server = await startRedis();
  const [here, there] = [host(t, server.url), host(t, server.url)];
  const held = await here.acquire(LOCK, { owner: 'a', waitMs: 5_000, leaseMs: 800 });
  assert.ok(held);
  await server.freeze();
  const frozenAt = performance.now();
  await eventually(() => assert.equal(held.lost.aborted, true));
  assert.ok(performance.now() - frozenAt < 1_700, 'known at the end of the lease, not of a command');
  server.thaw();
  const next = await there.acquire(LOCK, { owner: 'b', waitMs: 10_000 });
  assert.ok(next);
  await Promise.all([held.release(), next.release()]);
});

test('a lock is kept over a frozen server when the lease outlasts it', async (t) => {
  await using server = await startRedis();
  const [here, there] = [host(t, server.url), host(t, server.url)];
  const held = await here.acquire(LOCK, { owner: 'a', waitMs: 5_000, leaseMs: 4_000 });
  await server.freeze();
  await delay(1_800);
  server.thaw();
  await delay(3_000);
  assert.equal(held?.isHeld(), true);
  assert.equal(await there.acquire(LOCK, { owner: 'b', waitMs: 0 }), undefined);
  await held?.release();
});
