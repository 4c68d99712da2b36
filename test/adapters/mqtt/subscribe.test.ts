import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OpenRules, TestBroker } from '../../support/mqtt-broker.ts';

const LIMIT = { timeout: 120_000 };

class CountingRules extends OpenRules {
  asked = 0;

  override subscribe(...args: Parameters<OpenRules['subscribe']>): ReturnType<OpenRules['subscribe']> {
    this.asked++;
    return super.subscribe(...args);
  }
}

function retained(topic: string) {
  return { topic: `tenant/ta/${topic}`, payload: Buffer.from('r'), qos: 0, retain: true, properties: {} } as const;
}

for (const [version, refused] of [
  [4, 0x80],
  [5, 0x97],
] as const) {
  test(`version ${version}: more filters than a client may have are refused unread`, LIMIT, async (t) => {
    const rules = new CountingRules();
    const broker = await TestBroker.start(t, { rules, limits: { subscriptions: 3 } });
    const client = await (await broker.raw()).connect(version);
    const filter = { topic: '#', qos: 0 } as const;
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [filter, filter, filter, filter] }, version);
    assert.deepEqual((await client.packet('suback')).granted, [refused, refused, refused, refused]);
    assert.equal(rules.asked, 0);
    client.send({ cmd: 'subscribe', messageId: 2, subscriptions: [filter, filter, filter] }, version);
    assert.deepEqual((await client.packet('suback')).granted, [0, 0, 0]);
  });
}

test('a filter that is named again takes the retained messages once, as it was named last', LIMIT, async (t) => {
  const broker = await TestBroker.start(t);
  await broker.broker.publish('ta', { ...retained('a'), qos: 1 });
  const client = await (await broker.raw()).connect(5);
  const named = [
    { topic: 'a', qos: 1, rh: 1 },
    { topic: '/a', qos: 1, rh: 0 },
    { topic: 'a', qos: 0, rh: 1 },
  ] as const;
  client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [...named] }, 5);
  await client.packet('suback');
  client.send({ cmd: 'pingreq' }, 5);
  await client.packet('pingresp');
  await client.packet('publish').then(({ qos }) => assert.equal(qos, 0));
  assert.deepEqual(client.packets, []);
});

test('others have their turn between the readings of the retained messages', LIMIT, async (t) => {
  const broker = await TestBroker.start(t);
  for (let n = 0; n < 1_000; n++) await broker.broker.publish('ta', retained(`a/${n}`));
  const client = await (await broker.raw()).connect(5);
  const filters = Array.from({ length: 50 }, (_, n) => `+/+/+/${'+/'.repeat(n)}+`);
  const subscriptions = [...filters.map((topic) => ({ topic, qos: 0 }) as const), { topic: 'a/999', qos: 0 } as const];
  let turn = 0;
  const arrivals: { readonly turn: number; readonly type: number | undefined }[] = [];
  client.socket.on('data', (chunk: Buffer) => arrivals.push({ turn, type: chunk[0] }));
  client.send({ cmd: 'subscribe', messageId: 1, subscriptions }, 5);
  // The broker lives in this process, so its turns are counted here.
  const deadline = Date.now() + 60_000;
  while (!client.packets.some(({ cmd }) => cmd === 'publish') && Date.now() < deadline) {
    await nextTurn();
    turn++;
  }
  assert.deepEqual(
    arrivals.map(({ type }) => type),
    [0x90, 0x31],
  );
  const [suback, publish] = arrivals;
  const between = (publish?.turn ?? 0) - (suback?.turn ?? 0);
  // Some of them pass before the SUBACK has arrived.
  assert.ok(between >= filters.length / 2, `${between} turns`);
});
