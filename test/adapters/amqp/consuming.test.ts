import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { DeliveryInbox } from '../../contract/delivery-inbox.ts';
import { eventually } from '../../support/eventually.ts';
import { freshVhost } from '../../support/services/fresh-vhost.ts';
import { TcpProxy } from '../../support/services/tcp-proxy.ts';
import { foreignClient, message, openQueue, QUEUE, settingsOf, TENANT } from './amqp-client.ts';

test('a queue deleted under its consumer is made again and consumed', async (t) => {
  const vhost = await freshVhost();
  const dropped: string[] = [];
  const { queue, log } = await openQueue(t, settingsOf(vhost), { onStaleSettlement: (tenant) => dropped.push(tenant) });
  const inbox = new DeliveryInbox();
  await queue.publish(TENANT, [message('lost with its queue')]);
  await queue.consume(TENANT, QUEUE, { prefetch: 1 }, inbox.take);
  await inbox.until(1);
  const { channel } = await foreignClient(t, vhost.url);
  await channel.deleteQueue(QUEUE);
  await eventually(() => assert.equal(log.of('consumer.reattached').length, 1));
  assert.match(String(log.of('consumer.lost')[0]?.fields.err), /was deleted or moved/);
  await inbox.at(0).ack();
  assert.equal(queue.status().staleSettlements, 1);
  assert.deepEqual(dropped, [TENANT]);
  await queue.publish(TENANT, [message('after')]);
  await inbox.until(2);
  assert.equal(inbox.texts()[1], 'after');
});

test('a network that is cut attaches the consumer again, and cancel ends the trying', async (t) => {
  const vhost = await freshVhost();
  await using proxy = await TcpProxy.open(vhost.url);
  const { queue, log } = await openQueue(t, { ...settingsOf(vhost), port: proxy.port });
  const inbox = new DeliveryInbox();
  const consumer = await queue.consume(TENANT, QUEUE, { prefetch: 1 }, inbox.take);
  proxy.cut();
  await eventually(() => assert.equal(log.of('consumer.reattached').length, 1));
  assert.equal(queue.status().tenants[0]?.attached, 1);
  await proxy.refuse();
  await eventually(() => assert.equal(queue.status().tenants[0]?.attached, 0));
  await consumer.cancel();
  await eventually(() => assert.equal(queue.status().tenants[0]?.consumers, 0));
  await proxy.listen();
  await eventually(() => assert.equal(queue.status().tenants[0]?.consumer, 'up'));
  await queue.publish(TENANT, [message('for somebody else')]);
  await delay(100);
  assert.equal(inbox.all.length, 0);
});

test('a limit that was changed while detached holds after the next attach', async (t) => {
  const vhost = await freshVhost();
  await using proxy = await TcpProxy.open(vhost.url);
  const { queue } = await openQueue(t, { ...settingsOf(vhost), port: proxy.port });
  const inbox = new DeliveryInbox();
  const consumer = await queue.consume(TENANT, QUEUE, { prefetch: 1 }, inbox.take);
  await proxy.refuse();
  await eventually(() => assert.equal(queue.status().tenants[0]?.attached, 0));
  await consumer.setPrefetch(3);
  await proxy.listen();
  await queue.publish(
    TENANT,
    [1, 2, 3, 4, 5].map((number) => message(`${number}`)),
  );
  await inbox.until(3);
  await delay(100);
  assert.equal(inbox.all.length, 3);
});

test('a changed limit replaces the old one at the broker', async (t) => {
  const vhost = await freshVhost();
  const { queue } = await openQueue(t, settingsOf(vhost));
  const inbox = new DeliveryInbox();
  const consumer = await queue.consume(TENANT, QUEUE, { prefetch: 4 }, inbox.take);
  await consumer.setPrefetch(2);
  await consumer.setPrefetch(3);
  await queue.publish(
    TENANT,
    Array.from({ length: 10 }, (_, index) => message(`${index}`)),
  );
  await inbox.until(3);
  await eventually(async () => assert.deepEqual(await queue.depth(TENANT, QUEUE), { ready: 7, unsettled: 3 }));
  await delay(100);
  assert.equal(inbox.all.length, 3);
});

test('a cancelled consumer settles what it holds and then leaves the broker', async (t) => {
  const vhost = await freshVhost();
  const { queue } = await openQueue(t, settingsOf(vhost));
  const inbox = new DeliveryInbox();
  const consumer = await queue.consume(TENANT, QUEUE, { prefetch: 2 }, inbox.take);
  await queue.publish(TENANT, [message('a'), message('b'), message('c')]);
  await inbox.until(2);
  await consumer.cancel();
  await inbox.at(0).requeue();
  await inbox.at(1).ack();
  await eventually(() => assert.equal(queue.status().tenants[0]?.consumers, 0));
  assert.deepEqual(await queue.depth(TENANT, QUEUE), { ready: 2, unsettled: 0 });
  assert.equal(queue.status().staleSettlements, 0);
});

test('a handler that throws against its contract harms no other delivery', async (t) => {
  const vhost = await freshVhost();
  const { queue, log } = await openQueue(t, settingsOf(vhost));
  const inbox = new DeliveryInbox();
  await queue.consume(TENANT, QUEUE, { prefetch: 2 }, (delivery) => {
    inbox.take(delivery);
    if (inbox.all.length === 1) throw new Error('a mistake');
  });
  await queue.publish(TENANT, [message('a'), message('b')]);
  await inbox.until(2);
  for (const delivery of inbox.all) await delivery.ack();
  assert.equal(queue.status().staleSettlements, 0);
  assert.equal(log.of('task.failed').length, 1);
});

test('a queue of the type that the binding does not want is refused, other queues work', async (t) => {
  const vhost = await freshVhost();
  const { channel } = await foreignClient(t, vhost.url);
  await channel.assertQueue(QUEUE, { durable: true });
  const { queue } = await openQueue(t, settingsOf(vhost));
  const healthy = new DeliveryInbox();
  await queue.consume(TENANT, `${QUEUE}2`, { prefetch: 1 }, healthy.take);
  const wanted = { prefetch: 1, queueType: 'quorum' } as const;
  await assert.rejects(
    queue.consume(TENANT, QUEUE, wanted, () => undefined),
    (error: Error & { code: string }) => {
      assert.equal(error.code, 'QUEUE_ARGUMENTS_DIFFER');
      assert.match(error.message, new RegExp(`^Queue ${QUEUE} exists with other arguments .*x-queue-type.*quorum`));
      return true;
    },
  );
  await queue.publish(TENANT, [message('a', `${QUEUE}2`)]);
  await healthy.until(1);
  await healthy.at(0).ack();
  assert.equal(queue.status().staleSettlements, 0);
});

test('a type that the binding wants is made, and one with further arguments of its maker is taken', async (t) => {
  const vhost = await freshVhost();
  const { channel } = await foreignClient(t, vhost.url);
  await channel.assertQueue(QUEUE, { durable: true, arguments: { 'x-queue-type': 'quorum', 'x-max-length': 9 } });
  const { queue } = await openQueue(t, settingsOf(vhost));
  for (const name of [QUEUE, `${QUEUE}2`]) {
    await queue.consume(TENANT, name, { prefetch: 1, queueType: 'quorum' }, () => undefined);
  }
  await channel.assertQueue(`${QUEUE}2`, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
});
