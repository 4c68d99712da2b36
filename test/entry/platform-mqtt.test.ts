import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { createAdminServer } from '../../src/admin/server.ts';
import type { Actor, Role } from '../../src/core/access.ts';
import { eventually } from '../support/eventually.ts';
import { MqttHost } from '../support/mqtt-host.ts';
import { SILENT_LOG } from '../support/silent-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

/* The platform's addresses for MQTT (mq-mqtt.md 7, 8.2) over a real host with its broker. */

const HOST: Actor = { kind: 'host', id: '', name: 'test', level: 0 };
const PASSWORD = 'correct horse battery';
const HOST_TOKEN = 'token-of-the-whole-host';
const MANAGE = '/apiengine/platform-mqtt';
const STATUS = '/api/Mqtt/GetStatus/status';
const COMMAND = '/api/Mqtt/SendCommand/send-command';

interface Place {
  readonly server: FastifyInstance;
  readonly admin: string;
  readonly developer: string;
}

async function place(t: TestContext, host: TestHost): Promise<Place> {
  const { identity, services } = host.host;
  const parts = {
    services,
    identity,
    token: HOST_TOKEN,
    lang: 'en',
    timezone: 'Asia/Shanghai',
    log: SILENT_LOG,
  } as const;
  const server = createAdminServer(parts);
  t.after(() => server.close());
  const login = async (role: Role) => {
    const at = { by: HOST, address: '', tenant: 'demo', caller: { kind: 'host', by: HOST } as const };
    await identity.addUser(at, { account: role, name: '', password: PASSWORD, role, isHostAdmin: false });
    return (await identity.logIn({ tenant: 'demo', account: role, password: PASSWORD }, '192.0.2.1')).token;
  };
  return { server, admin: await login('admin'), developer: await login('developer') };
}

async function ask({ server }: Place, token: string | undefined, request: InjectOptions) {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { statusCode: status, body } = await server.inject({
    method: 'POST',
    ...request,
    headers: { ...authorization, ...request.headers },
  });
  return { status, text: body, body: body.startsWith('{') ? JSON.parse(body) : undefined };
}

const asJson = (text: string): InjectOptions => ({ headers: { 'content-type': 'application/json' }, payload: text });

