/** What the devices of one tenant may leave with the broker: its memory is everybody's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOT_RETAINED } from '../../../src/adapters/mqtt/reason-codes.ts';
import { eventually } from '../../support/eventually.ts';
import { type RawClient, received, TestBroker } from '../../support/mqtt-broker.ts';
import { tempDir } from '../../support/temp-dir.ts';

const LIMIT = { timeout: 120_000 };
const KEPT = { clean: false, properties: { sessionExpiryInterval: 600 } } as const;

const will = (size: number) => ({ topic: 'gone', payload: Buffer.alloc(size), qos: 0, retain: false }) as const;

/** Connects without waiting for success. @returns the client and the code of its CONNACK. */
async function knock(broker: TestBroker, version: 4 | 5, clientId: string, more: Record<string, unknown> = {}) {
  const client = (await broker.raw()).listen(version);
  const { properties, ...others } = { ...KEPT, ...more };
  const packet = { cmd: 'connect', clientId, protocolId: 'MQTT', protocolVersion: version, keepalive: 0, ...others };
  client.send({ ...packet, ...(version === 5 ? { properties } : {}) } as Parameters<RawClient['send']>[0], version);
  const { returnCode, reasonCode } = await client.packet('connack');
  return { client, code: version === 5 ? reasonCode : returnCode };
}

async function subscribe(client: RawClient, ...topics: string[]): Promise<unknown> {
  client.send({ cmd: 'subscribe', messageId: 1, subscriptions: topics.map((topic) => ({ topic, qos: 1 })) }, 5);
  return (await client.packet('suback')).granted;
}

async function publish(client: RawClient, topic: string, size: number): Promise<void> {
  const packet = { cmd: 'publish', topic, payload: Buffer.alloc(size, 'r'), qos: 1, retain: true, dup: false } as const;
  client.send({ ...packet, messageId: 7 }, 5);
  await client.packet('puback');
}

for (const [version, refused] of [
  [4, 3],
  [5, 0x97],
] as const) {
  test(`version ${version}: sessions that stay are counted, those of other tenants apart`, LIMIT, async (t) => {
    const broker = await TestBroker.start(t, { limits: { sessionBytesPerTenant: 4_500 } });
    for (const id of ['one', 'two']) {
      const { client, code } = await knock(broker, version, id);
      assert.equal(code, 0);
      client.socket.destroy();
    }
    assert.equal((await knock(broker, version, 'three')).code, refused);
    assert.equal((await knock(broker, version, 'one')).code, 0, 'it has its session already');
    assert.equal((await knock(broker, version, 'three', { username: 'tb' })).code, 0, 'another tenant');
  });
}

test('a session that ends makes room', LIMIT, async (t) => {
  const broker = await TestBroker.start(t, { limits: { sessionBytesPerTenant: 4_500 } });
  for (let n = 0; n < 5; n++) {
    const { client, code } = await knock(broker, 5, `short-${n}`, { will: will(1_000), properties: {} });
    assert.equal(code, 0, `connection ${n}`);
    assert.deepEqual(await subscribe(client, 'a'), [1]);
    client.send({ cmd: 'disconnect', reasonCode: 0 }, 5);
    await new Promise((resolve) => client.socket.once('close', resolve).end());
  }
});

test('wills and subscriptions count, also after a restart', LIMIT, async (t) => {
  const limits = { sessionBytesPerTenant: 10_000 };
  const dir = tempDir(t);
  const first = await TestBroker.start(t, { dir, limits });
  assert.equal((await knock(first, 5, 'testator', { will: will(9_000) })).code, 0x97);
  const { client, code } = await knock(first, 5, 'testator', { will: will(5_000) });
  assert.equal(code, 0);
  assert.deepEqual(await subscribe(client, 'a', 'b', 'c'), [1, 1, 0x97]);
  assert.deepEqual(await subscribe(client, 'a'), [1]);
  client.send({ cmd: 'disconnect', reasonCode: 0 }, 5);
  await first.stop();
  const next = await TestBroker.start(t, { dir, limits });
  assert.equal((await knock(next, 5, 'newcomer', { will: will(4_000) })).code, 0x97);
  assert.equal((await knock(next, 5, 'newcomer', { will: will(2_000) })).code, 0);
});

