/** QoS 2 to a subscriber is once and only once also when the broker dies in between and another goes on. */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { type RawClient, TestBroker } from '../../support/mqtt-broker.ts';
import { tempDir } from '../../support/temp-dir.ts';

const SESSION = { clientId: 'reader', clean: false } as const;

/** Packets that came, apart from answers to the connection. */
function flow({ packets }: RawClient): string[] {
  return packets.map((packet) => {
    if (packet.cmd !== 'publish') return `${packet.cmd} ${packet.messageId}`;
    return `publish ${packet.messageId} ${packet.payload}${packet.dup ? ' dup' : ''}`;
  });
}

/** A broker on what another one has on disk at this moment, as after SIGKILL. */
async function successor(t: TestContext, of: string): Promise<{ broker: TestBroker; dir: string }> {
  const dir = tempDir(t);
  cpSync(of, dir, { recursive: true });
  return { broker: await TestBroker.start(t, { dir }), dir };
}

test('packet ids of QoS 2 go on where they were, released or not, and are not given away', async (t) => {
  const dir = tempDir(t);
  const broker = await TestBroker.start(t, { dir });
  const first = await (await broker.raw()).connect(4, SESSION);
  first.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'x', qos: 2 }] });
  await first.packet('suback');
  const sender = await broker.client({ clientId: 'sender' });
  await sender.publishAsync('x', 'one', { qos: 2 });
  await sender.publishAsync('x', 'two', { qos: 2 });
  const one = await first.packet('publish');
  const two = await first.packet('publish');
  first.send({ cmd: 'pubrec', messageId: two.messageId as number });
  await first.packet('pubrel');
  await sender.publishAsync('x', 'three', { qos: 1 });
  await first.packet('publish');

  const second = await successor(t, dir);
  const again = await (await second.broker.raw()).connect(4, SESSION);
  await (await second.broker.client({ clientId: 'sender' })).publishAsync('x', 'four', { qos: 2 });
  await again.packet('pubrel').then((packet) => assert.equal(packet.messageId, two.messageId));
  assert.equal((await again.packet('publish')).dup, true);
  const three = await again.packet('publish');
  const four = await again.packet('publish');
  assert.deepEqual([String(three.payload), three.qos, String(four.payload)], ['three', 1, 'four']);
  const ids = [one.messageId, two.messageId, three.messageId, four.messageId];
  assert.equal(new Set(ids).size, 4, ids.join());
  for (const { messageId } of [one, four]) {
    again.send({ cmd: 'pubrec', messageId: messageId as number });
    await again.packet('pubrel');
  }
  for (const messageId of [one.messageId, two.messageId, four.messageId] as number[])
    again.send({ cmd: 'pubcomp', messageId });
  again.send({ cmd: 'puback', messageId: three.messageId as number });
  again.send({ cmd: 'pingreq' });
  await again.packet('pingresp');
  await second.broker.store.flushed();

  const third = await successor(t, second.dir);
  const last = await (await third.broker.raw()).connect(4, SESSION);
  last.send({ cmd: 'pingreq' });
  await last.packet('pingresp');
  assert.deepEqual(flow(last), []);
});
