/** Row 34 of docs/failure.md: Redis is away at the start, killed, and back; and hosts that have none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redisCommand } from '../adapters/redis/redis-command.ts';
import { eventually } from '../support/eventually.ts';
import type { HostProcess } from '../support/host-process.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { freshVhost } from '../support/services/fresh-vhost.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { startRedis } from '../support/services/redis.ts';
import { column, logged, push, send, startHosts, tablesJson, troubleOf } from './engine-hosts.ts';

/** Events take milliseconds; without them a host believes what it knows for five seconds. */
const BY_EVENT_MS = 4_000;

const TABLES = tablesJson({ effect: ['EventId'] });
const WORK = `/** @queue work */
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
`;
const says = (word: string) => ({ 'say.js': `return { Code: 1, Data: '${word}' };\n` });

async function said(host: HostProcess): Promise<unknown> {
  return (await host.api('POST', 'tenants/demo/engines/say/run', {})).body.Data;
}

test('failure row 34: Redis is away at the start, killed meanwhile, and back; no message is lost and every host sees a new script', async (t) => {
  const redis = await startRedis();
  t.after(() => redis.kill());
  await redis.kill();
  const [database, vhost] = [await freshDatabase(), await freshVhost()];
  const urls = { databaseUrl: database.url, queueUrl: vhost.url, cacheUrl: redis.url };
  const hosts = await startHosts(t, ['one', 'two'], urls);
  const [one, two] = hosts as [HostProcess, HostProcess];
  const [failed] = logged(one, 'cache.connect_failed');
  assert.match(troubleOf(failed), /CACHE_UNAVAILABLE: .*ECONNREFUSED/);
  await push(one, { 'tables.json': TABLES, 'work.js': WORK, ...says('first') });
  await send(two, 'work', 'e1');
  assert.equal(await said(two), 'first');
  await push(one, says('second'));
  assert.equal(await said(two), 'second', 'without Redis nothing is remembered');

  await redis.start();
  for (const host of hosts) {
    // Commands and events have a connection each.
    await eventually(() => assert.ok(logged(host, 'cache.connected').length >= 2));
  }
  const channel = 'v8host:0:invalidate';
  await eventually(async () => {
    assert.deepEqual(await redisCommand(redis.url, 'PUBSUB', 'NUMSUB', channel), [channel, 2]);
  });
  assert.equal(await said(two), 'second');
  await push(one, says('third'));
  await eventually(async () => assert.equal(await said(two), 'third'), BY_EVENT_MS);

  const sent = Promise.all(['e2', 'e3', 'e4', 'e5'].map((eventId) => send(one, 'work', eventId)));
  await redis.kill();
  await sent;
  await push(one, says('fourth'));
  await eventually(async () => assert.equal(await said(two), 'fourth'), BY_EVENT_MS);
  const effects = 'select EventId from effect';
  await eventually(async () => assert.deepEqual(await column(database.url, effects), ['e1', 'e2', 'e3', 'e4', 'e5']));
  await redis.start();
  await send(two, 'work', 'e6');
  await eventually(async () => assert.equal((await column(database.url, effects)).length, 6));
  for (const host of hosts) assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});

test('without cacheUrl a script pushed on one host, or edited in SQL, is seen by another one within five seconds', async (t) => {
  const [database, vhost] = [await freshDatabase(), await freshVhost()];
  const [one, two] = (await startHosts(t, ['one', 'two'], { databaseUrl: database.url, queueUrl: vhost.url })) as [
    HostProcess,
    HostProcess,
  ];
  await push(one, says('first'));
  assert.equal(await said(two), 'first');
  await push(one, says('second'));
  assert.equal(await said(one), 'second', 'at once where it was pushed');
  await eventually(async () => assert.equal(await said(two), 'second'), 10_000);
  const source = "return { Code: 1, Data: 'third' };";
  await sqlAsAdmin(database.url, `update sys_apiengine set ApiV8Code = "${source}" where ApiEngineKey = 'say'`);
  for (const host of [one, two]) await eventually(async () => assert.equal(await said(host), 'third'), 10_000);
});
