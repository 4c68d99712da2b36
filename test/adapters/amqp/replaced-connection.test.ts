/** New settings while messages are in flight: settled on the old connection, then consumed on the new one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AmqpQueue } from '../../../src/adapters/amqp/amqp-queue.ts';
import { AppError } from '../../../src/core/errors.ts';
import { DeliveryInbox } from '../../contract/delivery-inbox.ts';
import { eventually } from '../../support/eventually.ts';
import { type FreshVhost, freshVhost } from '../../support/services/fresh-vhost.ts';
import { managementApi } from '../../support/services/rabbitmq.ts';
import { message, openQueue, QUEUE, settingsOf, TENANT } from './amqp-client.ts';

const OTHER = 'Factory-B';
const OTHER_QUEUE = 'microi.factory-b.orders';

test('a changed vhost lets what runs settle where it came from, and nothing comes twice', async (t) => {
  const [before, behind, others] = [await freshVhost(), await freshVhost(), await freshVhost()];
  let place = before;
  const { queue, log } = await openQueue(t, async () => settingsOf(place));
  const { queue: other, log: otherLog } = await openQueue(t, settingsOf(others));
  const [inbox, otherInbox] = [new DeliveryInbox(), new DeliveryInbox()];
  await queue.consume(TENANT, QUEUE, { prefetch: 2 }, inbox.take);
  await other.consume(OTHER, OTHER_QUEUE, { prefetch: 2 }, otherInbox.take);
  await queue.publish(
    TENANT,
    ['a', 'b', 'c'].map((text) => message(text)),
  );
  await inbox.until(2);

  place = behind;
  await queue.refreshTenant(TENANT);
  await other.refreshTenant(OTHER);
  await queue.publish(TENANT, [message('new')]);
  for (const index of [0, 1]) await inbox.at(index).ack();
  await inbox.until(3);
  await inbox.at(2).ack();

  assert.deepEqual(inbox.texts(), ['a', 'b', 'new']);
  assert.equal(queue.status().staleSettlements, 0);
  assert.deepEqual(log.of('consumer.lost'), []);
  assert.equal(otherLog.of('queue.connected').length, 1);
  const { queue: observer } = await openQueue(t, settingsOf(before));
  await eventually(async () => assert.deepEqual(await observer.depth(TENANT, QUEUE), { ready: 1, unsettled: 0 }));
});

test('a changed password is used without a lost or doubled message', async (t) => {
  const vhost = await freshVhost();
  let settings = settingsOf(vhost);
  const { queue } = await openQueue(t, async () => settings);
  const inbox = new DeliveryInbox();
  await queue.consume(TENANT, QUEUE, { prefetch: 3 }, inbox.take);
  await queue.publish(
    TENANT,
    ['a', 'b', 'c', 'd'].map((text) => message(text)),
  );
  await inbox.until(3);
  const password = 'another-password-of-the-tenant';
  const answer = await managementApi(vhost.apiUrl, 'PUT', `/api/users/${vhost.user}`, { password, tags: '' });
  assert.ok(answer.ok);
  settings = { ...settings, password };
  await queue.refreshTenant(TENANT);
  for (const index of [0, 1, 2]) await inbox.at(index).ack();
  await queue.publish(TENANT, [message('e')]);
  await inbox.until(5);
  for (const index of [3, 4]) await inbox.at(index).ack();
  assert.deepEqual(inbox.texts(), ['a', 'b', 'c', 'd', 'e']);
  await eventually(async () => assert.deepEqual(await queue.depth(TENANT, QUEUE), { ready: 0, unsettled: 0 }));
  assert.equal(queue.status().staleSettlements, 0);
});

test('a forced rebuild replaces connections although the settings are the same', async (t) => {
  const { queue, log } = await openQueue(t, settingsOf(await freshVhost()));
  const inbox = new DeliveryInbox();
  await queue.consume(TENANT, QUEUE, { prefetch: 1 }, inbox.take);
  await queue.publish(TENANT, [message('a')]);
  await inbox.until(1);
  const connected = () => log.of('queue.connected').length;
  assert.equal(connected(), 2);
  await queue.refreshTenant(TENANT, true);
  await inbox.at(0).ack();
  await queue.publish(TENANT, [message('b')]);
  await inbox.until(2);
  assert.equal(connected(), 4);
  await isAttached(queue);
});

async function isAttached(queue: AmqpQueue): Promise<void> {
  await eventually(() => assert.equal(queue.status().tenants[0]?.attached, 1));
}

test('changes again and again hold two pairs of connections at most', async (t) => {
  const vhost = await freshVhost();
  const { queue } = await openQueue(t, settingsOf(vhost));
  const inbox = new DeliveryInbox();
  await queue.consume(TENANT, QUEUE, { prefetch: 4 }, inbox.take);
  await queue.publish(
    TENANT,
    Array.from({ length: 8 }, (_, n) => message(`m${n}`)),
  );
  for (let n = 0; n < 5; n++) {
    await queue.refreshTenant(TENANT, true);
    await isAttached(queue);
  }
  // Nothing was settled, so each pair would have waited for its deliveries.
  await eventually(async () => assert.ok((await connectionsOf(vhost)) <= 4));
});

test('settings that are refused end replaced connections, too', async (t) => {
  const [before, behind] = [await freshVhost(), await freshVhost()];
  let place = before;
  let refused = false;
  const { queue } = await openQueue(t, async () => {
    if (refused) throw new AppError('QUEUE_IDENTITY_MISSING', { tenant: TENANT, field: 'MQUserName' });
    return settingsOf(place);
  });
  const inbox = new DeliveryInbox();
  await queue.consume(TENANT, QUEUE, { prefetch: 1 }, inbox.take);
  await queue.publish(TENANT, [message('held')]);
  await inbox.until(1);
  place = behind;
  await queue.refreshTenant(TENANT);
  refused = true;
  await queue.refreshTenant(TENANT);
  await eventually(async () => assert.equal(await connectionsOf(before), 0));
});

/** Client connections into a vhost. The management interface is some seconds late. */
async function connectionsOf({ apiUrl, vhost }: FreshVhost): Promise<number> {
  const response = await managementApi(apiUrl, 'GET', `/api/vhosts/${vhost}/connections`);
  return ((await response.json()) as unknown[]).length;
}
