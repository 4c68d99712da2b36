import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RawClient, TestBroker } from '../../support/mqtt-broker.ts';

const LIMIT = { timeout: 120_000 };

/** Length of `tenant/ta/x` with a payload and without properties: header, topic, properties' length. Bytes. */
const HEAD = 2 + 2 + 'tenant/ta/x'.length + 1;

async function subscriber(broker: TestBroker, maximumPacketSize: number): Promise<RawClient> {
  const client = await (await broker.raw()).connect(5, { properties: { maximumPacketSize, topicAliasMaximum: 5 } });
  client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '#', qos: 0 }] }, 5);
  await client.packet('suback');
  return client;
}

async function say(broker: TestBroker, payload: string): Promise<void> {
  const message = { topic: 'tenant/ta/x', qos: 0, retain: false, properties: {} } as const;
  await broker.broker.publish('ta', { ...message, payload: Buffer.from(payload) });
}

async function next(client: RawClient): Promise<readonly [string, string, number | undefined]> {
  const { topic, payload, properties } = await client.packet('publish');
  return [topic, payload.toString(), properties?.topicAlias];
}

test('an alias of a packet that was too large is told with the next one', LIMIT, async (t) => {
  const broker = await TestBroker.start(t);
  const client = await subscriber(broker, 100);
  for (const payload of ['x'.repeat(200), 'a', 'b']) await say(broker, payload);
  assert.deepEqual(await next(client), ['tenant/ta/x', 'a', 1]);
  assert.deepEqual(await next(client), ['', 'b', 1]);
});

test('a packet that is too large with an alias only goes out without one', LIMIT, async (t) => {
  const broker = await TestBroker.start(t);
  const client = await subscriber(broker, HEAD + 20);
  for (const payload of ['x'.repeat(20), 'x'.repeat(21), 'a', 'b']) await say(broker, payload);
  assert.deepEqual(await next(client), ['tenant/ta/x', 'x'.repeat(20), undefined]);
  assert.deepEqual(await next(client), ['tenant/ta/x', 'a', 1]);
  assert.deepEqual(await next(client), ['', 'b', 1]);
});
