import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { createAdminServer } from '../../src/admin/server.ts';
import type { Actor, Role } from '../../src/core/access.ts';
import { isJsonObject, type JsonObject } from '../../src/core/json.ts';
import { SILENT_LOG } from '../support/silent-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

/* The platform's own addresses (mq-mqtt.md 7, 8) over a real host, with people who really log in. */

const PASSWORD = 'correct horse battery';
const HOST_TOKEN = 'token-of-the-whole-host';
const HOST: Actor = { kind: 'host', id: '', name: 'test', level: 0 };
const SEND = '/api/mq/sendmsg';
const MANAGE = '/apiengine/platform-mq';

let host: TestHost;
let server: FastifyInstance;
const tokens = { admin: '', developer: '', other: '', hostAdmin: '', key: '' };
let adminId = '';
const ends: (() => void)[] = [];

before(async () => {
  host = await TestHost.open(tempDir({ after: (end) => ends.push(end) }));
  await host.host.services.addTenant('other', undefined);
  const { identity } = host.host;
  const login = async (tenant: string, role: Role, isHostAdmin = false) => {
    const account = `${role}-${isHostAdmin}`;
    const place = { by: HOST, address: '', tenant, caller: { kind: 'host', by: HOST } as const };
    const user = await identity.addUser(place, { account, name: '', password: PASSWORD, role, isHostAdmin });
    const { token } = await identity.logIn({ tenant, account, password: PASSWORD }, '192.0.2.1');
    return { user, token };
  };
  const admin = await login('demo', 'admin');
  adminId = admin.user.id;
  tokens.admin = admin.token;
  tokens.developer = (await login('demo', 'developer')).token;
  tokens.hostAdmin = (await login('demo', 'admin', true)).token;
  tokens.other = (await login('other', 'admin')).token;
  const draft = { name: 'ci', role: 'admin', scopes: undefined, expiresAt: undefined } as const;
  tokens.key = (await identity.addKey({ by: HOST, address: '', tenant: 'demo' }, draft)).text;
  server = createAdminServer({
    services: host.host.services,
    identity,
    token: HOST_TOKEN,
    lang: 'en',
    timezone: 'Asia/Shanghai',
    log: SILENT_LOG,
  });
});

after(async () => {
  await server.close();
  await host.close();
  for (const end of ends) end();
});

async function ask(token: string | undefined, request: InjectOptions) {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await server.inject({
    method: 'POST',
    ...request,
    headers: { ...authorization, ...request.headers },
  });
  const body: JsonObject = response.json();
  return { status: response.statusCode, body, code: [response.statusCode, body.Code, body.ReasonCode] };
}

/** Messages of a queue as they were stored, oldest first. */
async function messages(tenant: string, queue: string, count: number): Promise<JsonObject[]> {
  const physical = `microi.${tenant}.${queue}`;
  const found: JsonObject[] = [];
  const texts: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const consumer = await host.adapters.queue.consume(tenant, physical, { prefetch: 10 }, ({ body }) => {
    texts.push(new TextDecoder().decode(body));
    if (texts.length >= count) resolve();
  });
  await promise;
  await consumer.close();
  for (const text of texts) {
    const value = JSON.parse(text);
    if (isJsonObject(value)) found.push({ ...value, text });
  }
  return found;
}

