import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { ACCOUNT, MqttHost } from '../support/mqtt-host.ts';
import { tempDir } from '../support/temp-dir.ts';

const LIMIT = { timeout: 120_000 };
const body = (value: unknown): string => JSON.stringify(value);

test('the seven events, with their fields', LIMIT, async (t) => {
  const dir = tempDir(t);
  const first = await MqttHost.start(t, { dir });
  const device = await first.client({ clientId: 'dev-1', protocolVersion: 5 });
  await device.subscribeAsync('cmd/#', { qos: 1 });
  await device.publishAsync('cfg/a', body({ n: 1 }), {
    qos: 1,
    retain: true,
    properties: { userProperties: { k: ['1', '2'] } },
  });
  await device.endAsync();
  await eventually(async () => assert.equal((await first.events('Disconnected')).length, 1));
  const events = await first.events();
  assert.deepEqual(
    events.map(({ name }) => name),
    ['StartServer', 'Connected', 'Subscribing', 'MessageReceived', 'MessageChanged', 'Disconnected'],
  );
  const [start, connected, subscribing, message, changed, gone] = events;
  assert.deepEqual([start?.OsClient, start?.ClientId], ['demo', null]);
  assert.deepEqual([connected?.ClientId, connected?.UserName, connected?.OsClient], ['dev-1', 'demo:device', 'demo']);
  assert.equal(subscribing?.Topic, 'tenant/demo/cmd/#');
  const { Topic, Payload, PayloadRaw, Qos, Retain, UserProperties } = message ?? {};
  assert.deepEqual(
    [Topic, Payload, PayloadRaw, Qos, Retain, UserProperties],
    ['tenant/demo/cfg/a', { n: 1 }, '{"n":1}', 1, true, { k: '1' }],
  );
  assert.deepEqual([changed?.Topic, changed?.UserProperties], ['tenant/demo/cfg/a', null]);
  assert.equal(gone?.ConnectionEpoch, connected?.ConnectionEpoch);
  await first.close();
  const second = await MqttHost.start(t, { dir });
  assert.equal((await second.events('StopServer')).length, 1);
});

test('a device is online while it is connected; stopping and a dead host leave nobody online', LIMIT, async (t) => {
  const dir = tempDir(t);
  let host = await MqttHost.start(t, { dir });
  const state = async () =>
    (await host.rows('mci_mqtt_client')).map(({ ClientId, IsOnline }) => `${ClientId} ${IsOnline}`);
  const device = await host.client({ clientId: 'd' });
  await eventually(async () => assert.deepEqual(await state(), ['d 1']));
  await device.endAsync();
  await eventually(async () => assert.deepEqual(await state(), ['d 0']));
  await host.client({ clientId: 'd' });
  await eventually(async () => assert.deepEqual(await state(), ['d 1']));
  await host.close();
  host = await MqttHost.start(t, { dir });
  assert.deepEqual(await state(), ['d 0']);
  await host.host.store.tables.update({ table: 'mci_mqtt_client', where: [], includeDeleted: true }, { IsOnline: 1 });
  await host.close();
  host = await MqttHost.start(t, { dir });
  assert.deepEqual(await state(), ['d 0']);
});

for (const clean of [true, false]) {
  test(`a takeover with clean ${clean} leaves the device online until the winner goes`, LIMIT, async (t) => {
    const host = await MqttHost.start(t);
    await host.client({ clientId: 'd', clean });
    await eventually(async () => assert.equal((await host.events('Connected')).length, 1));
    const winner = await host.client({ clientId: 'd', clean });
    await eventually(async () => assert.equal((await host.events('Connected')).length, 2));
    await winner.publishAsync('x', 'still here', { qos: 1 });
    assert.equal((await host.rows('mci_mqtt_client'))[0]?.IsOnline, 1);
    assert.equal((await host.events('Disconnected')).length, 0);
    await winner.endAsync();
    await eventually(async () => assert.equal((await host.rows('mci_mqtt_client'))[0]?.IsOnline, 0));
    await eventually(async () => assert.equal((await host.events('Disconnected')).length, 1));
    assert.equal((await host.rows('mci_mqtt_client')).length, 1);
  });
}

