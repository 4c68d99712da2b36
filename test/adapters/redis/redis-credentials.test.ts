import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { createRedis } from '../../../src/adapters/redis/create-redis.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import { toCacheKey } from '../../../src/core/cache-key.ts';
import { AppError } from '../../../src/core/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { accepted } from '../../support/parsed.ts';
import { RecordingLog } from '../../support/recording-log.ts';
import { startRedis } from '../../support/services/redis.ts';
import { redisCommand } from './redis-command.ts';

const CLOCK = systemClock('Asia/Shanghai');
const KEY = accepted(toCacheKey('t1', 'k'));
const WRONG = 'WRONG-canary';
const RIGHT = 'R1ght@canary/#';

function connect(t: TestContext, url: string, user: string, password: string) {
  const log = new RecordingLog();
  const redis = createRedis({ url: withPassword(url, password, user), log, clock: CLOCK });
  t.after(() => redis.close());
  return { redis, log };
}

function withPassword(url: string, password: string, user = ''): string {
  return url.replace('://', `://${encodeURIComponent(user)}:${encodeURIComponent(password)}@`);
}

const refusedFor = (reason: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError);
  assert.equal(error.code, 'CACHE_UNAVAILABLE');
  assert.match(error.message, reason);
  assert.doesNotMatch(inspect(error, { depth: 10, showHidden: true }), /canary/);
  return true;
};

test('a wrong password is named, never shown, and work begins when the server takes it', async (t) => {
  await using server = await startRedis();
  await redisCommand(server.url, 'CONFIG', 'SET', 'requirepass', RIGHT);
  const { redis, log } = connect(t, server.url, '', WRONG);
  await assert.rejects(redis.probe(), refusedFor(/user or password is wrong/));
  await assert.rejects(redis.cache.get(KEY), refusedFor(/user or password is wrong/));
  await redisCommand(withPassword(server.url, RIGHT), 'CONFIG', 'SET', 'requirepass', WRONG);
  await eventually(() => redis.cache.set(KEY, 'v'));
  await eventually(() => assert.equal(redis.invalidation.isLive(), true));
  assert.deepEqual(
    log.lines.map(({ event, fields }) => `${event} ${fields.purpose}`).sort(),
    ['commands', 'events']
      .flatMap((purpose) => [`cache.connect_failed ${purpose}`, `cache.connected ${purpose}`])
      .sort(),
  );
  assert.doesNotMatch(inspect(log.lines, { depth: 10, showHidden: true }), /canary/);
});

test('a missing password is named', async (t) => {
  await using server = await startRedis();
  await redisCommand(server.url, 'CONFIG', 'SET', 'requirepass', RIGHT);
  const { redis } = connect(t, server.url, '', '');
  await assert.rejects(redis.probe(), refusedFor(/user or password is wrong/));
});

test('user and password with special characters log in', async (t) => {
  await using server = await startRedis();
  await redisCommand(server.url, 'ACL', 'SETUSER', 'v8:host', 'on', `>${RIGHT}`, '~*', '&*', '+@all');
  const { redis, log } = connect(t, server.url, 'v8:host', RIGHT);
  await redis.probe();
  await redis.cache.set(KEY, 'v');
  assert.equal(await redis.cache.get(KEY), 'v');
  assert.doesNotMatch(inspect(log.lines, { depth: 10, showHidden: true }), /canary/);
});

test('a user without rights is told so', async (t) => {
  await using server = await startRedis();
  await redisCommand(server.url, 'ACL', 'SETUSER', 'reader', 'on', '>pw', '~*', '&*', '+@all', '-set');
  const { redis } = connect(t, server.url, 'reader', 'pw');
  await assert.rejects(redis.cache.set(KEY, 'v'), refusedFor(/lacks a permission/));
  assert.equal(await redis.cache.get(KEY), undefined);
});

test('a user without the channel has its cache, and events as soon as it gets the channel', async (t) => {
  await using server = await startRedis();
  await redisCommand(server.url, 'ACL', 'SETUSER', 'deaf', 'on', '>pw', '~*', 'resetchannels', '+@all');
  const { redis, log } = connect(t, server.url, 'deaf', 'pw');
  await redis.cache.set(KEY, 'v');
  await eventually(() => assert.equal(log.of('invalidation.subscribe_failed').length, 1));
  assert.equal(redis.invalidation.isLive(), false);
  await assert.rejects(redis.invalidation.announce('t1', ['engine:a']), refusedFor(/lacks a permission/));
  await redisCommand(server.url, 'ACL', 'SETUSER', 'deaf', '&*');
  await eventually(() => assert.equal(redis.invalidation.isLive(), true));
  assert.equal(log.of('invalidation.subscribe_failed').length, 1);
});

test('a database that does not exist is refused, and nothing is written to another one', async (t) => {
  await using server = await startRedis();
  const { redis } = connect(t, `${server.url}/5000`, '', '');
  await assert.rejects(redis.probe(), refusedFor(/database number does not exist/));
  for (let attempt = 0; attempt < 5; attempt++) {
    await assert.rejects(redis.cache.set(KEY, 'v'), refusedFor(/database number does not exist/));
  }
  assert.equal(await redisCommand(server.url, 'DBSIZE'), 0);
});

test('TLS is never given up: a server that speaks none is refused', async (t) => {
  await using server = await startRedis();
  await redisCommand(server.url, 'CONFIG', 'SET', 'requirepass', RIGHT);
  const { redis } = connect(t, server.url.replace('redis:', 'rediss:'), '', RIGHT);
  await assert.rejects(redis.probe(), refusedFor(/connect/));
});
