/**
 * Devices of MQTT 3.1, 3.1.1 and 5 on the same topics: what version 5 says beside a message reaches those that can hear
 * it, also through the offline queue and the retained store, and through another broker on the same store.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IPublishPacket } from 'mqtt-packet';
import { BROKER_STORES } from '../../support/broker-stores.ts';
import { type RawClient, TestBroker } from '../../support/mqtt-broker.ts';

const VERSIONS = [3, 4, 5] as const;
type Version = (typeof VERSIONS)[number];

/** A connection to a session that stays; with a clean session it begins anew. */
async function device(broker: TestBroker, version: Version, clientId: string): Promise<RawClient> {
  const properties = version === 5 ? { properties: { sessionExpiryInterval: 600 } } : {};
  return (await broker.raw()).connect(version, { clientId, clean: false, ...properties });
}

/** The next message of QoS 1, acknowledged. */
async function next(client: RawClient, version: Version): Promise<IPublishPacket> {
  const packet = await client.packet('publish');
  assert.equal(packet.qos, 1);
  client.send({ cmd: 'puback', messageId: packet.messageId as number }, version);
  return packet;
}

async function goodbye(client: RawClient, version: Version): Promise<void> {
  client.send({ cmd: 'disconnect' }, version);
  await new Promise<void>((resolve) => client.socket.once('close', () => resolve()));
}

async function subscribe(client: RawClient, version: Version, topic: string): Promise<void> {
  client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1, rap: true }] }, version);
  await client.packet('suback');
}

const PROPERTIES = {
  userProperties: { unit: ['K', 'C'] },
  responseTopic: 'answers/5',
  correlationData: Buffer.from([0, 255, 128]),
  contentType: 'text/plain',
  payloadFormatIndicator: true,
  messageExpiryInterval: 600,
};

async function publish(client: RawClient, version: Version, payload: string): Promise<void> {
  const packet = { cmd: 'publish', topic: 'mixed', payload, qos: 1, retain: true, dup: false, messageId: 9 } as const;
  client.send({ ...packet, ...(version === 5 ? { properties: PROPERTIES } : {}) }, version);
  await client.packet('puback');
}

/** What a device of a version sees of a message that a device of another has sent. */
function assertSeen(packet: IPublishPacket, { by, from }: { readonly by: Version; readonly from: Version }): void {
  const what = `version ${from} to ${by}`;
  assert.equal(packet.topic || 'tenant/ta/mixed', 'tenant/ta/mixed', what);
  assert.equal(String(packet.payload), `from ${from}`, what);
  if (by !== 5) {
    assert.equal(packet.properties, undefined, what);
    return;
  }
  const { messageExpiryInterval = 0, topicAlias: _, userProperties, ...rest } = packet.properties ?? {};
  if (from !== 5) {
    assert.deepEqual([messageExpiryInterval, userProperties, rest], [0, undefined, {}], what);
    return;
  }
  assert.ok(messageExpiryInterval > 0 && messageExpiryInterval <= 600, what);
  assert.deepEqual({ ...userProperties }, { unit: ['K', 'C'] }, what);
  const { responseTopic, correlationData, contentType, payloadFormatIndicator } = rest;
  assert.deepEqual(
    [responseTopic, correlationData?.toString('hex'), contentType, payloadFormatIndicator],
    ['answers/5', '00ff80', 'text/plain', true],
    what,
  );
}

for (const [name, prepare] of Object.entries(BROKER_STORES)) {
  test(`${name}: live, offline, retained and after a restart`, async (t) => {
    const openStore = await prepare(t);
    const broker = await TestBroker.start(t, { store: await openStore() });
    const live = new Map<Version, RawClient>();
    for (const version of VERSIONS) {
      const online = await device(broker, version, `live-${version}`);
      const away = await device(broker, version, `away-${version}`);
      for (const client of [online, away]) await subscribe(client, version, 'mixed');
      await goodbye(away, version);
      live.set(version, online);
    }
    const senders = new Map<Version, RawClient>();
    for (const from of VERSIONS) {
      const sender = await device(broker, from, `sender-${from}`);
      senders.set(from, sender);
      await publish(sender, from, `from ${from}`);
      for (const [by, client] of live) assertSeen(await next(client, by), { by, from });
    }
    await broker.stop();

    const later = await TestBroker.start(t, { store: await openStore() });
    for (const by of VERSIONS) {
      const back = await device(later, by, `away-${by}`);
      for (const from of VERSIONS) assertSeen(await next(back, by), { by, from });
      const fresh = await device(later, by, `fresh-${by}`);
      await subscribe(fresh, by, 'mixed');
      const retained = await next(fresh, by);
      assert.equal(retained.retain, true);
      assertSeen(retained, { by, from: 5 });
    }
    await later.stop();
  });
}
