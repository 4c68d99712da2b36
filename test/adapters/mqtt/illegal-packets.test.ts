import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { type RawClient, received, TestBroker } from '../../support/mqtt-broker.ts';

const LIMIT = { timeout: 120_000 };

/** What a raw client does, and the reason code of the DISCONNECT that MQTT 5 gets; undefined where nothing is owed. */
interface Offence {
  readonly name: string;
  readonly version: 4 | 5;
  readonly reason?: number;
  commit(client: RawClient): void;
}

const PUBLISH = { cmd: 'publish', topic: 'x', payload: 'm', qos: 0, retain: false, dup: false } as const;

const OFFENCES: readonly Offence[] = [
  {
    name: 'a second CONNECT',
    version: 5,
    reason: 0x82,
    commit: (client) =>
      client.send({ cmd: 'connect', clientId: 'raw', protocolId: 'MQTT', protocolVersion: 5, clean: true }, 5),
  },
  { name: 'a packet that only servers send', version: 5, reason: 0x82, commit: (client) => client.write(0xd0, 0) },
  { name: 'an unknown packet type', version: 4, commit: (client) => client.write(0x00, 0) },
  { name: 'reserved flags', version: 5, reason: 0x81, commit: (client) => client.write(0x80, 2, 0, 1) },
  { name: 'QoS 3', version: 5, reason: 0x81, commit: (client) => client.write(0x36, 5, 0, 1, 0x61, 0, 1) },
  {
    name: 'a length of five bytes',
    version: 5,
    reason: 0x81,
    commit: (client) => client.write(0x30, 255, 255, 255, 255),
  },
  {
    name: 'a wildcard in a PUBLISH',
    version: 5,
    reason: 0x90,
    commit: (client) => client.send({ ...PUBLISH, topic: 'a/#' }, 5),
  },
  { name: 'NUL in a topic', version: 5, reason: 0x81, commit: (client) => client.write(0x30, 4, 0, 1, 0, 0) },
  {
    name: 'invalid UTF-8 in a topic',
    version: 5,
    reason: 0x81,
    commit: (client) => client.write(0x30, 4, 0, 1, 0xff, 0),
  },
  {
    name: 'an empty topic without an alias',
    version: 5,
    reason: 0x82,
    commit: (client) => client.write(0x30, 3, 0, 0, 0),
  },
  { name: 'alias 0', version: 5, reason: 0x94, commit: (client) => client.write(0x30, 7, 0, 1, 0x61, 3, 0x23, 0, 0) },
  {
    name: 'an alias above the maximum',
    version: 5,
    reason: 0x94,
    commit: (client) => client.write(0x30, 7, 0, 1, 0x61, 3, 0x23, 0xff, 0),
  },
  {
    name: 'an alias that nobody gave',
    version: 5,
    reason: 0x94,
    commit: (client) => client.write(0x30, 6, 0, 0, 3, 0x23, 0, 1),
  },
  { name: 'packet id 0', version: 5, reason: 0x82, commit: (client) => client.write(0x32, 6, 0, 1, 0x61, 0, 0, 0) },
  { name: 'a SUBSCRIBE without filters', version: 5, reason: 0x82, commit: (client) => client.write(0x82, 3, 0, 1, 0) },
  {
    name: 'a property twice',
    version: 5,
    reason: 0x82,
    commit: (client) => client.write(0x30, 12, 0, 1, 0x61, 8, 3, 0, 1, 0x61, 3, 0, 1, 0x62),
  },
  {
    name: 'an unknown property',
    version: 5,
    reason: 0x81,
    commit: (client) => client.write(0x30, 6, 0, 1, 0x61, 2, 0x7f, 0),
  },
  {
    name: 'a packet that is too large',
    version: 5,
    reason: 0x95,
    commit: (client) => client.write(0x30, 0xff, 0xff, 0x7f),
  },
  { name: 'a too large packet of version 4', version: 4, commit: (client) => client.write(0x30, 0xff, 0xff, 0x7f) },
  { name: 'DUP with QoS 0', version: 4, commit: (client) => client.write(0x38, 3, 0, 1, 0x61) },
  { name: 'AUTH', version: 5, reason: 0x82, commit: (client) => client.write(0xf0, 2, 0x18, 0) },
];

