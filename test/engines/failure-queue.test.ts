/** Rows 31 to 33 of docs/failure.md: RabbitMQ is away, refuses a tenant, or has another queue of that name. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { connect } from 'amqplib';
import { eventually } from '../support/eventually.ts';
import type { HostProcess } from '../support/host-process.ts';
import { type FreshDatabase, freshDatabase } from '../support/services/fresh-database.ts';
import { type FreshVhost, freshVhost } from '../support/services/fresh-vhost.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { managementApi, startRabbitMq } from '../support/services/rabbitmq.ts';
import { TcpProxy } from '../support/services/tcp-proxy.ts';
import { column, logged, prepareHosts, push, send, startHosts, tablesJson, troubleOf } from './engine-hosts.ts';

const FILES = {
  'tables.json': tablesJson({ effect: ['EventId'], onward: ['EventId'] }),
  'work.js': `/** @queue work */
var written = V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
if (written.Code !== 1) return written;
return V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'on-' + V8.Param.EventId, Message: {} });
`,
  'onward.js': `/** @queue onward */
return V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId });
`,
  'send.js': `return V8.MQ.SendMsg({ QueueName: 'work', EventId: V8.Param.EventId, Message: {} });
`,
};

const PLAIN = `/** @queue work */
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
`;

async function untilEffects(database: FreshDatabase, eventIds: readonly string[]): Promise<void> {
  const effects = 'select EventId from effect';
  await eventually(async () => assert.deepEqual(await column(database.url, effects), eventIds), 60_000);
}

async function untilHandled(database: FreshDatabase, eventIds: readonly string[]): Promise<void> {
  const onward = eventIds.map((eventId) => `on-${eventId}`);
  await eventually(
    async () => assert.deepEqual(await column(database.url, 'select EventId from onward'), onward),
    60_000,
  );
  assert.deepEqual(await column(database.url, 'select EventId from effect'), eventIds);
}

/** Waits for a line about this tenant. @returns what it says. */
async function untilLogged(host: HostProcess, event: string, match: RegExp): Promise<string> {
  let found = '';
  await eventually(() => {
    found =
      logged(host, event)
        .map(troubleOf)
        .find((text) => match.test(text)) ?? '';
    assert.notEqual(found, '', `no ${event} with ${match}`);
  }, 30_000);
  return found;
}

test('failure row 31: RabbitMQ is away at the start and killed later; the host stays up and goes on by itself, nothing is lost', async (t) => {
  const node = await startRabbitMq();
  t.after(() => node[Symbol.asyncDispose]());
  const [database, vhost] = [await freshDatabase(), await freshVhost({ node })];
  const proxy = await TcpProxy.open(node.url);
  t.after(() => proxy[Symbol.asyncDispose]());
  await proxy.refuse();
  // The usual interval: what could not be attached is not left for three minutes.
  const urls = { databaseUrl: database.url, queueUrl: proxy.url(vhost.url) };
  const [host] = (await prepareHosts(t, ['one'], urls, { reconcileSeconds: 180 })) as [HostProcess];
  host.spawn();
  const plain = { ...FILES, 'work.js': PLAIN };
  const pushed = { files: Object.entries(plain).map(([path, text]) => ({ path, text })) };
  await eventually(async () => {
    const { body } = await host.api('PUT', 'tenants/demo/engines', pushed);
    assert.equal(body.Code, 1, JSON.stringify(body));
  }, 60_000);
  assert.match(
    await untilLogged(host, 'queue.connect_failed', /UNREACHABLE/),
    /RabbitMQ at amqp:\/\/127\.0\.0\.1:\d+\/\w+ cannot be reached \(ECONNREFUSED\): check MQHost, MQPort, the network and that RabbitMQ runs; the host connects again by itself/,
  );
  const ready = await fetch(`http://127.0.0.1:${host.port}/readyz`);
  assert.equal(ready.status, 503, 'alive, and not ready');
  const refused = await host.api('POST', 'tenants/demo/engines/send/run', { EventId: 'e1' });
  assert.deepEqual(
    [refused.body.Code, refused.body.ReasonCode, refused.body.Data],
    [0, 'QUEUE_UNAVAILABLE', { EventId: 'e1' }],
  );

  await proxy.listen();
  await eventually(() => assert.equal(logged(host, 'consumer.attached').length, 2), 30_000);
  await send(host, 'work', 'e1');
  await untilEffects(database, ['e1']);

  const killed = node.kill();
  const waiting = ['e2', 'e3', 'e4'].map((eventId) => send(host, 'work', eventId));
  await killed;
  await untilLogged(host, 'queue.disconnected', /QUEUE_CONNECTION_LOST/);
  await node.start();
  await Promise.all(waiting);
  await untilEffects(database, ['e1', 'e2', 'e3', 'e4']);
  assert.deepEqual(await column(database.url, 'select EventId from mq_parked'), []);
  assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});

/** A host with healthy `demo` and further tenants, whose accounts at the broker are these. */
async function hostWithTenants(t: TestContext, accounts: Readonly<Record<string, Partial<FreshVhost>>>) {
  const [main, vhost] = [await freshDatabase(), await freshVhost()];
  const [host] = (await startHosts(t, ['one'], { databaseUrl: main.url, queueUrl: vhost.url })) as [HostProcess];
  const databases: Record<string, FreshDatabase> = { demo: main };
  for (const [tenant, account] of Object.entries(accounts)) {
    const database = await freshDatabase();
    databases[tenant] = database;
    const added = await host.api('POST', 'tenants', { tenant, databaseUrl: database.url });
    assert.equal(added.body.Code, 1, JSON.stringify(added.body));
    await give(main, tenant, account);
  }
  for (const tenant of Object.keys(databases)) await push(host, FILES, tenant);
  return { host, main, vhost, databases };
}

