import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createRedis, type RedisServices } from '../../../src/adapters/redis/create-redis.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import { toCacheKey } from '../../../src/core/cache-key.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Log } from '../../../src/ports/log.ts';
import { EventNotes } from '../../contract/invalidation.contract.ts';
import { eventually } from '../../support/eventually.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { accepted } from '../../support/parsed.ts';
import { RecordingLog } from '../../support/recording-log.ts';
import { startRedis } from '../../support/services/redis.ts';
import { TcpProxy } from '../../support/services/tcp-proxy.ts';
import { SILENT_LOG } from '../../support/silent-log.ts';
import { redisCommand } from './redis-command.ts';

const CLOCK = systemClock('Asia/Shanghai');
const KEY = accepted(toCacheKey('t1', 'k'));

/** The promise of the port, with room for a busy machine. Milliseconds. */
const BOUND_MS = 10_000;

function connect(t: TestContext, url: string, options: { log?: Log; clock?: Clock } = {}): RedisServices {
  const redis = createRedis({ url, log: options.log ?? SILENT_LOG, clock: options.clock ?? CLOCK });
  t.after(() => redis.close());
  return redis;
}

/** How the promise failed and after how long; fails the test when it did not or took too long. */
async function refusal(promise: Promise<unknown>): Promise<{ error: AppError; ms: number }> {
  const startedAt = performance.now();
  const error = await promise.then(
    () => assert.fail('it was served'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.code, 'CACHE_UNAVAILABLE');
  const ms = performance.now() - startedAt;
  assert.ok(ms < BOUND_MS, `refused after ${ms} ms`);
  return { error, ms };
}

const served = (redis: RedisServices) =>
  eventually(async () => {
    await redis.cache.set(KEY, 'again');
    assert.equal(redis.invalidation.isLive(), true);
  });

test('a killed server refuses commands at once, and work resumes when it is started again', async (t) => {
  await using server = await startRedis();
  const log = new RecordingLog();
  const redis = connect(t, server.url, { log });
  await served(redis);
  await server.kill();
  await eventually(() => assert.equal(redis.isUp(), false));
  await refusal(redis.cache.get(KEY));
  const { ms } = await refusal(redis.locks.take({ tenant: 't1', name: 'l' }, 'a', 1_000));
  assert.ok(ms < 700, `waited ${ms} ms although the outage was known`);
  await server.start();
  await served(redis);
  assert.equal(await redis.cache.get(KEY), 'again');
  for (const purpose of ['commands', 'events']) {
    const lines = log.lines.filter(({ fields }) => fields.purpose === purpose).map(({ event }) => event);
    assert.deepEqual(lines, ['cache.connected', 'cache.connection_lost', 'cache.connect_failed', 'cache.connected']);
  }
});

test('a command in flight at a kill is refused and not sent again', async (t) => {
  await using server = await startRedis(undefined, { durable: true });
  const redis = connect(t, server.url);
  await redis.cache.increment(KEY, 1);
  await server.freeze();
  const inFlight = refusal(redis.cache.increment(KEY, 1));
  await server.kill();
  await inFlight;
  await server.start();
  await eventually(async () => assert.equal(await redis.cache.get(KEY), '1'));
});

test('a command right after a cut connection is served by the next one', async (t) => {
  await using server = await startRedis();
  await using proxy = await TcpProxy.open(server.url);
  const redis = connect(t, proxy.url(server.url));
  await redis.cache.set(KEY, 'v');
  proxy.cut();
  await eventually(() => assert.equal(redis.isUp(), false));
  assert.equal(await redis.cache.get(KEY), 'v');
});

test('a frozen server bounds every command, and work resumes when it thaws', async (t) => {
  await using server = await startRedis();
  const redis = connect(t, server.url);
  await redis.cache.set(KEY, 'v');
  await server.freeze();
  const first = await Promise.all([
    refusal(redis.cache.get(KEY)),
    refusal(redis.cache.set(KEY, 'w')),
    refusal(redis.cache.hashGetAll(KEY)),
    refusal(redis.cache.deletePrefix(KEY)),
    refusal(redis.locks.take({ tenant: 't1', name: 'l' }, 'a', 1_000)),
    refusal(redis.invalidation.announce('t1', ['engine:a'])),
  ]);
  for (const { ms } of first) assert.ok(ms < 2_800, `bounded only after ${ms} ms`);
  for (let again = 0; again < 3; again++) await refusal(redis.cache.get(KEY));
  server.thaw();
  await served(redis);
});

test('a server that was down at the start is found when it comes', async (t) => {
  await using server = await startRedis();
  await server.kill();
  const redis = connect(t, server.url);
  const { error } = await refusal(redis.probe());
  assert.match(String(error.params.reason), /refused \(ECONNREFUSED\)/);
  await server.start();
  await served(redis);
  await redis.probe();
});

test('an unknown host is named as such, and not to tenants', async (t) => {
  const redis = connect(t, 'redis://redis.invalid:6379');
  const { error } = await refusal(redis.probe());
  assert.match(error.message, /host name is unknown \((ENOTFOUND|EAI_AGAIN)\)/);
  assert.doesNotMatch(error.message, /redis\.invalid/);
});

test('events are heard again after a lost connection, and everything before counts as stale', async (t) => {
  await using server = await startRedis();
  await using proxy = await TcpProxy.open(server.url);
  const { invalidation } = connect(t, proxy.url(server.url));
  const other = connect(t, server.url);
  const notes = new EventNotes();
  await eventually(() => assert.equal(invalidation.isLive(), true));
  invalidation.listen(notes);
  await proxy.refuse();
  await eventually(() => assert.equal(invalidation.isLive(), false));
  await other.invalidation.announce('t1', ['engine:unheard']);
  await proxy.listen();
  await eventually(() => assert.equal(invalidation.isLive(), true));
  assert.deepEqual([notes.misses, notes.events], [1, []]);
  await other.invalidation.announce('t1', ['engine:heard']);
  await eventually(() => assert.deepEqual(notes.events, ['t1/engine:heard']));
});

test('what could not be announced is announced when the connection is back', async (t) => {
  await using server = await startRedis();
  await using proxy = await TcpProxy.open(server.url);
  const redis = connect(t, proxy.url(server.url));
  const other = connect(t, server.url);
  const notes = new EventNotes();
  await redis.probe();
  await eventually(() => assert.equal(other.invalidation.isLive(), true));
  other.invalidation.listen(notes);
  await proxy.refuse();
  await eventually(() => assert.equal(redis.isUp(), false));
  await refusal(redis.invalidation.announce('t1', ['engine:a']));
  await proxy.listen();
  await eventually(() => assert.deepEqual([notes.events, notes.misses], [['t1/engine:a'], 0]));
  await proxy.refuse();
  await eventually(() => assert.equal(redis.isUp(), false));
  for (let index = 0; index < 150; index++) await refusal(redis.invalidation.announce('t1', [`engine:${index}`]));
  await proxy.listen();
  await eventually(() => assert.equal(notes.misses, 1));
});

test('an idle connection whose other end is gone is noticed by itself', async (t) => {
  await using server = await startRedis();
  await using proxy = await TcpProxy.open(server.url);
  const redis = connect(t, proxy.url(server.url), { clock: fastClock(CLOCK, 10) });
  await eventually(() => assert.equal(redis.isUp() && redis.invalidation.isLive(), true));
  proxy.pause();
  await eventually(() => assert.equal(redis.isUp() || redis.invalidation.isLive(), false));
  proxy.resume();
  await served(redis);
});

test('foreign messages on the channel are passed over', async (t) => {
  await using server = await startRedis();
  const redis = connect(t, server.url);
  const notes = new EventNotes();
  await eventually(() => assert.equal(redis.invalidation.isLive(), true));
  redis.invalidation.listen(notes);
  const foreign = ['', 'null', '[]', '{"tenant":1,"names":["a"]}', '{"tenant":"t","names":[1]}', '{"tenant":"t"}'];
  for (const text of foreign) await redisCommand(server.url, 'PUBLISH', 'v8host:0:invalidate', text);
  await redis.invalidation.announce('t1', ['engine:a']);
  await eventually(() => assert.deepEqual(notes.events, ['t1/engine:a']));
});

test('hosts on other databases of the server hear nothing of each other', async (t) => {
  await using server = await startRedis();
  const [zero, one] = [connect(t, `${server.url}/0`), connect(t, `${server.url}/1`)];
  const [own, foreign] = [new EventNotes(), new EventNotes()];
  await eventually(() => assert.ok(zero.invalidation.isLive() && one.invalidation.isLive()));
  zero.invalidation.listen(own);
  one.invalidation.listen(foreign);
  await zero.invalidation.announce('t1', ['engine:a']);
  await one.invalidation.announce('t1', ['engine:b']);
  await eventually(() => assert.deepEqual([own.events, foreign.events], [['t1/engine:a'], ['t1/engine:b']]));
  await zero.cache.set(KEY, 'zero');
  assert.equal(await one.cache.get(KEY), undefined);
});

test('after its end it refuses, also what was in flight, and closing twice is harmless', async (t) => {
  await using server = await startRedis();
  const redis = connect(t, server.url);
  await redis.cache.set(KEY, 'v');
  await server.freeze();
  const inFlight = refusal(redis.cache.get(KEY));
  redis.close();
  redis.close();
  await inFlight;
  await refusal(redis.cache.get(KEY));
  await refusal(redis.probe());
  assert.equal(redis.invalidation.isLive(), false);
});
