/** What operators and devices use, on MariaDB and RabbitMQ: modules, dead letters, tokens of tenants, the MQTT broker. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { HostProcess } from '../support/host-process.ts';
import { connectClient } from '../support/mqtt-broker.ts';
import { ownPort } from '../support/own-port.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { freshVhost } from '../support/services/fresh-vhost.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { tempDir } from '../support/temp-dir.ts';
import { column, push, send, tablesJson } from './engine-hosts.ts';

const LIMIT = { timeout: 180_000 };
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const MODULE = `export default async (message, host) => {
  await host.call('FormEngine.AddFormData', 'effect', { EventId: host.eventId });
  await host.call('MQ.SendMsg', { QueueName: 'onward', EventId: 'on-' + host.eventId, Message: {} });
  return message.Message.fail ? { Code: 0, Msg: 'not today' } : { Code: 1 };
};
`;
const note = "V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });\n";
const SCRIPTS = {
  'tables.json': tablesJson({ effect: ['EventId'] }),
  'onward.js': `/** @queue onward */\nreturn ${note}`,
  'price.js': `/** @queue price\n * @retry 0 */
${note}if (typeof V8.Param.Message.Message.Price !== 'number') throw new Error('no price in order ' + V8.Param.EventId);
return { Code: 1 };
`,
  'device.js': `if (V8.EventName !== 'MessageReceived') return { Code: 1 };
return V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'reading-' + V8.MQTT.Payload.n, Message: {} });
`,
};

async function start(t: TestContext, config: Record<string, unknown> = {}, env: Record<string, string> = {}) {
  const [database, vhost] = [await freshDatabase(), await freshVhost()];
  const dir = tempDir(t);
  mkdirSync(join(dir, 'modules'));
  writeFileSync(join(dir, 'modules/erp.mjs'), MODULE);
  const host = await HostProcess.create(
    dir,
    {
      ...{ databaseUrl: database.url, queueUrl: vhost.url, lang: 'en', reconcileSeconds: 1, sandbox: { lanes: 2 } },
      ...{ modules: { dir: join(dir, 'modules'), handlers: { erp: { file: 'erp.mjs', sha256: sha256(MODULE) } } } },
      ...config,
    },
    env,
  );
  t.after(() => host.kill());
  await host.start();
  await push(host, SCRIPTS);
  return { host, database, effects: () => column(database.url, 'select EventId from effect') };
}

test('a registered module has the transaction and the inbox of an engine; a changed file is told', LIMIT, async (t) => {
  const { host, database, effects } = await start(t);
  const row = "insert into diy_queue_receive (Id, QueueName, Type, DllName) values ('m', 'module', 2, 'erp.dll')";
  await sqlAsAdmin(database.url, row);
  for (const id of ['a', 'a', 'b']) await send(host, 'module', id, { fail: id === 'b' });
  await eventually(async () => assert.deepEqual(await effects(), ['a', 'on-a']), 30_000);
  await eventually(async () => assert.match((await host.cli('dead-letters', 'list')).out, /not today/), 30_000);
  writeFileSync(join(host.dataDir, 'modules/erp.mjs'), `${MODULE}// changed\n`);
  await eventually(() => assert.ok(host.output.includes(sha256(`${MODULE}// changed\n`))), 30_000);
  assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});

test('dead letters are grouped, tried without effects, edited and run again', LIMIT, async (t) => {
  const { host, effects } = await start(t);
  for (const id of ['p-1', 'p-2']) await send(host, 'price', id, { Price: 'x' });
  const row = /^([0-9a-f]{16}) +2 +\S+ .*no price in order <id>/m;
  let group = '';
  await eventually(async () => {
    group = row.exec((await host.cli('dead-letters', 'groups')).out)?.[1] ?? '';
    assert.notEqual(group, '');
  }, 30_000);
  assert.match((await host.cli('dead-letters', 'show', 'p-1')).out, /"Price": "x"/);
  const tried = await host.cli('dead-letters', 'try', 'p-1', '--message', '{"Price":3}');
  assert.match(tried.out, /would succeed[\s\S]*effect[\s\S]*p-1/, tried.err);
  assert.deepEqual(await effects(), [], 'the trial was undone');
  const edited = await host.cli('dead-letters', 'edit', 'p-1', '--message', '{"Price":3}');
  assert.equal(edited.code, 0, edited.err);
  await eventually(async () => assert.deepEqual(await effects(), ['p-1']), 30_000);
  const again = await host.cli('dead-letters', 'replay', '--group', group);
  assert.equal(again.err, 'Replayed: 1\n');
  await eventually(async () => assert.match((await host.cli('trace', 'p-2')).out, /cycle 2 .*dead/), 30_000);
  assert.match((await host.cli('trace', 'p-1')).out, /edited[\s\S]*done/);
  const purged = await host.cli('dead-letters', 'purge', 'p-2');
  assert.equal(purged.code, 0, purged.err);
  assert.deepEqual(await effects(), ['p-1']);
});

