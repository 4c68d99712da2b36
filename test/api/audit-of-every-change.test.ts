/** Every route that changes something leaves an entry in the log of changes: who, what, never a secret or a payload. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { EmbeddedBrokerStore } from '../../src/adapters/embedded/broker-store.ts';
import { DEFAULT_BROKER_LIMITS } from '../../src/adapters/mqtt/broker-limits.ts';
import { startBroker } from '../../src/adapters/mqtt/mqtt-broker.ts';
import { ROUTE_PERMISSIONS } from '../../src/admin/route-permissions.ts';
import type { AuditRecord } from '../../src/ports/identity.ts';
import { type ApiHost, openApi } from '../support/api-host.ts';
import { eventually } from '../support/eventually.ts';
import { refuseSending } from '../support/failed-outbox.ts';
import { connectClient } from '../support/mqtt-broker.ts';
import { outside, tenantFile } from '../support/outside.ts';
import { service } from '../support/services/services.ts';
import { SILENT_LOG } from '../support/silent-log.ts';

const DEVICE = { account: 'device', password: 'canary-of-the-device' } as const;
const CANARY = 'canary-of-a-payload';
const PASSWORD = 'canary-of-a-password';

/** What each route is asked, in this order, and the entry that it must leave. */
interface Step {
  readonly path?: (made: Made) => string;
  readonly body?: (made: Made) => unknown;
  readonly action: string;
}

/** Ids that earlier steps made. */
interface Made {
  bindingId: string;
  topicId: string;
  userId: string;
  keyId: string;
  checkId: string;
  backupDir: string;
  rabbit: { url: string; user: string; password: string };
}

const dead = (route: string): Pick<Step, 'path'> => ({ path: () => `tenants/demo/dead-letters/${route}` });