test('retained messages are bounded by their bytes, and none is kept in place of a newer one', LIMIT, async (t) => {
  const broker = await TestBroker.start(t, { limits: { retainedBytesPerTenant: 10_000 } });
  const client = await (await broker.raw()).connect(5);
  await publish(client, 'a', 4_000);
  await publish(client, 'b', 4_000);
  const kept = async () => (await broker.broker.retained('ta')).map(({ topic, bytes }) => [topic.at(-1), bytes]);
  await publish(client, 'c', 4_000);
  assert.deepEqual(await kept(), [
    ['a', 4_000],
    ['b', 4_000],
  ]);
  await publish(client, 'b', 8_000);
  assert.deepEqual(await kept(), [['a', 4_000]]);
  await publish(client, 'a', 0);
  await publish(client, 'c', 8_000);
  assert.deepEqual(await kept(), [['c', 8_000]]);
});

for (const protocolVersion of [4, 5] as const) {
  test(
    `version ${protocolVersion}: who publishes a retained message too many hears of it, and it arrives`,
    LIMIT,
    async (t) => {
      const broker = await TestBroker.start(t, { limits: { retainedMessages: 1 } });
      const subscriber = await broker.client({ protocolVersion: 5, clientId: 'sub' });
      const messages = received(subscriber);
      await subscriber.subscribeAsync('#', { qos: 2 });
      const publisher = await broker.client({ protocolVersion, clientId: 'pub' });
      const acks: unknown[] = [];
      publisher.on('packetreceive', (packet) => {
        if (packet.cmd !== 'puback' && packet.cmd !== 'pubrec') return;
        acks.push([packet.cmd, packet.reasonCode ?? 0, packet.properties?.reasonString]);
      });
      const send = (topic: string, qos: 0 | 1 | 2) =>
        publisher.publishAsync(topic, `${qos}`, { qos, retain: true }).then(
          () => 'sent',
          (error: Error & { code?: number }) => error.code,
        );
      const isNew = protocolVersion === 5;
      assert.equal(await send('kept', 1), 'sent');
      assert.equal(await send('more', 1), isNew ? 0x97 : 'sent');
      assert.equal(await send('more', 2), 'sent');
      assert.equal(await send('more', 0), 'sent');
      assert.equal(await send('kept', 2), 'sent');
      const text = isNew ? NOT_RETAINED : undefined;
      assert.deepEqual(acks, [
        ['puback', 0, undefined],
        ['puback', isNew ? 0x97 : 0, text],
        ['pubrec', 0, text],
        ['pubrec', 0, undefined],
      ]);
      const P = 'tenant/ta';
      const all = [`${P}/kept 1`, `${P}/more 1`, `${P}/more 2`, `${P}/more 0`, `${P}/kept 2`];
      await eventually(() => assert.deepEqual(messages, all));
      assert.deepEqual(
        broker.broker.retained('ta').map(({ topic }) => topic),
        [`${P}/kept`],
      );
    },
  );
}

test(
  'no reason string for a client that wants none or takes no packet of its size, the code all the same',
  LIMIT,
  async (t) => {
    const broker = await TestBroker.start(t, { limits: { retainedMessages: 0 } });
    for (const properties of [{ requestProblemInformation: false }, { maximumPacketSize: 20 }]) {
      const client = await (await broker.raw()).connect(5, { clientId: 'quiet', properties });
      for (const [qos, cmd, code] of [
        [1, 'puback', 0x97],
        [2, 'pubrec', 0],
      ] as const) {
        client.send({ cmd: 'publish', topic: 'a', payload: 'x', qos, retain: true, dup: false, messageId: 3 }, 5);
        const { reasonCode = 0, properties: told } = await client.packet(cmd);
        assert.deepEqual([reasonCode, told?.reasonString], [code, undefined]);
      }
    }
  },
);

test('user properties count among the bytes that wait for a session', LIMIT, async (t) => {
  const broker = await TestBroker.start(t, { limits: { queuedBytesPerTenant: 20_000 } });
  const { client: away } = await knock(broker, 5, 'away');
  await subscribe(away, 'a');
  await new Promise((resolve) => away.socket.once('close', resolve).destroy());
  const sender = await (await broker.raw()).connect(5);
  const properties = { userProperties: { note: 'p'.repeat(4_000) } };
  for (let n = 1; n <= 10; n++) {
    sender.send(
      { cmd: 'publish', topic: 'a', payload: '', qos: 1, retain: false, dup: false, messageId: n, properties },
      5,
    );
    await sender.packet('puback');
  }
  const waiting = (await broker.broker.sessions('ta')).find(({ clientId }) => clientId === 'away');
  assert.deepEqual([waiting?.queued, waiting?.dropped], [4, 6]);
});
