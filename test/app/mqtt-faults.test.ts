/** What devices and operators of the original platform run into (docs/platform-faults.md), tried over a real broker. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../src/core/errors.ts';
import { eventually } from '../support/eventually.ts';
import { ACCOUNT, MqttHost } from '../support/mqtt-host.ts';
import { CHILD, setColumns, twoTenants } from '../support/mqtt-two-tenants.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

const LIMIT = { timeout: 120_000 };
const body = (value: unknown): string => JSON.stringify(value);

const REFUSES = `
if (V8.EventName === 'Connected' && V8.MQTT.ClientId === 'unwanted') return { Code: 0, Msg: 'not this one' };
if (V8.EventName === 'Subscribing' && V8.MQTT.Topic.endsWith('/closed')) return { Code: 0, Msg: 'closed' };
return { Code: 1 };
`;

test('a script may refuse a device and a subscription where MqttVeto is 1, and not elsewhere', LIMIT, async (t) => {
  const { dir, host } = await twoTenants(t);
  await host.host.push({ 'gate.js': REFUSES }, [], 'plant-b');
  setColumns(dir, 'plant-b', { MqttApiEngine: 'gate', MqttVeto: 1 });
  const mayStay = async (clientId: string) => {
    const device = await host.client({ clientId, ...CHILD }).catch(() => undefined);
    if (device === undefined) return false;
    const closed = new Promise<boolean>((resolve) => device.once('close', () => resolve(false)));
    const published = device.publishAsync('x', 'm', { qos: 1 }).then(
      () => true,
      () => false,
    );
    const stays = await Promise.race([published, closed]);
    device.end(true);
    return stays;
  };
  await eventually(async () => assert.equal(await mayStay('unwanted'), false), 60_000);
  const device = await host.client({ clientId: 'wanted', protocolVersion: 5, ...CHILD });
  await assert.rejects(device.subscribeAsync('closed', { qos: 1 }));
  await device.subscribeAsync('open', { qos: 1 });
  setColumns(dir, 'plant-b', { MqttVeto: 0 });
  await eventually(async () => assert.equal(await mayStay('unwanted'), true), 60_000);
  await device.subscribeAsync('closed', { qos: 1 });
});

test(
  'a device whose row could not be read or written has one row, and is online after its next connection',
  LIMIT,
  async (t) => {
    let away = false;
    const host = await MqttHost.start(t, {
      decorate: (adapters) => {
        const [store] = adapters.directory.open();
        assert.ok(store);
        const { relaxedTables } = store;
        const update = relaxedTables.update.bind(relaxedTables);
        relaxedTables.update = async (...args) => {
          if (away) throw new AppError('DB_UNAVAILABLE', { reason: 'test' });
          return update(...args);
        };
        return adapters;
      },
    });
    const connectOnce = async () => (await host.client({ clientId: 'd' })).endAsync();
    await connectOnce();
    away = true;
    await connectOnce();
    await connectOnce();
    away = false;
    await host.client({ clientId: 'd' });
    await eventually(async () => {
      const rows = await host.rows('mci_mqtt_client');
      assert.deepEqual(
        rows.map(({ ClientId, IsOnline }) => [ClientId, IsOnline]),
        [['d', 1]],
      );
    });
  },
);

test('at a stop every device is gone before scripts hear of the end of the server', LIMIT, async (t) => {
  const dir = tempDir(t);
  const first = await MqttHost.start(t, { dir });
  await first.client({ clientId: 'd' });
  await eventually(async () => assert.equal((await first.events('Connected')).length, 1));
  await first.close();
  const second = await MqttHost.start(t, { dir });
  const names = (await second.events()).map(({ name }) => name);
  assert.deepEqual(names, ['StartServer', 'Connected', 'Disconnected', 'StopServer', 'StartServer']);
  assert.equal((await second.rows('mci_mqtt_client'))[0]?.IsOnline, 0);
});

test('devices of two tenants with one client id have the engines of their own tenants', LIMIT, async (t) => {
  const { host } = await twoTenants(t, { columns: { MqttApiEngine: 'b-engine' } });
  const note = (who: string) =>
    `return V8.FormEngine.AddFormData('onward', { EventId: V8.EventName, Note: '${who}' });`;
  await host.host.push({ 'own.js': note('own engine, demo') });
  await host.host.push({ 'own.js': note('own engine, plant-b'), 'b-engine.js': note('plant-b') }, undefined, 'plant-b');
  const store = host.host.adapters.directory.get('plant-b');
  const [a, b] = [await host.client({ clientId: 'same' }), await host.client({ clientId: 'same', ...CHILD })];
  await host.host.store.tables.update(
    { table: 'mci_mqtt_client', where: [], includeDeleted: true },
    { ApiEngineId: 'own' },
  );
  const notes = async (rows: ReturnType<MqttHost['rows']>) =>
    new Set((await rows).filter(({ EventId }) => EventId === 'MessageReceived').map(({ Note }) => Note));
  await eventually(async () => {
    await a.publishAsync('x', 'm', { qos: 1 });
    assert.deepEqual(await notes(host.rows('onward')), new Set(['own engine, demo']));
  }, 60_000);
  await b.publishAsync('x', 'm', { qos: 1 });
  assert.deepEqual(await notes(host.rows('onward', store)), new Set(['plant-b']));
});

test('names of a tenant that contradict each other are refused with a line in the log', LIMIT, async (t) => {
  const log = new RecordingLog();
  const { host } = await twoTenants(t, { log });
  await assert.rejects(host.client({ clientId: 'plant-b:d' }));
  const properties = { userProperties: { OsClient: 'plant-b' } };
  await assert.rejects(host.client({ clientId: 'd5', protocolVersion: 5, properties }));
  const told = log.of('mqtt.connection_refused').map(({ fields }) => [fields.clientId, fields.reason]);
  assert.deepEqual(told.slice(-2), [
    ['plant-b:d', 'ConnectionRejected'],
    ['d5', 'ConnectionRejected'],
  ]);
  assert.ok(!JSON.stringify(log.lines).includes(ACCOUNT.password));
});

test('a publisher of MQTT 5 is told that its topic was refused', LIMIT, async (t) => {
  const { host } = await twoTenants(t);
  const raw = await host.raw();
  await raw.connect(5, { clientId: 'five', username: ACCOUNT.username, password: Buffer.from(ACCOUNT.password) });
  const ask = async (topic: string, messageId: number) => {
    raw.send({ cmd: 'publish', topic, payload: 'm', qos: 1, retain: false, dup: false, messageId }, 5);
    return (await raw.packet('puback', 60_000)).reasonCode;
  };
  assert.equal(await ask('tenant/plant-b/x', 1), 0x87);
  assert.equal(await ask('a//b', 2), 0x90);
  assert.ok(((await ask('x', 3)) ?? 0) < 0x80);
});

test('what the host sends to devices passes no gate: what is said to be sent arrives', LIMIT, async (t) => {
  const host = await MqttHost.start(t);
  await host.host.push({
    'order.js': "return V8.MQTT.Publish({ Topic: 'cmd/d', Payload: { ask: 'block' }, Qos: 1 });",
  });
  const messages: string[] = [];
  const device = await host.client({ clientId: 'd' }, messages);
  await device.subscribeAsync('cmd/d', { qos: 1 });
  const sent = await host.host.host.services.run('demo', 'order', {});
  assert.equal((sent as { Code: number }).Code, 1);
  await eventually(() => assert.deepEqual(messages, ['tenant/demo/cmd/d {"ask":"block"}']));
  assert.deepEqual(await host.events('MessageReceived'), []);
});

test('messages of devices leave no line in the log of the host', LIMIT, async (t) => {
  const log = new RecordingLog();
  const host = await MqttHost.start(t, { log });
  const device = await host.client({ clientId: 'd' });
  await device.publishAsync('x', body({ n: 0 }), { qos: 1 });
  const before = log.lines.filter(({ level }) => level !== 'debug').length;
  for (let n = 1; n <= 20; n++) await device.publishAsync('x', body({ n, text: 'canary-payload' }), { qos: 1 });
  const shown = log.lines.filter(({ level }) => level !== 'debug');
  assert.deepEqual(shown.slice(before), []);
  assert.ok(!JSON.stringify(log.lines).includes('canary-payload'));
});

test('a broker is wanted by the main tenant alone, and only where MQTT is switched on', LIMIT, async (t) => {
  const dir = tempDir(t);
  const off = await TestHost.open(dir);
  t.after(() => off.close());
  await off.host.services.addTenant('plant-b', undefined);
  setColumns(dir, 'plant-b', { MqttEnable: 1, MqttAccount: 'b-device', MqttPwd: 'b-password' });
  assert.equal(await off.host.mqtt.isWanted(), false);
  assert.equal(off.host.mqtt.isRunning, false);
  const on = await TestHost.open(tempDir(t), { mqtt: { enabled: true, account: 'd', password: 'device-password' } });
  t.after(() => on.close());
  assert.equal(await on.host.mqtt.isWanted(), true);
});

test('a payload that is no JSON, or no text, is a message like any other', LIMIT, async (t) => {
  const host = await MqttHost.start(t);
  const device = await host.client({ clientId: 'd' });
  for (const payload of ["{'single': 1}", '{"a":', '温度 21', '']) await device.publishAsync('x', payload, { qos: 1 });
  await device.publishAsync('x', Buffer.from([0xff, 0xfe, 0x00]), { qos: 1 });
  const seen = (await host.events('MessageReceived')).map(({ Payload, PayloadRaw, PayloadBase64 }) =>
    PayloadBase64 === null ? [Payload, PayloadRaw] : PayloadBase64,
  );
  assert.deepEqual(seen, [
    ["{'single': 1}", "{'single': 1}"],
    ['{"a":', '{"a":'],
    ['温度 21', '温度 21'],
    [null, ''],
    '//4A',
  ]);
});
