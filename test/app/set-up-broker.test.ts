/** A tenant's own account, made at a real RabbitMQ through its management interface. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { createBrokerAdmin } from '../../src/adapters/amqp/broker-admin.ts';
import { createSqliteDirectory } from '../../src/adapters/sql/tenant-directory.ts';
import { systemClock } from '../../src/adapters/system/system-clock.ts';
import { systemIds } from '../../src/adapters/system/system-ids.ts';
import { KeyedLock } from '../../src/app/keyed-lock.ts';
import { setUpBroker } from '../../src/app/set-up-broker.ts';
import { orThrow } from '../../src/core/errors.ts';
import { mqSettingsOf } from '../../src/core/mq-settings.ts';
import type { BrokerAdmin, BrokerAdminAccess } from '../../src/ports/broker-admin.ts';
import { message, openQueue } from '../adapters/amqp/amqp-client.ts';
import { ownPort } from '../support/own-port.ts';
import { freshName } from '../support/services/fresh-names.ts';
import { managementApi } from '../support/services/rabbitmq.ts';
import { service } from '../support/services/services.ts';
import { SILENT_LOG } from '../support/silent-log.ts';
import { tempDir } from '../support/temp-dir.ts';

test('a tenant gets an account for its own names alone; the same again changes nothing', async (t) => {
  const { setUp, settings, tenant, apiUrl, access } = await place(t);
  const account = await setUp(access);
  assert.deepEqual([account.user, account.vhost], [`microi-${tenant}`, `microi-${tenant}`]);
  assert.match(account.password, /^[\w-]{32}$/);
  const { queue } = await openQueue(t, settings);
  const own = `microi.${tenant}.orders`;
  await queue.publish(tenant, [message('a', own)]);
  const arrived = Promise.withResolvers<string>();
  await queue.consume(tenant, own, { prefetch: 1 }, (delivery) => {
    arrived.resolve(Buffer.from(delivery.body).toString());
    void delivery.ack();
  });
  assert.equal(await arrived.promise, 'a');
  await assert.rejects(queue.publish(tenant, [message('b', 'microi.somebody.orders')]), (error: Error) => {
    assert.match(String((error.cause as Error).message), /refused access/);
    return true;
  });
  assert.deepEqual(await setUp(access), account);

  // The server lost the rights: the command brings them back, with the password of the row.
  await managementApi(apiUrl, 'DELETE', `/api/permissions/${account.vhost}/${account.user}`);
  assert.deepEqual(await setUp(access), account);
  const kept = await managementApi(apiUrl, 'GET', `/api/permissions/${account.vhost}/${account.user}`);
  assert.equal(((await kept.json()) as { read: string }).read, `^microi\\.${tenant}\\..*$`);
});

test('a password of the administrator that is wrong is told, and nothing is stored', async (t) => {
  const { setUp, directory, tenant, access } = await place(t);
  await assert.rejects(setUp({ ...access, password: 'wrong-password' }), (error: Error) => {
    assert.equal((error as unknown as { code: string }).code, 'BROKER_ADMIN_LOGIN_REFUSED');
    assert.doesNotMatch(error.message, /wrong-password/);
    return true;
  });
  const row = (await directory.settings()).find((entry) => entry.tenant === tenant)?.row;
  assert.equal(row?.MQPassword ?? '', '');
});

test('an address without a management interface is told with the command that enables it', async (t) => {
  const { setUp, access } = await place(t);
  const other = createServer((_request, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
  t.after(() => other.close());
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as { port: number };
  for (const url of [`http://127.0.0.1:${await ownPort()}`, `http://127.0.0.1:${port}`]) {
    await assert.rejects(setUp({ ...access, url }), {
      code: 'BROKER_ADMIN_UNREACHABLE',
      message: /rabbitmq-plugins enable rabbitmq_management/,
    });
  }
});

test('names of another tenant and of an administrator are refused before anything is made', async (t) => {
  const { setUp, directory, tenant, apiUrl, access } = await place(t);
  const administrator = freshName();
  await managementApi(apiUrl, 'PUT', `/api/users/${administrator}`, { password: 'x', tags: 'administrator' });
  t.after(() => managementApi(apiUrl, 'DELETE', `/api/users/${administrator}`));
  await directory.saveSettings(tenant, { MQUserName: administrator });
  await assert.rejects(setUp(access), { code: 'BROKER_ACCOUNT_FOREIGN' });

  await directory.add('neighbour', undefined);
  await directory.saveSettings('neighbour', { MQVitrualHost: `microi-${tenant}` });
  await directory.saveSettings(tenant, { MQUserName: '' });
  await assert.rejects(setUp(access), { code: 'QUEUE_IDENTITY_SHARED', message: /MQVitrualHost/ });
  const vhost = await managementApi(apiUrl, 'GET', `/api/vhosts/microi-${tenant}`);
  assert.equal(vhost.status, 404);
});

async function place(t: TestContext) {
  const { rabbitUrl, rabbitApiUrl: apiUrl } = await service('rabbitmq');
  const tenant = freshName().toLowerCase();
  const [clock, ids] = [systemClock('Asia/Shanghai'), systemIds()];
  const dataDir = tempDir(t);
  const directory = await createSqliteDirectory({ dataDir, mainTenant: 'demo', clock, ids, log: SILENT_LOG });
  t.after(() => directory.close());
  await directory.add(tenant, undefined);
  t.after(async () => {
    for (const kind of ['vhosts', 'users']) await managementApi(apiUrl, 'DELETE', `/api/${kind}/microi-${tenant}`);
  });
  const mq = { mainTenant: 'demo', queueUrl: rabbitUrl };
  const turns = new KeyedLock();
  const { origin, username, password } = new URL(apiUrl);
  const access: BrokerAdminAccess = { url: origin, user: username, password: decodeURIComponent(password) };
  return {
    tenant,
    directory,
    apiUrl,
    access,
    setUp: (as: BrokerAdminAccess, brokerAdmin = createBrokerAdmin()) =>
      setUpBroker({ directory, mq, brokerAdmin, turns }, tenant, as),
    settings: async () => orThrow(mqSettingsOf(tenant, { ...mq, rows: await directory.settings() })),
  };
}

test('a virtual host that is there keeps its description, and two calls at once make one password', async (t) => {
  const { setUp, settings, tenant, apiUrl, access } = await place(t);
  const vhost = `microi-${tenant}`;
  await managementApi(apiUrl, 'PUT', `/api/vhosts/${vhost}`, { description: 'mine', tags: 'prod' });
  const [one, other] = await Promise.all([setUp(access), setUp(access)]);
  assert.equal(one.password, other.password);
  const kept = (await (await managementApi(apiUrl, 'GET', `/api/vhosts/${vhost}`)).json()) as { description: string };
  assert.equal(kept.description, 'mine');
  const { queue } = await openQueue(t, settings);
  await queue.publish(tenant, [message('a', `microi.${tenant}.orders`)]);
});

/** The real management interface, after something else happened. */
function afterwards(first: () => Promise<void>): BrokerAdmin {
  const real = createBrokerAdmin();
  return {
    newPassword: () => real.newPassword(),
    async setUp(access, account) {
      await first();
      await real.setUp(access, account);
    },
  };
}