const STEPS: Readonly<Record<string, Step>> = {
  'PUT /tenants/:tenant/engines': {
    body: () => ({ files: [{ path: 'a.js', text: `/** @queue a */\nreturn { Code: 0, Msg: '${CANARY}' };` }] }),
    action: 'engine.added',
  },
  'PUT /tenants/:tenant/engines/:key': {
    path: () => 'tenants/demo/engines/a',
    body: () => ({ source: `/** @queue a */\nreturn { Code: 0, Data: '${CANARY}' };` }),
    action: 'engine.changed',
  },
  'POST /tenants/:tenant/engines/:key/rollback': {
    path: () => 'tenants/demo/engines/a/rollback',
    body: () => ({ no: 1 }),
    action: 'engine.changed',
  },
  'PATCH /tenants/:tenant/engines/:key': {
    path: () => 'tenants/demo/engines/a',
    body: () => ({ enabled: false }),
    action: 'engine.disabled',
  },
  'POST /tenants/:tenant/dead-letters/replay': {
    ...dead('replay'),
    body: () => ({ eventId: 'd1' }),
    action: 'dead-letter.replayed',
  },
  'POST /tenants/:tenant/dead-letters/:eventId/edit': {
    ...dead('d2/edit'),
    body: () => ({ Message: { text: CANARY } }),
    action: 'dead-letter.edited',
  },
  'POST /tenants/:tenant/dead-letters/purge': {
    ...dead('purge'),
    body: () => ({ eventId: 'd3' }),
    action: 'dead-letter.purged',
  },
  'POST /tenants/:tenant/outbox/retry': { body: () => ({ seq: 1000 }), action: 'outbox.retried' },
  'POST /tenants/:tenant/outbox/discard': { body: () => ({ all: true }), action: 'outbox.discarded' },
  'POST /tenants/:tenant/bindings': {
    body: () => ({ queue: 'by-hand', engineKey: 'b' }),
    action: 'binding.added',
  },
  'PATCH /tenants/:tenant/bindings/:id': {
    path: ({ bindingId }) => `tenants/demo/bindings/${bindingId}`,
    body: () => ({ prefetch: 2 }),
    action: 'binding.changed',
  },
  'DELETE /tenants/:tenant/bindings/:id': {
    path: ({ bindingId }) => `tenants/demo/bindings/${bindingId}`,
    action: 'binding.removed',
  },
  'POST /tenants/:tenant/mqtt/bindings': {
    body: () => ({ filter: 'lamps/+', queue: 'a', eventIdPath: 'id' }),
    action: 'topic-binding.added',
  },
  'PATCH /tenants/:tenant/mqtt/bindings/:id': {
    path: ({ topicId }) => `tenants/demo/mqtt/bindings/${topicId}`,
    body: () => ({ enabled: false }),
    action: 'topic-binding.changed',
  },
  'DELETE /tenants/:tenant/mqtt/bindings/:id': {
    path: ({ topicId }) => `tenants/demo/mqtt/bindings/${topicId}`,
    action: 'topic-binding.removed',
  },
  'POST /tenants/:tenant/mqtt/publish': {
    body: () => ({ topic: 'lamps/1', payload: CANARY }),
    action: 'mqtt.published',
  },
  'POST /tenants/:tenant/mqtt/clients/:clientId/disconnect': {
    path: () => 'tenants/demo/mqtt/clients/sensor-1/disconnect',
    action: 'mqtt.client-disconnected',
  },
  'POST /tenants/:tenant/users': {
    body: () => ({ account: 'new', password: PASSWORD, role: 'viewer' }),
    action: 'user.added',
  },
  'PATCH /tenants/:tenant/users/:userId': {
    path: ({ userId }) => `tenants/demo/users/${userId}`,
    body: () => ({ password: `${PASSWORD}-2` }),
    action: 'user.changed',
  },
  'DELETE /tenants/:tenant/users/:userId/sessions': {
    path: ({ userId }) => `tenants/demo/users/${userId}/sessions`,
    action: 'user.logins-ended',
  },
  'DELETE /tenants/:tenant/users/:userId': {
    path: ({ userId }) => `tenants/demo/users/${userId}`,
    action: 'user.removed',
  },
  'POST /tenants/:tenant/keys': { body: () => ({ name: 'CI', role: 'developer' }), action: 'key.added' },
  'DELETE /tenants/:tenant/keys/:keyId': { path: ({ keyId }) => `tenants/demo/keys/${keyId}`, action: 'key.removed' },
  'PATCH /tenants/:tenant/settings': {
    body: () => ({ MqttPwd: `${CANARY}-2`, ClientName: 'Demo' }),
    action: 'tenant.settings-changed',
  },
  'POST /tenants/:tenant/reload': { action: 'tenant.reloaded' },
  'POST /tenants': { path: () => 'tenants', body: () => ({ tenant: 'acme' }), action: 'tenant.added' },
  'POST /isolation-checks': { path: () => 'isolation-checks', action: 'isolation-check.begun' },
  'DELETE /isolation-checks/:checkId': {
    path: ({ checkId }) => `isolation-checks/${checkId}`,
    action: 'isolation-check.ended',
  },
  'POST /tenants/:tenant/rabbitmq-setup': {
    path: () => 'tenants/acme/rabbitmq-setup',
    body: ({ rabbit }) => rabbit,
    action: 'tenant.broker-account-set',
  },
  'POST /backups': { path: () => 'backups', body: ({ backupDir }) => ({ dir: backupDir }), action: 'host.backed-up' },
  'POST /secrets/rotate': { path: () => 'secrets/rotate', body: () => ({}), action: 'secrets.rotated' },
  'POST /signing-keys/rotate': { path: () => 'signing-keys/rotate', body: () => ({}), action: 'signing-key.rotated' },
  'POST /session/password': {
    path: () => 'session/password',
    body: () => ({ old: PASSWORD, password: `${PASSWORD}-3` }),
    action: 'user.password-changed',
  },
};

/** Routes that change nothing which is set, and where what they do can be read. */
const NO_CHANGES: Readonly<Record<string, string>> = {
  'POST /login': "a login: the user's lastLoginAt and the host's log",
  'POST /setup': "the first administrator: the host's log; test/admin/login.test.ts",
  'DELETE /session': "a logout: the host's log",
  'POST /tenants/:tenant/engines/:key/run': 'a run: its attempt',
  'POST /tenants/:tenant/queues/:queue/messages': 'a message: the story of its EventId',
  'POST /tenants/:tenant/try': 'undone again',
  'POST /tenants/:tenant/engines/:key/trial': 'undone again',
};

test('every route that changes something has a step here, or a reason why not', () => {
  const changing = [...ROUTE_PERMISSIONS.keys()].filter((route) => !route.startsWith('GET '));
  assert.deepEqual([...Object.keys(STEPS), ...Object.keys(NO_CHANGES)].sort(), changing.sort());
});