test("a tenant's token does what its role may, in its own tenant", LIMIT, async (t) => {
  const keys = `demo.viewer=${sha256('token-of-a-viewer')},other.admin=${sha256('token-of-another')}`;
  const { host } = await start(t, {}, { V8HOST_HTTP_KEYS: keys });
  const status = async (token: string, method: string, path: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${host.port}/api/v1/${path}`;
    const response = await fetch(url, { method, headers, ...(method === 'GET' ? {} : { body: '{}' }) });
    return [response.status, ((await response.json()) as { ReasonCode?: string }).ReasonCode];
  };
  assert.deepEqual(await status('token-of-a-viewer', 'GET', 'tenants/demo/dead-letters'), [200, undefined]);
  assert.deepEqual(await status('token-of-a-viewer', 'POST', 'tenants/demo/reload'), [403, 'ROLE_DENIED']);
  assert.deepEqual(await status('token-of-another', 'GET', 'tenants/demo/dead-letters'), [403, 'TOKEN_FOREIGN']);
  assert.deepEqual(await status('token-of-nobody', 'GET', 'tenants/demo/limits'), [401, 'UNAUTHORIZED']);
  assert.ok(!host.output.includes('token-of-'), 'the log names no token');
});

test("a device's message leads to the queue once, and its client is a row of MariaDB", LIMIT, async (t) => {
  const port = await ownPort();
  const mqtt = { enabled: true, port, account: 'device', password: 'device-password', engine: 'device' };
  const { host, database, effects } = await start(t, { mqtt });
  const login = { clientId: 'meter-1', username: 'demo:device', password: 'device-password' };
  const client = await connectClient(t, `mqtt://127.0.0.1:${port}`, login);
  for (const n of [1, 2, 2]) await client.publishAsync('sensor/meter-1', JSON.stringify({ n }), { qos: 1 });
  await eventually(async () => assert.deepEqual(await effects(), ['reading-1', 'reading-2']), 30_000);
  const online = () => column(database.url, "select IsOnline from mci_mqtt_client where ClientId = 'meter-1'");
  await eventually(async () => assert.deepEqual(await online(), ['1']), 30_000);
  assert.match((await host.cli('mqtt', 'clients')).out, /meter-1/);
  await client.endAsync();
  await eventually(async () => assert.deepEqual(await online(), ['0']), 30_000);
  assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});

test('people log in and bind queues through the API; a queue of the other kind is told at once', LIMIT, async (t) => {
  const { host, effects } = await start(t);
  const password = 'correct horse battery 42';
  writeFileSync(join(host.dataDir, 'password'), password);
  const added = await host.cli(
    'user',
    'add',
    'lin',
    '--role',
    'designer',
    '--password-file',
    join(host.dataDir, 'password'),
  );
  assert.equal(added.code, 0, added.err);
  const login = await host.api('POST', 'login', { tenant: 'demo', account: 'lin', password });
  assert.equal(login.status, 200, JSON.stringify(login.body));
  assert.equal((await host.api('POST', 'login', { tenant: 'demo', account: 'lin', password: 'guess' })).status, 401);
  const bind = (body: object) => host.api('POST', 'tenants/demo/bindings', body);
  const quorum = await bind({ queue: 'by-hand', engineKey: 'onward', queueType: 'quorum' });
  assert.deepEqual([quorum.status, quorum.body.Data.state], [201, 'attached'], JSON.stringify(quorum.body));
  await send(host, 'by-hand', 'h-1', {});
  await eventually(async () => assert.deepEqual(await effects(), ['h-1']), 30_000);
  const { id } = quorum.body.Data;
  const removed = await host.api('DELETE', `tenants/demo/bindings/${id}`);
  assert.equal(removed.status, 200, JSON.stringify(removed.body));
  const differs = await bind({ queue: 'by-hand', engineKey: 'onward', queueType: 'classic' });
  // Whoever deletes the queue makes it right, so the row is kept and tried again.
  assert.equal(differs.body.Data.state, 'failed', JSON.stringify(differs.body));
  assert.match(differs.body.Data.notes.join(), /by-hand exists with other arguments .*'quorum'.*change QueueType/);
  const backup = await host.cli('backup');
  assert.match(backup.err, /Not in it.*tenant demo.*RabbitMQ/);
  assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});