/** Writes a tenant's account as an operator does: into its row. */
function give(main: FreshDatabase, tenant: string, { user, password, vhost }: Partial<FreshVhost>): Promise<unknown> {
  return sqlAsAdmin(
    main.url,
    `update sys_osclients set MQUserName = '${user}', MQPassword = '${password}', MQVitrualHost = '${vhost}'
     where OsClient = '${tenant}'`,
  );
}

test('failure row 32: RabbitMQ refuses tenants; each is told what to do, the others work, and a corrected account is used by itself', async (t) => {
  const [wrong, missing, same, alike] = [
    await freshVhost(),
    await freshVhost(),
    await freshVhost(),
    await freshVhost(),
  ];
  const { host, main, databases } = await hostWithTenants(t, {
    wrong: { ...wrong, password: 'not-the-password' },
    missing: { ...missing, vhost: 'no-such-vhost' },
    same,
    alike: { ...alike, user: same.user },
    none: { user: '', password: '', vhost: '' },
  });
  await send(host, 'work', 'd1');
  await untilHandled(main, ['d1']);

  const says = (event: string, match: RegExp) => untilLogged(host, event, match);
  assert.match(await says('queue.connect_failed', /LOGIN/), /refused the login: check MQUserName and MQPassword/);
  assert.match(
    await says('queue.connect_failed', /VHOST/),
    /does not open the virtual host no-such-vhost: create it with rabbitmqctl add_vhost and grant MQUserName access with set_permissions/,
  );
  for (const tenant of ['same', 'alike']) {
    const shared = new RegExp(
      `MQUserName of tenant ${tenant} equals another tenant's, so no connection is made: every tenant needs a user, a password and a virtual host of its own`,
    );
    await says('queue.settings_refused', shared);
  }
  await says('queue.settings_refused', /settings of tenant none lack MQUserName: fill it in in sys_osclients/);
  assert.doesNotMatch(host.output, new RegExp(`not-the-password|${wrong.password}|${same.password}`));
  for (const tenant of ['wrong', 'missing', 'same', 'alike', 'none']) {
    const answer = await host.api('POST', `tenants/${tenant}/queues/work/messages`, { EventId: 'x', Message: {} });
    assert.deepEqual([answer.status, answer.body.ReasonCode], [503, 'QUEUE_UNAVAILABLE'], tenant);
  }

  await give(main, 'wrong', wrong);
  await give(main, 'missing', missing);
  await give(main, 'alike', alike);
  for (const tenant of ['wrong', 'missing', 'same', 'alike']) {
    await send(host, 'work', 'x', {}, tenant);
    await untilHandled(databases[tenant] as FreshDatabase, ['x']);
  }
  await send(host, 'work', 'd2');
  await untilHandled(main, ['d1', 'd2']);

  // The broker counts late, so the connection has to be seen before its end can be.
  const connections = async () =>
    (await managementApi(same.apiUrl, 'GET', `/api/vhosts/${same.vhost}/connections`)).json();
  await eventually(async () => assert.notDeepEqual(await connections(), []));
  await sqlAsAdmin(main.url, "update sys_osclients set IsEnable = 0 where OsClient = 'same'");
  await eventually(async () => assert.deepEqual(await connections(), []));
  assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});

test('failure row 33: a queue exists with other arguments; only a binding that insists on its type is refused, and it says what to do', async (t) => {
  const { host, main, vhost } = await hostWithTenants(t, {});
  const model = await connect(vhost.url);
  t.after(() => model.close());
  const channel = await model.createChannel();
  await channel.assertQueue('microi.demo.theirs', { durable: true, arguments: { 'x-max-length': 1_000 } });
  await channel.assertQueue('microi.demo.mine', { durable: true });
  await sqlAsAdmin(
    main.url,
    `insert into diy_queue_receive (Id, QueueName, Type, ApiEngineKey, QueueType) values
     ('r1', 'theirs', 1, 'work', null), ('r2', 'mine', 1, 'work', 'quorum')`,
  );
  const told = await untilLogged(host, 'reconcile.failed', /QUEUE_ARGUMENTS_DIFFER/);
  assert.match(
    told,
    /Queue microi\.demo\.mine exists with other arguments \(.*x-queue-type.*\): change QueueType of the binding, or delete the queue once it is empty/,
  );
  await send(host, 'theirs', 'e1');
  await send(host, 'work', 'e2');
  await untilHandled(main, ['e1', 'e2']);
  await send(host, 'mine', 'e3');

  await sqlAsAdmin(main.url, "update diy_queue_receive set QueueType = 'classic' where Id = 'r2'");
  await untilHandled(main, ['e1', 'e2', 'e3']);

  await sqlAsAdmin(
    main.url,
    "insert into diy_queue_receive (Id, QueueName, Type, ApiEngineKey, QueueType) values ('r3', 'strong', 1, 'work', 'quorum')",
  );
  await eventually(() => assert.match(host.output, /"queue.declared".*microi.demo.strong","type":"quorum"/));
  await send(host, 'strong', 'e4');
  await untilHandled(main, ['e1', 'e2', 'e3', 'e4']);
  assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});