test(
  'whoever breaks the protocol loses the own connection, with the reason, and nobody else does',
  LIMIT,
  async (t) => {
    const broker = await TestBroker.start(t, { limits: { packetBytes: 10_000 } });
    const witness = await broker.client({ clientId: 'witness' });
    const messages = received(witness);
    await witness.subscribeAsync('#', { qos: 1 });
    for (const { name, version, reason, commit } of OFFENCES) {
      await t.test(name, async () => {
        const client = await (await broker.raw()).connect(version);
        commit(client);
        if (reason !== undefined) assert.equal((await client.packet('disconnect')).reasonCode, reason);
        await eventually(() => assert.ok(client.closed));
      });
    }
    await witness.publishAsync('still', 'here', { qos: 1 });
    await eventually(() => assert.deepEqual(messages, ['tenant/ta/still here']));
  },
);

test('what is no CONNECT, or none in time, is cut off', LIMIT, async (t) => {
  const broker = await TestBroker.start(t, { limits: { connectMs: 500 } });
  const wrong = await broker.raw();
  wrong.send({ cmd: 'pingreq' });
  const web = await broker.raw();
  web.socket.write('GET / HTTP/1.1\r\n\r\n');
  const silent = await broker.raw();
  await eventually(() => assert.deepEqual([wrong.closed, web.closed, silent.closed], [true, true, true]));
  await eventually(() => assert.equal(broker.broker.connectionCount(), 0));
});

test('a client that is silent beyond its keep-alive is lost; one that pings is not', LIMIT, async (t) => {
  const broker = await TestBroker.start(t);
  const silent = await (await broker.raw()).connect(5, { clientId: 'silent', keepalive: 1 });
  const client = await broker.client({ clientId: 'pings', keepalive: 1 });
  assert.equal((await silent.packet('disconnect')).reasonCode, 0x8d);
  assert.ok(client.connected);
});

test('client ids: 23 characters in version 3.1, an id from the server only with a clean session', LIMIT, async (t) => {
  const broker = await TestBroker.start(t);
  const answer = async (version: 3 | 4 | 5, more: Record<string, unknown>): Promise<number> => {
    const client = (await broker.raw()).listen(version);
    const protocolId = version === 3 ? 'MQIsdp' : 'MQTT';
    client.send({ cmd: 'connect', protocolId, protocolVersion: version, keepalive: 0, ...more } as never, version);
    const connack = await client.packet('connack');
    return connack.returnCode ?? connack.reasonCode ?? -1;
  };
  assert.equal(await answer(3, { clientId: 'x'.repeat(23), clean: true }), 0);
  assert.equal(await answer(3, { clientId: 'x'.repeat(24), clean: true }), 2);
  assert.equal(await answer(4, { clientId: 'x'.repeat(24), clean: true }), 0);
  assert.equal(await answer(4, { clientId: '', clean: true }), 0);
  assert.equal(await answer(4, { clientId: '__proto__', clean: true }), 0);
  assert.equal(await answer(5, { clientId: 'x'.repeat(201), clean: true }), 0x85);
  assert.equal(await answer(5, { clientId: 'a', clean: true, properties: { authenticationMethod: 'X' } }), 0x8c);
});

test('half-open QoS 2 is bounded for version 5 and harms nobody in version 4', LIMIT, async (t) => {
  const broker = await TestBroker.start(t);
  const flood = { cmd: 'publish', topic: 'x', payload: '', qos: 2, retain: false, dup: false } as const;
  const five = await (await broker.raw()).connect(5, { clientId: 'five' });
  for (let id = 1; id <= 101; id++) five.send({ ...flood, messageId: id }, 5);
  assert.equal((await five.packet('disconnect')).reasonCode, 0x93);
  const four = await (await broker.raw()).connect(4, { clientId: 'four' });
  for (let id = 1; id <= 65_535; id++) four.send({ ...flood, messageId: id });
  const client = await broker.client({ clientId: 'other' });
  await client.publishAsync('x', 'm', { qos: 1 });
});