test(
  'the gate: allowed is committed and forwarded, blocked and failed are told and leave nothing',
  LIMIT,
  async (t) => {
    const host = await MqttHost.start(t, { limits: { cpuMs: 1_000, wallMs: 3_000 } });
    const messages: string[] = [];
    const watcher = await host.client({ clientId: 'w' }, messages);
    await watcher.subscribeAsync('x', { qos: 1 });
    const raw = await host.raw();
    await raw.connect(5, { clientId: 'five', username: ACCOUNT.username, password: Buffer.from(ACCOUNT.password) });
    const ask = async (payload: unknown, messageId: number) => {
      raw.send({ cmd: 'publish', topic: 'x', payload: body(payload), qos: 1, retain: true, dup: false, messageId }, 5);
      const { reasonCode, properties } = await raw.packet('puback', 60_000);
      return [reasonCode, properties?.reasonString];
    };
    assert.deepEqual(await ask({ ask: 'block' }, 1), [0x99, 'too hot']);
    assert.deepEqual(await ask({ ask: 'throw' }, 2), [0x80, 'SCRIPT_THREW']);
    assert.equal((await ask({ ask: 'loop' }, 3))[0], 0x80);
    assert.deepEqual(await ask({ n: 4 }, 4), [0, undefined]);
    assert.deepEqual(
      (await host.events('MessageReceived')).map(({ Payload }) => Payload),
      [{ n: 4 }],
    );
    const old = await host.client({ clientId: 'four' });
    await old.publishAsync('x', body({ ask: 'block' }), { qos: 1 });
    await old.publishAsync('x', body({ n: 5 }), { qos: 2 });
    await eventually(() => assert.deepEqual(messages, ['tenant/demo/x {"n":4}', 'tenant/demo/x {"n":5}']));
    assert.deepEqual(
      (await host.host.host.mqtt.broker.retained('demo')).map(({ bytes }) => bytes),
      [7],
    );
    await eventually(async () => {
      const receives = (await host.rows('mci_mqtt_log')).filter(({ Type }) => Type === 'Receive');
      assert.equal(receives.length, 6);
    });
  },
);

test(
  'messages of a script: into a queue with the commit, to devices after it, not when it is blocked',
  LIMIT,
  async (t) => {
    const host = await MqttHost.start(t);
    await host.host.push({
      'readings.js': `/**\n * @queue readings\n */\nreturn V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId });`,
    });
    const messages: string[] = [];
    const device = await host.client({ clientId: 'd' }, messages);
    await device.subscribeAsync('answers/#', { qos: 1 });
    await device.publishAsync('x', body({ ask: 'answer-and-block' }), { qos: 1 });
    await device.publishAsync('x', body({ ask: 'answer', n: 1 }), { qos: 1 });
    await device.publishAsync('x', body({ ask: 'send', n: 2 }), { qos: 1 });
    await eventually(() => assert.deepEqual(messages, ['tenant/demo/answers/d {"n":1}']));
    await eventually(async () => assert.deepEqual(await host.host.effects('onward'), ['r-2']));
  },
);

test("a device's own EventId takes effect once", LIMIT, async (t) => {
  const host = await MqttHost.start(t);
  const messages: string[] = [];
  const device = await host.client({ clientId: 'd', protocolVersion: 5 }, messages);
  await device.subscribeAsync('x', { qos: 1 });
  const properties = { userProperties: { EventId: 'e-1' } };
  for (let time = 0; time < 3; time++) await device.publishAsync('x', body({ n: 1 }), { qos: 1, properties });
  await device.publishAsync('x', body({ n: 1 }), { qos: 1 });
  await eventually(() => assert.equal(messages.length, 2));
  assert.equal((await host.events('MessageReceived')).length, 2);
  await eventually(async () => {
    const story = await host.host.store.journal.story('e-1');
    assert.equal(story.inbox[0]?.status, 'done');
  });
});

test(
  'what version 5 says beside a message is seen by the script; a device cannot speak for a tenant',
  LIMIT,
  async (t) => {
    const host = await MqttHost.start(t);
    const properties = {
      responseTopic: 'answers/d',
      correlationData: Buffer.from([0, 255]),
      contentType: 'text/plain',
      payloadFormatIndicator: true,
      messageExpiryInterval: 60,
      userProperties: { OsClient: 'plant-b', osclient: 'plant-b', unit: ['K', 'C'] },
    };
    const reader = await host.client({ clientId: 'r', protocolVersion: 5 });
    await reader.subscribeAsync('x', { qos: 1 });
    const passed = new Promise<unknown>((resolve) =>
      reader.once('message', (...[, , packet]) => resolve(packet.properties)),
    );
    const device = await host.client({ clientId: 'd', protocolVersion: 5 });
    await device.publishAsync('x', body({ n: 1 }), { qos: 1, properties });
    const [seen] = await host.events('MessageReceived');
    const beside = {
      OsClient: 'demo',
      ResponseTopic: 'tenant/demo/answers/d',
      CorrelationData: 'AP8=',
      ContentType: 'text/plain',
      PayloadFormatIndicator: 1,
      MessageExpiryInterval: 60,
      UserProperties: { unit: 'K' },
      UserPropertyList: [
        { Name: 'unit', Value: 'K' },
        { Name: 'unit', Value: 'C' },
      ],
    };
    assert.deepEqual({ ...seen, ...beside }, seen);
    const { userProperties, responseTopic } = (await passed) as { userProperties: object; responseTopic: string };
    assert.deepEqual([{ ...userProperties }, responseTopic], [{ unit: ['K', 'C'] }, 'tenant/demo/answers/d']);
  },
);

