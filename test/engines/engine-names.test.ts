/** What one host changes of an engine, another one on the same database and Redis forgets: by Id, address and route. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import type { HostProcess } from '../support/host-process.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { startRedis } from '../support/services/redis.ts';
import { push, startHosts } from './engine-hosts.ts';

/** Events take milliseconds; without them a host believes what it knows for five seconds. */
const BY_EVENT_MS = 4_000;

const source = (word: string, address: string) =>
  `/** @anonymous\n * @address ${address} */\nreturn { Code: 1, Data: '${word}' };`;

test('an engine that one host changes is another one at once for the other host, however it is called', async (t) => {
  const database = await freshDatabase();
  const redis = await startRedis();
  t.after(() => redis.kill());
  const urls = { databaseUrl: database.url, cacheUrl: redis.url };
  const [one, two] = (await startHosts(t, ['one', 'two'], urls)) as [HostProcess, HostProcess];
  await push(one, { 'named.js': source('first', '/names/a'), 'free.js': source('free', '/names/free') });
  await sqlAsAdmin(database.url, "update sys_apiengine set ApiRoutes = '/routes/{Id}' where ApiEngineKey = 'named'");
  const [row] = await sqlAsAdmin(database.url, "select Id from sys_apiengine where ApiEngineKey = 'named'");
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${two.port}${path}`, { headers: { osclient: 'demo' } });
    const body = (await response.json()) as { Data: unknown };
    return body.Data ?? body;
  };
  const paths = [`/apiengine/${String(row?.Id)}`, '/apiengine/named', '/names/a', '/routes/1'];
  for (const path of paths) await eventually(async () => assert.equal(await ask(path), 'first', path));

  await push(one, { 'named.js': source('second', '/names/b'), 'free.js': source('free', '/names/a') });
  const expected = ['second', 'second', 'free', 'second'];
  await eventually(async () => assert.deepEqual(await Promise.all(paths.map(ask)), expected), BY_EVENT_MS);
  assert.equal(await ask('/names/b'), 'second');
});