test('while the server does not answer, the settings of others are changed', async (t) => {
  const { setUp, directory, access, tenant } = await place(t);
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  t.after(() => answered.resolve());
  const slow = afterwards(() => {
    asked.resolve();
    return answered.promise;
  });
  const made = setUp(access, slow);
  await asked.promise;
  await directory.changeSettingsAlone(() => directory.saveSettings(tenant, { ClientName: 'changed meanwhile' }));
  answered.resolve();
  const { password } = await made;
  const row = (await directory.settings()).find((entry) => entry.tenant === tenant)?.row;
  assert.deepEqual([row?.ClientName, row?.MQPassword], ['changed meanwhile', password]);
});

test('an account that somebody stores meanwhile is the one that the server gets', async (t) => {
  const { setUp, settings, directory, access, tenant } = await place(t);
  let calls = 0;
  const overtaken = afterwards(async () => {
    calls += 1;
    if (calls === 1) await directory.saveSettings(tenant, { MQPassword: 'of-another-operator' });
  });
  assert.equal((await setUp(access, overtaken)).password, 'of-another-operator');
  assert.equal(calls, 2);
  const { queue } = await openQueue(t, settings);
  await queue.publish(tenant, [message('a', `microi.${tenant}.orders`)]);
});

test('a row that never rests is told, and keeps what stands in it', async (t) => {
  const { setUp, directory, access, tenant } = await place(t);
  let calls = 0;
  const restless = afterwards(async () => {
    calls += 1;
    await directory.saveSettings(tenant, { MQPassword: `changed-${calls}` });
  });
  await assert.rejects(setUp(access, restless), { code: 'DB_BUSY' });
  const row = (await directory.settings()).find((entry) => entry.tenant === tenant)?.row;
  assert.equal(row?.MQPassword, `changed-${calls}`);
});

test('a page that answers everything is no management interface', async (t) => {
  const { setUp, access } = await place(t);
  const page = createServer((_request, response) => response.end('<html>login</html>')).listen(0, '127.0.0.1');
  t.after(() => page.close());
  await new Promise((resolve) => page.once('listening', resolve));
  const { port } = page.address() as { port: number };
  await assert.rejects(setUp({ ...access, url: `http://127.0.0.1:${port}` }), { code: 'BROKER_ADMIN_UNREACHABLE' });
});