describe('who may use them', () => {
  const payload = { Action: 'Send', QueueName: 'who', Message: 1 };

  it('nobody without a login, with Code 1001', async () => {
    for (const url of [SEND, MANAGE]) {
      for (const token of [undefined, 'a-wrong-token']) {
        assert.deepEqual((await ask(token, { url, payload })).code, [200, 1001, 'ENTRY_LOGIN'], url);
      }
    }
  });

  it('no role below Level 9999, no key and no token of the whole host', async () => {
    for (const token of [tokens.developer, tokens.key, HOST_TOKEN]) {
      assert.deepEqual((await ask(token, { url: SEND, payload })).code, [403, 0, 'PLATFORM_ADMIN_NEEDED']);
      assert.deepEqual((await ask(token, { url: MANAGE, payload })).code, [200, 0, 'PLATFORM_ADMIN_NEEDED']);
    }
  });

  it('administrators in the tenant of their login only', async () => {
    const foreign = { ...payload, OsClient: 'demo' };
    assert.deepEqual((await ask(tokens.other, { url: SEND, payload: foreign })).code, [403, 0, 'TOKEN_FOREIGN']);
    const suffixed = await ask(tokens.other, { url: `${MANAGE}--OsClient--demo--`, payload });
    assert.deepEqual(suffixed.code, [200, 1001, 'ENTRY_LOGIN']);
    const named = await ask(tokens.other, { url: MANAGE, payload: { ...foreign, QueueName: 'mine' } });
    assert.equal(named.body.Code, 1, 'the managed engine does not ask for a tenant');
    assert.equal((await messages('other', 'mine', 1))[0]?.OsClient, 'other');
    const everywhere = await ask(tokens.hostAdmin, { url: SEND, payload: { ...foreign, QueueName: 'host' } });
    assert.equal(everywhere.body.Code, 1);
    const elsewhere = { ...foreign, OsClient: 'other' };
    assert.deepEqual((await ask(tokens.hostAdmin, { url: SEND, payload: elsewhere })).code, [403, 0, 'TOKEN_FOREIGN']);
  });
});

describe('/api/mq/sendmsg', () => {
  it('sends as whoever is logged in, in any case of path and names', async () => {
    const Message = { Text: '中文' };
    const forged = { CurrentToken: { CurrentUser: { Id: 'forged' } }, CurrentUserId: 'forged' };
    const first = { OsClient: 'DEMO', QueueName: 'orders', EventId: ' e-1 ', Message, ...forged };
    const { code, body } = await ask(tokens.admin, { url: '/API/Mq/SendMsg', payload: first });
    assert.deepEqual([...code, body.Data], [200, 1, undefined, { EventId: 'e-1' }]);
    await ask(tokens.admin, {
      url: SEND,
      headers: { 'content-type': 'application/json' },
      payload: '{"queueName":"orders","Msg":{"Id":12345678901234567890}}',
    });
    const [one, two] = await messages('demo', 'orders', 2);
    assert.deepEqual([one?.EventId, one?.Message, one?.CurrentUserId], ['e-1', Message, adminId]);
    assert.match(String(two?.text), /"Id":12345678901234567890/, 'a long number keeps its digits');
  });

  it('tells what is wrong as Code 0', async () => {
    const refusals = [
      [{ Message: 1 }, 'QUEUE_INVALID'],
      [{ QueueName: 'microi.other.x', Message: 1 }, 'QUEUE_FOREIGN'],
      [{ QueueName: 'x' }, 'PARAM_MISSING'],
      [{ QueueName: 'x', Message: 1, EventId: 'a\u0001' }, 'EVENT_ID_INVALID'],
    ] as const;
    for (const [payload, reason] of refusals) {
      assert.deepEqual((await ask(tokens.admin, { url: SEND, payload })).code, [200, 0, reason]);
    }
    assert.equal((await ask(tokens.admin, { method: 'GET', url: SEND })).status, 404);
  });
});

describe('/apiengine/platform-mq', () => {
  it('sends, and leaves a line in the log without the message', async () => {
    const payload = { Action: 'SEND', QueueName: ' jobs ', EventId: 'm-1', Message: { Secret: 'hush' } };
    const { body } = await ask(tokens.admin, { url: MANAGE, payload });
    assert.deepEqual([body.Code, body.Data], [1, { EventId: 'm-1' }]);
    const run = { ApiEngineKey: 'Platform-MQ', ...payload, EventId: 'm-2' };
    assert.equal((await ask(tokens.admin, { url: '/api/ApiEngine/Run', payload: run })).body.Code, 1);
    const [sent] = await messages('demo', 'jobs', 2);
    assert.deepEqual([sent?.Message, sent?.CurrentUserId], [{ Secret: 'hush' }, null]);
    const { sysLog } = await host.host.services.story('demo', 'm-1');
    const lines = sysLog.map(({ type, title, content, level }) => [type, title, content, level]);
    assert.deepEqual(lines, [['MQ', 'PublishByApiEngine', 'jobs, 17 bytes, EventId m-1', 1]]);
  });

  it('has one action, shorter names and messages up to 1 MiB', async () => {
    const good = { Action: 'Send', QueueName: 'limits', Message: null };
    const reasonOf = async (more: JsonObject) => {
      return (await ask(tokens.admin, { url: MANAGE, payload: { ...good, ...more } })).body.ReasonCode;
    };
    assert.equal(await reasonOf({}), undefined);
    assert.equal(await reasonOf({ Action: 'Purge' }), 'REQUEST_INVALID');
    assert.equal(await reasonOf({ QueueName: 'q'.repeat(128) }), undefined);
    assert.equal(await reasonOf({ QueueName: 'q'.repeat(129) }), 'REQUEST_INVALID');
    assert.equal(await reasonOf({ QueueName: 'a b' }), 'REQUEST_INVALID');
    assert.equal(await reasonOf({ QueueName: '.hidden' }), 'QUEUE_INVALID');
    assert.equal(await reasonOf({ Message: 'x'.repeat(1024 * 1024 - 2) }), undefined);
    assert.equal(await reasonOf({ Message: 'x'.repeat(1024 * 1024 - 1) }), 'MESSAGE_TOO_LARGE');
    assert.equal(await reasonOf({ Message: '中'.repeat(350_000) }), 'MESSAGE_TOO_LARGE');
  });
});

