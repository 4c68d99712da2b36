/** What is found out about a queue before it is consumed, and one reader at a time where order matters. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AppError } from '../../../src/core/errors.ts';
import type { Delivery } from '../../../src/ports/queue.ts';
import { eventually } from '../../support/eventually.ts';
import { freshVhost } from '../../support/services/fresh-vhost.ts';
import { foreignClient, message, openQueue, QUEUE, settingsOf, TENANT } from './amqp-client.ts';

async function place(t: TestContext) {
  const vhost = await freshVhost();
  const { queue } = await openQueue(t, settingsOf(vhost));
  const { channel } = await foreignClient(t, vhost.url);
  return { vhost, queue, channel };
}

test('a queue tells what it was declared with, one that is not there only the version', async (t) => {
  const { queue, channel } = await place(t);
  const missing = await queue.inspect(TENANT, QUEUE);
  assert.match(missing?.version ?? '', /^\d+\.\d+/);
  assert.equal(missing?.queue, undefined);
  for (const [name, durable, args] of [
    ['plain', true, {}],
    ['passing', false, {}],
    ['quorum', true, { 'x-queue-type': 'quorum', 'x-delivery-limit': 5, 'x-dead-letter-exchange': 'dlx' }],
    ['bounded', true, { 'x-message-ttl': 60_000, 'x-max-length': 10, 'x-overflow': 'reject-publish' }],
    ['single', true, { 'x-single-active-consumer': true, 'x-expires': 600_000 }],
  ] as const) {
    await channel.assertQueue(`${QUEUE}.${name}`, { durable, arguments: args });
    const found = await queue.inspect(TENANT, `${QUEUE}.${name}`);
    assert.deepEqual(found?.queue, { durable, arguments: args }, name);
  }
});

for (const queueType of ['classic', 'quorum'] as const) {
  test(`failure row 39: two hosts on one ${queueType} queue in order: one receives, the other takes over at the message where it ended`, async (t) => {
    const vhost = await freshVhost();
    const [one, two] = [await openQueue(t, settingsOf(vhost)), await openQueue(t, settingsOf(vhost))];
    const options = { prefetch: 3, alone: true, queueType };
    const first: Delivery[] = [];
    const second: string[] = [];
    const consumer = await one.queue.consume(TENANT, QUEUE, options, (delivery) => first.push(delivery));
    const standBy = () =>
      two.queue.consume(TENANT, QUEUE, options, (delivery) => {
        second.push(Buffer.from(delivery.body).toString());
        void delivery.ack();
      });
    if (queueType === 'classic') {
      await assert.rejects(standBy(), (e: unknown) => e instanceof AppError && e.code === 'QUEUE_HELD');
    } else await standBy();
    await one.queue.publish(
      TENANT,
      ['1', '2', '3', '4', '5'].map((text) => message(text)),
    );
    await eventually(() => assert.equal(first.length, 3));
    await first[0]?.ack();
    await eventually(() => assert.equal(first.length, 4));
    assert.deepEqual(second, []);
    await consumer.close();
    if (queueType === 'classic') await standBy();
    await eventually(() => assert.deepEqual(second, ['2', '3', '4', '5']));
  });
}

test('a quorum queue that was made without an order is not read in order', async (t) => {
  const { queue, channel } = await place(t);
  await channel.assertQueue(QUEUE, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await assert.rejects(
    queue.consume(TENANT, QUEUE, { prefetch: 1, alone: true }, () => undefined),
    (e: unknown) => e instanceof AppError && e.code === 'QUEUE_UNORDERED',
  );
});