test('every change is written down', async (t) => {
  const api = await openApi(t, { mqtt: { enabled: true, ...DEVICE } });
  const admin = await prepare(t, api);
  const made: Made = {
    bindingId: '',
    topicId: '',
    userId: '',
    keyId: '',
    checkId: '',
    backupDir: join(api.dataDir, 'copy'),
    rabbit: await rabbit(),
  };
  for (const [route, { path, body, action }] of Object.entries(STEPS)) {
    await t.test(route, async () => {
      const before = await entries(api);
      const [method = '', pattern = ''] = route.split(' ');
      const target = path?.(made) ?? pattern.slice(1).replace(':tenant', 'demo');
      const data = await api.data<{ id?: string }>(method, target, body?.(made), admin);
      if (route === 'POST /tenants') await placeBroker(api);
      if (route === 'POST /tenants/:tenant/bindings') made.bindingId = data.id ?? '';
      if (route === 'POST /tenants/:tenant/mqtt/bindings') made.topicId = data.id ?? '';
      if (route === 'POST /tenants/:tenant/users') made.userId = data.id ?? '';
      if (route === 'POST /isolation-checks') made.checkId = data.id ?? '';
      if (route === 'POST /tenants/:tenant/keys') made.keyId = data.id ?? '';
      const known = new Set(before.map(({ id }) => id));
      const written = (await entries(api)).filter(({ id }) => !known.has(id));
      const entry = written.find((each) => each.action === action);
      assert.ok(entry !== undefined, `${action} is not among ${written.map((each) => each.action)}`);
      for (const each of written) {
        assert.deepEqual([each.actorKind, each.actorName, each.address], ['user', 'root', '127.0.0.1'], each.action);
      }
    });
  }
  const all = JSON.stringify(await entries(api));
  for (const secret of [CANARY, PASSWORD, DEVICE.password, made.rabbit.password, 'argon2']) {
    assert.ok(!all.includes(secret), `${secret} is in the log of changes`);
  }
});

/** The entries of both tenants. */
async function entries(api: ApiHost): Promise<readonly AuditRecord[]> {
  const stores = api.host.adapters.directory.open();
  return (await Promise.all(stores.map(({ identity }) => identity.audit.list({ limit: 1000 })))).flat();
}

/** Dead letters, a connected device, and an administrator of the host. @returns its token. */
async function prepare(t: TestContext, api: ApiHost): Promise<string> {
  const { host } = api;
  await host.push({ 'dead.js': '/** @queue dead */\nreturn { Code: 0 };', 'b.js': 'return { Code: 1 };' });
  await host.host.start();
  for (const eventId of ['d1', 'd2', 'd3']) await host.send('dead', eventId, { text: CANARY });
  await eventually(async () => {
    assert.equal((await host.host.services.deadLetters('demo', { state: 'dead', limit: 10 })).total, 3);
  });
  await refuseSending(api.dataDir, 1000, CANARY);
  const store = EmbeddedBrokerStore.open(join(api.dataDir, 'host.db'));
  t.after(() => store.close());
  const parts = { store, clock: host.adapters.clock, log: SILENT_LOG, limits: DEFAULT_BROKER_LIMITS };
  const place = {
    kind: 'mqtt',
    bind: '127.0.0.1',
    port: 0,
    setting: 'mqtt.port',
    portsTried: 0,
    maxMessageBytes: 1e6,
  } as const;
  const broker = await host.host.mqtt.start((rules) => startBroker({ ...parts, rules }, [place]));
  const options = { username: `demo:${DEVICE.account}`, password: DEVICE.password, clientId: 'sensor-1' };
  const url = `mqtt://127.0.0.1:${broker.listeners[0]?.port}`;
  await connectClient(t, url, { ...options, reconnectPeriod: 0 });
  await api.data('POST', 'tenants/demo/users', {
    account: 'root',
    password: PASSWORD,
    role: 'admin',
    isHostAdmin: true,
  });
  const { token } = await api.data<{ token: string }>('POST', 'login', { account: 'root', password: PASSWORD });
  return token;
}

/** Gives the new tenant the server on which its account is made. */
async function placeBroker({ dataDir }: ApiHost): Promise<void> {
  const { hostname, port } = new URL((await service('rabbitmq')).rabbitUrl);
  const sql = "update sys_osclients set MQHost = ?, MQPort = ? where OsClient = 'acme'";
  await outside(dataDir, tenantFile('demo'), sql, hostname, port);
}

async function rabbit(): Promise<Made['rabbit']> {
  const { origin, username, password } = new URL((await service('rabbitmq')).rabbitApiUrl);
  return { url: origin, user: decodeURIComponent(username), password: decodeURIComponent(password) };
}