describe('with a broker', () => {
  it('tells who is connected, bare and as a DosResult', async (t) => {
    const mqtt = await MqttHost.start(t);
    const at = await place(t, mqtt.host);
    await mqtt.client({ clientId: 'meter-1' });
    const expected = {
      IsRunning: true,
      OsClient: 'demo',
      StatusScope: 'CurrentNode',
      ConnectedClients: { 'meter-1': 'demo' },
    };
    assert.deepEqual((await ask(at, at.admin, { method: 'GET', url: STATUS })).body, expected);
    const managed = await ask(at, at.admin, { url: MANAGE, payload: { Action: 'STATUS' } });
    assert.deepEqual([managed.body.Code, managed.body.Data], [1, expected]);
  });

  it('publishes to the devices of the tenant of the login, and leaves a line without the payload', async (t) => {
    const mqtt = await MqttHost.start(t);
    const at = await place(t, mqtt.host);
    const messages: string[] = [];
    const device = await mqtt.client({ clientId: 'meter-1' }, messages);
    await device.subscribeAsync('#');
    const publish = { Action: 'publish', Topic: ' cmd/meter-1 ', Qos: '1', OsClient: 'other' };
    const text = JSON.stringify({ ...publish, Payload: { Secret: 0 } }).replace('0}', '12345678901234567890}');
    const sent = await ask(at, at.admin, { url: MANAGE, ...asJson(text) });
    assert.deepEqual([sent.status, sent.body.Code, sent.body.Data], [200, 1, null]);
    const aliased = await ask(at, at.admin, { url: MANAGE, payload: { ...publish, Message: 'by alias' } });
    assert.equal(aliased.body.Code, 1);
    const command = await ask(at, at.admin, { url: COMMAND.toUpperCase(), ...asJson('"start 中文"') });
    assert.deepEqual([command.status, command.text], [200, 'Command sent']);
    await eventually(() =>
      assert.deepEqual(messages, [
        'tenant/demo/cmd/meter-1 {"Secret":12345678901234567890}',
        'tenant/demo/cmd/meter-1 by alias',
        'tenant/demo/M100/command start 中文',
      ]),
    );
    const lines = await mqtt.host.host.services.logs('demo', { limit: 100, title: 'PublishByApiEngine' });
    assert.deepEqual(
      lines.map(({ type, content, level }) => `${type} ${level} ${content}`),
      [
        'MQTT 1 cmd/meter-1, QoS 1, retain false, 31 bytes',
        'MQTT 1 cmd/meter-1, QoS 1, retain false, 8 bytes',
        'MQTT 1 M100/command, QoS 0, retain false, 12 bytes',
      ],
    );
  });

  it('keeps a retained message for who comes later', async (t) => {
    const mqtt = await MqttHost.start(t);
    const at = await place(t, mqtt.host);
    const query = 'Action=Publish&Topic=mode&Payload=eco&Retain=true';
    assert.equal((await ask(at, at.admin, { url: `${MANAGE}?${query}` })).body.Code, 1);
    const messages: string[] = [];
    const late = await mqtt.client({ clientId: 'late' }, messages);
    await late.subscribeAsync('mode');
    await eventually(() => assert.deepEqual(messages, ['tenant/demo/mode eco']));
  });

  it('refuses as Code 0 what is not allowed', async (t) => {
    const mqtt = await MqttHost.start(t);
    const at = await place(t, mqtt.host);
    const good = { Action: 'Publish', Topic: 'a', Payload: 'x' };
    const refusals = [
      [{}, undefined],
      [{ Action: 'Restart' }, 'REQUEST_INVALID'],
      [{ Topic: '' }, 'PARAM_MISSING'],
      [{ Topic: 't'.repeat(513) }, 'PARAM_INVALID'],
      [{ Topic: 'a/#' }, 'TOPIC_INVALID'],
      [{ Topic: '$SYS/x' }, 'TOPIC_RESERVED'],
      [{ Qos: 3 }, 'REQUEST_INVALID'],
      [{ Qos: 'high' }, 'REQUEST_INVALID'],
      [{ Payload: 'x'.repeat(1024 * 1024) }, undefined],
      [{ Payload: 'x'.repeat(1024 * 1024 + 1) }, 'MESSAGE_TOO_LARGE'],
    ] as const;
    for (const [more, reason] of refusals) {
      const { status, body } = await ask(at, at.admin, { url: MANAGE, payload: { ...good, ...more } });
      assert.deepEqual([status, body.Code, body.ReasonCode], [200, reason === undefined ? 1 : 0, reason]);
    }
    for (const text of ['{"a":1}', '[1]', '1', '']) {
      const { status, body } = await ask(at, at.admin, { url: COMMAND, ...asJson(text) });
      assert.deepEqual([status, body.Code, body.ReasonCode], [200, 0, 'REQUEST_INVALID'], text);
    }
    const managed = await ask(at, at.admin, { url: MANAGE, ...asJson('"text"') });
    assert.deepEqual([managed.status, managed.body.ReasonCode], [400, 'REQUEST_INVALID']);
  });
});

describe('without a broker', () => {
  it('says so, and publishes nothing', async (t) => {
    const host = await TestHost.open(tempDir(t));
    t.after(() => host.close());
    const at = await place(t, host);
    const status = await ask(at, at.admin, { method: 'GET', url: STATUS });
    assert.deepEqual([status.body.IsRunning, status.body.ConnectedClients], [false, {}]);
    const payload = { Action: 'Publish', Topic: 'a', Payload: 'x' };
    const { status: code, body } = await ask(at, at.admin, { url: MANAGE, payload });
    assert.deepEqual([code, body.Code, body.ReasonCode], [200, 0, 'MQTT_NOT_RUNNING']);
    const command = await ask(at, at.admin, { url: COMMAND, ...asJson('"x"') });
    assert.deepEqual([command.status, command.body.ReasonCode], [200, 'MQTT_NOT_RUNNING']);
  });
});

it('none of them is for anybody but people with Level 9999, by its own method alone', async (t) => {
  const host = await TestHost.open(tempDir(t));
  t.after(() => host.close());
  const at = await place(t, host);
  const requests: readonly InjectOptions[] = [
    { method: 'GET', url: STATUS },
    { url: COMMAND, ...asJson('"x"') },
    { url: MANAGE, payload: { Action: 'Status' } },
  ];
  for (const request of requests) {
    const isController = request.url !== MANAGE;
    const nobody = await ask(at, undefined, request);
    assert.deepEqual([nobody.status, nobody.body.Code], [200, 1001]);
    for (const token of [at.developer, HOST_TOKEN]) {
      const { status, body } = await ask(at, token, request);
      assert.deepEqual([status, body.ReasonCode], [isController ? 403 : 200, 'PLATFORM_ADMIN_NEEDED']);
    }
  }
  assert.equal((await ask(at, at.admin, { method: 'POST', url: STATUS })).status, 404);
  assert.equal((await ask(at, at.admin, { method: 'GET', url: COMMAND })).status, 404);
});