describe('an address of the platform that is not here', () => {
  it('is 404 with those that are, for one with another method, too', async () => {
    const asked = { url: '/api/Mqtt/Restart/restart?Secret=1' };
    const restart = await ask(tokens.admin, asked);
    assert.deepEqual(restart.code, [404, 0, 'PLATFORM_ADDRESS_MISSING']);
    assert.match(String(restart.body.Msg), /GET \/api\/Mqtt\/GetStatus\/status/);
    assert.doesNotMatch(String(restart.body.Msg), /Secret/);
    const looked = await ask(tokens.admin, { method: 'GET', url: SEND });
    assert.deepEqual(looked.code, [404, 0, 'PLATFORM_ADDRESS_MISSING']);
    const elsewhere = await ask(tokens.admin, { url: '/api/SysUser/GetCurrentUser' });
    assert.deepEqual(elsewhere.code, [404, 0, 'NOT_FOUND'], 'a path of other controllers');
  });

  it("is an engine's where one has that address", async () => {
    const text = "/** @address /api/mq/depth */\nreturn { Code: 1, Data: 'of the engine' };";
    await host.push({ 'depth.js': text });
    assert.equal((await ask(tokens.admin, { url: '/api/MQ/Depth' })).body.Data, 'of the engine');
  });
});

describe('addresses that drain queues', () => {
  it('are not there for somebody without login and tenant, either', async () => {
    for (const url of ['/api/mq/receive', '/API/MQ/ReceiveMsg', '/api/mqtt/restart']) {
      for (const method of ['GET', 'POST'] as const) {
        const { code, body } = await ask(undefined, { url, method });
        assert.deepEqual(code, [404, 0, 'PLATFORM_ADDRESS_MISSING'], `${method} ${url}`);
        assert.match(String(body.Msg), /\/apiengine\/platform-mq/);
      }
    }
    const engine = await ask(undefined, { url: '/api/of-some-engine' });
    assert.deepEqual(engine.code, [200, 1001, 'ENTRY_TENANT'], 'an address that a tenant may have');
  });

  it('are not there for anybody, and the messages stay', async () => {
    await ask(tokens.admin, { url: SEND, payload: { QueueName: 'kept', EventId: 'kept-1', Message: 1 } });
    for (const action of ['ReceiveMsg', 'ReceiveMsgAsync', 'CloseChannel']) {
      const url = `/api/mq/${action}`;
      const payload = { QueueName: 'kept' };
      const direct = await ask(tokens.admin, { url, payload });
      assert.deepEqual(direct.code, [404, 0, 'PLATFORM_ADDRESS_MISSING'], action);
      assert.match(String(direct.body.Msg), new RegExp(`POST ${url}: .*POST /api/mq/sendmsg, /apiengine/platform-mq`));
      const managed = await ask(tokens.admin, { url: MANAGE, payload: { ...payload, Action: action } });
      assert.equal(managed.body.ReasonCode, 'REQUEST_INVALID', action);
    }
    assert.deepEqual(await host.adapters.queue.depth('demo', 'microi.demo.kept'), { ready: 1, unsettled: 0 });
  });
});