test('one gate at a time for each client, in the order of its messages', LIMIT, async (t) => {
  const host = await MqttHost.start(t);
  const device = await host.client({ clientId: 'd' });
  const sent = Array.from({ length: 50 }, (_, n) => device.publishAsync('x', body({ n }), { qos: 1 }));
  await Promise.all(sent);
  const seen = (await host.events('MessageReceived')).map(({ Payload }) => (Payload as { n: number }).n);
  assert.deepEqual(
    seen,
    Array.from({ length: 50 }, (_, n) => n),
  );
});

test('a database that is away: tried again, then the connection ends without an acknowledgement', LIMIT, async (t) => {
  let away = 0;
  const host = await MqttHost.start(t, {
    decorate: (adapters) => {
      const [store] = adapters.directory.open();
      if (store !== undefined) {
        const begin = store.begin.bind(store);
        store.begin = async (waitMs) => {
          if (away > 0) {
            away--;
            const { AppError } = await import('../../src/core/errors.ts');
            throw new AppError('DB_UNAVAILABLE', { reason: 'test' });
          }
          return begin(waitMs);
        };
      }
      return adapters;
    },
  });
  const device = await host.client({ clientId: 'd', keepalive: 2 });
  away = 2;
  await device.publishAsync('x', body({ n: 1 }), { qos: 1 });
  assert.equal((await host.events('MessageReceived')).length, 1);
  away = 1_000;
  const closed = new Promise<void>((resolve) => device.once('close', () => resolve()));
  const acknowledged = device.publishAsync('x', body({ n: 2 }), { qos: 1 }).then(
    () => true,
    () => false,
  );
  await closed;
  device.end(true);
  away = 0;
  assert.equal(await Promise.race([acknowledged, Promise.resolve(false)]), false);
  assert.equal((await host.events('MessageReceived')).length, 1);
});

test('a binding hands messages over to a queue, whose consumer has them at its own pace', LIMIT, async (t) => {
  const host = await MqttHost.start(t);
  await host.host.push({
    'meter.js': `/**\n * @queue meters\n */\nvar m = V8.Param.Message.Message;
return V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId, Note: m.ClientId + ' ' + m.Topic + ' ' + m.Payload.v });`,
  });
  const binding = { TopicFilter: 'meters/+/value', QueueName: 'meters', EventIdPath: 'head.id', IsEnable: 1 };
  await host.host.store.tables.insert('mci_mqtt_binding', { Id: 'b-1', ...binding, IsDeleted: 0 });
  const device = await host.client({ clientId: 'm' });
  for (const v of [1, 2]) await device.publishAsync('meters/m/value', body({ v, head: { id: 'h-1' } }), { qos: 1 });
  await device.publishAsync('meters/m/value', body({ v: 3 }), { qos: 1 });
  await eventually(async () => assert.equal((await host.rows('onward')).length, 2), 60_000);
  const rows = await host.rows('onward');
  assert.deepEqual(rows.map(({ Note }) => Note).sort(), [
    'm tenant/demo/meters/m/value 1',
    'm tenant/demo/meters/m/value 3',
  ]);
  assert.ok(rows.some(({ EventId }) => EventId === 'h-1'));
  assert.equal((await host.events('MessageReceived')).length, 0);
});

test('a device with an engine of its own: by key or Id, a change is seen without a reconnect', LIMIT, async (t) => {
  const host = await MqttHost.start(t);
  await host.host.push({
    'own.js': `return V8.FormEngine.AddFormData('onward', { EventId: V8.EventName, Note: V8.MQTT.ClientId });`,
  });
  const [engine] = (await host.rows('sys_apiengine')).filter(({ ApiEngineKey }) => ApiEngineKey === 'own');
  const device = await host.client({ clientId: 'd' });
  await device.publishAsync('x', 'm', { qos: 1 });
  assert.equal((await host.host.effects('onward')).length, 0);
  await host.host.store.tables.update(
    { table: 'mci_mqtt_client', where: [], includeDeleted: true },
    { ApiEngineId: engine?.Id ?? '' },
  );
  await eventually(async () => {
    await device.publishAsync('x', 'm', { qos: 1 });
    assert.ok((await host.host.effects('onward')).includes('MessageReceived'));
  }, 30_000);
  await device.endAsync();
  await eventually(async () => assert.ok((await host.host.effects('onward')).includes('Disconnected')));
});

test('two devices that fight for one client id are kept out after fifteen takeovers', LIMIT, async (t) => {
  const host = await MqttHost.start(t, { mqtt: { engine: '' } });
  let accepted = 0;
  for (let time = 0; time < 40; time++) {
    const won = await host.client({ clientId: 'same' }).then(
      () => true,
      () => false,
    );
    if (won) accepted++;
  }
  assert.ok(accepted <= 16, `${accepted} connections`);
});
