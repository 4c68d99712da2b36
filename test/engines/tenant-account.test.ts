/** A tenant's own account at RabbitMQ, from the command line, with its data on MariaDB. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import type { HostProcess } from '../support/host-process.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { freshName } from '../support/services/fresh-names.ts';
import { freshVhost } from '../support/services/fresh-vhost.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { managementApi } from '../support/services/rabbitmq.ts';
import { service } from '../support/services/services.ts';
import { column, push, send, startHosts, tablesJson } from './engine-hosts.ts';

const LIMIT = { timeout: 180_000 };
const MESSAGES = Array.from({ length: 60 }, (_, i) => `e${String(i).padStart(2, '0')}`);
const SCRIPTS = {
  'tables.json': tablesJson({ effect: ['EventId'] }),
  'work.js': `/** @queue work\n * @prefetch 4 */
V8.Action.Sleep(50);
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
`,
};

/** A host of the demo tenant and one more tenant, both on MariaDB, with the administrator's password in a file. */
async function start(t: TestContext) {
  const [main, own, vhost] = [await freshDatabase(), await freshDatabase(), await freshVhost()];
  const { rabbitApiUrl: apiUrl } = await service('rabbitmq');
  const tenant = freshName().toLowerCase();
  t.after(async () => {
    for (const kind of ['vhosts', 'users']) await managementApi(apiUrl, 'DELETE', `/api/${kind}/microi-${tenant}`);
  });
  const urls = { databaseUrl: main.url, queueUrl: vhost.url };
  // Changes are to be taken over by the command, not by a pass.
  const [host] = (await startHosts(t, ['one'], urls, { reconcileSeconds: 180 })) as [HostProcess];
  const added = await host.cli('tenant', 'add', tenant, '--db', own.url);
  assert.equal(added.code, 0, added.err);
  const { origin, username, password } = new URL(apiUrl);
  const file = join(host.dataDir, 'admin.pw');
  writeFileSync(file, `${decodeURIComponent(password)}\n`);
  const setUp = (...more: string[]) =>
    host.cli(
      ...['tenant', 'rabbitmq-setup', origin, '--admin-user', username],
      ...['--admin-password-file', file, '--tenant', tenant, ...more],
    );
  const reload = () => host.cli('tenant', 'reload', '--tenant', tenant);
  return { host, main, own, tenant, apiUrl, setUp, reload };
}

test('a tenant without an account is refused; the command makes one, and its queues work', LIMIT, async (t) => {
  const { host, own, tenant, setUp, reload } = await start(t);
  const made = await setUp();
  assert.equal(made.code, 0, made.err);
  assert.equal(made.out, `user: microi-${tenant}\nvhost: microi-${tenant}\n`);
  assert.equal((await reload()).code, 0);
  await push(host, SCRIPTS, tenant);
  await send(host, 'work', 'first', {}, tenant);
  await eventually(async () => assert.deepEqual(await column(own.url, 'select EventId from effect'), ['first']));
  const again = await setUp('--show-password');
  const password = /^password: (\S+)$/m.exec(again.out)?.[1] ?? '';
  assert.match(password, /^[\w-]{32}$/);
  assert.ok(!host.output.includes(password), 'the log does not have it');
});

test('a password that changes under way loses nothing and doubles nothing', LIMIT, async (t) => {
  const { host, main, own, tenant, apiUrl, setUp, reload } = await start(t);
  assert.equal((await setUp()).code, 0);
  await reload();
  await push(host, SCRIPTS, tenant);
  for (const eventId of MESSAGES.slice(0, 40)) await send(host, 'work', eventId, {}, tenant);
  const user = `microi-${tenant}`;
  const changed = await managementApi(apiUrl, 'PUT', `/api/users/${user}`, { password: 'another-one', tags: '' });
  assert.ok(changed.ok);
  await sqlAsAdmin(main.url, `update sys_osclients set MQPassword = 'another-one' where lower(OsClient) = '${tenant}'`);
  const { code, err } = await reload();
  assert.equal(code, 0, err);
  for (const eventId of MESSAGES.slice(40)) await send(host, 'work', eventId, {}, tenant);
  await eventually(async () => assert.deepEqual(await column(own.url, 'select EventId from effect'), MESSAGES), 60_000);
  // The journal is written late; a host that has ended has written it.
  assert.equal(await host.stop(), 0, host.output.slice(-3_000));
  const attempts = await column(own.url, "select EventId from mq_attempt where Verdict <> 'duplicate'");
  assert.deepEqual(attempts, MESSAGES, 'each ran once');
});
