/** Devices that come in at one host and are served by the broker of another. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { test } from 'node:test';
import type { MqttClient } from 'mqtt';
import mqttPacket from 'mqtt-packet';
import { eventually } from '../../support/eventually.ts';
import { connectClient, RawClient, received } from '../../support/mqtt-broker.ts';
import { relayed } from '../../support/relayed-broker.ts';

const closed = (client: MqttClient): Promise<void> => new Promise((resolve) => client.once('close', () => resolve()));
const url = (port: number): string => `mqtt://127.0.0.1:${port}`;

test('a device behind the other host is a client like any other, of every version and QoS', async (t) => {
  const { broker, rules, port } = await relayed(t);
  const here = await broker.client({ clientId: 'here' });
  await here.subscribeAsync('#', { qos: 2 });
  const got = received(here);
  for (const protocolVersion of [3, 4, 5] as const) {
    const protocolId = protocolVersion === 3 ? 'MQIsdp' : 'MQTT';
    const clientId = `there-${protocolVersion}`;
    const there = await connectClient(t, url(port), { clientId, protocolVersion, protocolId });
    const messages = received(there);
    await there.subscribeAsync(`to/${protocolVersion}`, { qos: 2 });
    for (const qos of [0, 1, 2] as const) await there.publishAsync(`from/${protocolVersion}`, `q${qos}`, { qos });
    for (const qos of [0, 1, 2] as const) await here.publishAsync(`to/${protocolVersion}`, `a${qos}`, { qos });
    await eventually(() => assert.deepEqual(messages.map((text) => text.slice(-2)).sort(), ['a0', 'a1', 'a2']));
    await there.endAsync();
    await eventually(() =>
      assert.ok(rules.ended.some(({ client, cause }) => client.clientId === clientId && cause === 'disconnect')),
    );
  }
  await eventually(() => assert.equal(got.filter((text) => text.includes('/from/')).length, 9));
  assert.deepEqual(new Set(rules.connectedClients.map(({ address }) => address)), new Set(['127.0.0.1']));
});

test('a connection that breaks off is lost on both sides, and its will is sent', async (t) => {
  const { broker, rules, port } = await relayed(t);
  const here = await broker.client();
  const got = received(here);
  await here.subscribeAsync('wills/#');
  const will = { topic: 'wills/d', payload: Buffer.from('gone'), qos: 1, retain: false } as const;
  const there = await connectClient(t, url(port), { clientId: 'd', will });
  there.stream.destroy();
  await eventually(() => assert.deepEqual(got, ['tenant/ta/wills/d gone']));
  assert.equal(rules.ended.at(-1)?.cause, 'lost');
  const again = await connectClient(t, url(port), { clientId: 'e', protocolVersion: 5 });
  const ended = closed(again);
  assert.equal(broker.broker.disconnect('ta', 'e'), true);
  await ended;
});

test('devices that say goodbye after much data and close at once are not lost', async (t) => {
  const { broker, rules, port } = await relayed(t);
  const will = { topic: 'wills/d', payload: Buffer.from('gone'), qos: 0, retain: false } as const;
  const publish = { cmd: 'publish', topic: 'much', payload: Buffer.alloc(800_000, 'x'), qos: 0 } as const;
  const devices = Array.from({ length: 10 }, async (_, n) => {
    const { socket } = await (await RawClient.open(t, port)).connect(4, { clientId: `d-${n}`, will });
    socket.end(
      Buffer.concat([
        mqttPacket.generate({ ...publish, retain: false, dup: false }),
        mqttPacket.generate({ cmd: 'disconnect' }),
      ]),
    );
    await once(socket, 'close');
  });
  await Promise.all(devices);
  await eventually(() => assert.equal(rules.ended.length, 10));
  assert.deepEqual(new Set(rules.ended.map(({ cause }) => cause)), new Set(['disconnect']));
  assert.deepEqual(new Set(rules.published), new Set(['tenant/ta/much']));
  assert.equal(rules.published.length, 10);
  assert.equal(broker.broker.connectionCount(), 0);
});

test('takeover works between a device at one host and the same client id at the other', async (t) => {
  const { broker, port } = await relayed(t);
  const options = { clientId: 'one', clean: false, protocolVersion: 4 } as const;
  const there = await connectClient(t, url(port), options);
  await there.subscribeAsync('x', { qos: 1 });
  const replaced = closed(there);
  const messages: string[] = [];
  const here = await broker.client(options, messages);
  await replaced;
  await here.publishAsync('x', 'kept', { qos: 1 });
  await eventually(() => assert.deepEqual(messages, ['tenant/ta/x kept']));
});

test('a device that does not read delays no other behind the same host', async (t) => {
  const { broker, port } = await relayed(t);
  const frozen = await (await RawClient.open(t, port)).connect(4, { clientId: 'frozen' });
  frozen.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'flood', qos: 0 }] });
  await frozen.packet('suback');
  frozen.socket.pause();
  const other = await connectClient(t, url(port), { clientId: 'other' });
  const messages = received(other);
  await other.subscribeAsync('ping', { qos: 1 });
  const flood = Buffer.alloc(64 * 1024, 'x');
  for (let n = 0; n < 400; n++) {
    await broker.broker.publish('ta', {
      topic: 'tenant/ta/flood',
      payload: flood,
      qos: 0,
      retain: false,
      properties: {},
    });
  }
  for (let n = 0; n < 20; n++) await other.publishAsync('ping', String(n), { qos: 1 });
  await eventually(() => assert.equal(messages.length, 20));
  const view = broker.broker.sessions('ta').find(({ clientId }) => clientId === 'frozen');
  assert.ok((view?.dropped ?? 0) > 0, 'its output is bounded');
});

test('what people and scripts of the other host ask is answered', async (t) => {
  const { broker, relay } = await relayed(t);
  const device = await broker.client({ clientId: 'd', protocolVersion: 5 });
  const got: [string, string, unknown][] = [];
  device.on('message', (topic, payload, { properties }) =>
    got.push([topic, String(payload), properties?.userProperties]),
  );
  await device.subscribeAsync('commands', { qos: 1 });
  const properties = {
    userProperties: [['OsClient', 'ta']] as const,
    correlationData: new Uint8Array([0, 255, 7]),
    contentType: 'text/plain',
  };
  const message = {
    topic: 'tenant/ta/commands',
    payload: Buffer.from('go'),
    qos: 1,
    retain: true,
    properties,
  } as const;
  assert.equal(await relay.publish('ta', message), 1);
  await eventually(() => assert.equal(got.length, 1));
  assert.deepEqual([got[0]?.[1], { ...(got[0]?.[2] as object) }], ['go', { OsClient: 'ta' }]);
  assert.deepEqual(await relay.retained('ta'), [{ topic: 'tenant/ta/commands', qos: 1, bytes: 2 }]);
  assert.equal(await relay.subscribers('ta', 'tenant/ta/commands'), 1);
  assert.deepEqual(
    (await relay.sessions('ta')).map(({ clientId, online }) => [clientId, online]),
    [['d', true]],
  );
  assert.deepEqual([await relay.disconnect('ta', 'd'), await relay.disconnect('ta', 'nobody')], [true, false]);
  await broker.broker.stop();
  await assert.rejects(relay.publish('ta', message), { code: 'MQTT_NOT_RUNNING' });
});

test('without a broker to be found, or with another key, devices are sent away and questions refused', async (t) => {
  const nowhere = await relayed(t, { find: () => undefined });
  const strange = await relayed(t, { find: (address) => ({ ...address, key: 'x'.repeat(43) }) });
  const gone = await relayed(t, { find: (address) => ({ ...address, port: 1 }) });
  for (const { relay, port, broker } of [nowhere, strange, gone]) {
    await assert.rejects(connectClient(t, url(port), {}));
    await assert.rejects(relay.sessions('ta'), { code: 'MQTT_STANDBY' });
    assert.equal(broker.broker.connectionCount(), 0);
  }
});

test('a relay whose broker is lost goes on when there is one again, at the same place or elsewhere', async (t) => {
  const next = await relayed(t);
  let hasMoved = false;
  const first = await relayed(t, { find: (address) => (hasMoved ? next.address : address) });
  const { relay, port, proxy } = first;
  /** A device that comes while the broker is lost is sent away, and comes again. */
  const device = async (clientId: string) => {
    const client = await connectClient(t, url(port), { clientId });
    await client.publishAsync('x', clientId, { qos: 1 });
    return client;
  };
  const names = async () => (await relay.sessions('ta')).map(({ clientId }) => clientId);
  const one = await device('one');
  const gone = closed(one);
  await proxy.refuse();
  await gone;
  await assert.rejects(names(), { code: 'MQTT_STANDBY' });
  await assert.rejects(device('early'));

  await proxy.listen();
  const two = await device('two');
  await eventually(async () => assert.deepEqual(await names(), ['two']));
  // Its host is silent all at once, as one that lost its power: nobody says so.
  const silent = closed(two);
  proxy.pause();
  await silent;
  await first.close();
  hasMoved = true;
  await device('three');
  assert.deepEqual(await names(), ['three']);
  assert.deepEqual(next.rules.published, ['tenant/ta/x']);
});

test('who speaks to the relay without the key is cut off', async (t) => {
  const { address, broker } = await relayed(t);
  const socket = connectTcp(address.port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', () => resolve(undefined)));
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  await closed;
  assert.equal(broker.broker.connectionCount(), 0);
});
