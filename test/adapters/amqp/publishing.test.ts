import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { encodeEnvelope } from '../../../src/core/envelope.ts';
import { DeliveryInbox } from '../../contract/delivery-inbox.ts';
import { eventually } from '../../support/eventually.ts';
import { freshVhost } from '../../support/services/fresh-vhost.ts';
import { managementApi } from '../../support/services/rabbitmq.ts';
import { TcpProxy } from '../../support/services/tcp-proxy.ts';
import { foreignClient, message, openQueue, QUEUE, settingsOf, TENANT } from './amqp-client.ts';

const TRACE_PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('a message of ours has the properties of the platform and nothing more', async (t) => {
  const vhost = await freshVhost();
  const { queue } = await openQueue(t, settingsOf(vhost));
  const body = Buffer.from(
    encodeEnvelope({
      eventId: '订单-1',
      tenant: TENANT,
      traceParent: TRACE_PARENT,
      traceState: 'a=b',
      messageJson: '{"数量":1.0}',
      currentUserId: null,
    }),
  );
  const headers = { traceparent: TRACE_PARENT, tracestate: 'a=b' };
  await queue.publish(TENANT, [{ queue: QUEUE, body, props: { messageId: '订单-1', headers } }]);

  const { channel } = await foreignClient(t, vhost.url);
  const got = await channel.get(QUEUE);
  assert.ok(got !== false);
  const set = Object.fromEntries(Object.entries(got.properties).filter(([, value]) => value !== undefined));
  assert.deepEqual(set, {
    contentType: 'application/json',
    type: 'microi.tenant-message.v1',
    deliveryMode: 2,
    messageId: '订单-1',
    headers,
  });
  assert.equal(got.fields.exchange, '');
  assert.equal(got.fields.routingKey, QUEUE);
  assert.equal(
    got.content.toString('utf8'),
    `{"EventId":"订单-1","Id":"订单-1","OsClient":"Factory-A","TraceParent":"${TRACE_PARENT}","TraceState":"a=b",` +
      '"Message":{"数量":1.0},"CurrentUserId":null}',
  );
});

test('headers are a table also when there are none', async (t) => {
  const vhost = await freshVhost();
  const { queue } = await openQueue(t, settingsOf(vhost));
  await queue.publish(TENANT, [{ queue: QUEUE, body: Buffer.from('{}'), props: { headers: {} } }]);
  const { channel } = await foreignClient(t, vhost.url);
  const got = await channel.get(QUEUE);
  assert.ok(got !== false);
  assert.deepEqual(got.properties.headers, {});
});

test('a message of the platform is received: headers as bytes, numbers and tables, broker headers dropped', async (t) => {
  const vhost = await freshVhost();
  const { channel } = await foreignClient(t, vhost.url);
  await channel.assertQueue(QUEUE, { durable: true });
  channel.publish('', QUEUE, Buffer.from('{"EventId":"e-1"}'), {
    persistent: true,
    mandatory: true,
    contentType: 'application/json',
    type: 'microi.tenant-message.v1',
    messageId: 'e-1',
    headers: {
      traceparent: Buffer.from(TRACE_PARENT),
      'x-v8-attempt': 3,
      table: { a: 1 },
      none: null,
      'x-delivery-count': 2,
    },
  });
  const { queue } = await openQueue(t, settingsOf(vhost));
  const inbox = new DeliveryInbox();
  await queue.consume(TENANT, QUEUE, { prefetch: 1 }, inbox.take);
  await inbox.until(1);
  assert.deepEqual(inbox.at(0).props, {
    messageId: 'e-1',
    headers: { traceparent: TRACE_PARENT, 'x-v8-attempt': '3' },
  });
  assert.equal(inbox.at(0).redelivered, false);
});

test('a queue that was deleted is made again, and its messages are stored in order', async (t) => {
  const vhost = await freshVhost();
  const { queue } = await openQueue(t, settingsOf(vhost));
  await queue.publish(TENANT, [message('before')]);
  const { channel } = await foreignClient(t, vhost.url);
  await channel.deleteQueue(QUEUE);
  // Two equal ones: they are told apart by what they are, and stand for each other.
  await queue.publish(TENANT, [message('a'), message('b'), message('b'), message('other', `${QUEUE}2`), message('c')]);
  const texts = [];
  for (let got = await channel.get(QUEUE); got !== false; got = await channel.get(QUEUE)) texts.push(`${got.content}`);
  assert.deepEqual(texts, ['a', 'b', 'b', 'c']);
  assert.equal((await channel.checkQueue(`${QUEUE}2`)).messageCount, 1);
});

test('a queue that exists with other arguments is used as it is', async (t) => {
  const vhost = await freshVhost();
  const { channel } = await foreignClient(t, vhost.url);
  await channel.assertQueue(QUEUE, { durable: true, arguments: { 'x-max-length': 5 } });
  const { queue } = await openQueue(t, settingsOf(vhost), { defaultQueueType: 'quorum' });
  await queue.publish(TENANT, [message('a')]);
  assert.deepEqual(await queue.depth(TENANT, QUEUE), { ready: 1, unsettled: 0 });
});

test('a user who may not write learns nothing, the operator everything', async (t) => {
  const vhost = await freshVhost({ permissions: { configure: '.*', write: 'microi.*', read: '.*' } });
  const { queue } = await openQueue(t, settingsOf(vhost));
  await assert.rejects(queue.publish(TENANT, [message('a')]), (error: Error & { code: string }) => {
    assert.equal(error.code, 'QUEUE_UNAVAILABLE');
    const cause = error.cause as Error & { code: string };
    assert.equal(cause.code, 'QUEUE_ACCESS_REFUSED');
    assert.match(cause.message, /exchange 'amq\.default'/);
    assert.doesNotMatch(`${error}${cause}`, new RegExp(vhost.user));
    return true;
  });
});

test('headers that the protocol cannot carry are refused for good', async (t) => {
  const vhost = await freshVhost();
  const { queue } = await openQueue(t, settingsOf(vhost));
  const huge = { queue: QUEUE, body: Buffer.from('{}'), props: { headers: { 'x-v8-note': 'x'.repeat(70_000) } } };
  await assert.rejects(queue.publish(TENANT, [huge]), { code: 'PARAM_INVALID' });
  await queue.publish(TENANT, [message('after')]);
});

test('a broker that confirms nothing is given up after ten seconds, and what was sent counts until its end', async (t) => {
  const vhost = await freshVhost();
  await using proxy = await TcpProxy.open(vhost.url);
  const { queue } = await openQueue(t, { ...settingsOf(vhost), port: proxy.port });
  await queue.publish(TENANT, [message('first')]);
  proxy.pause('replies');
  const began = performance.now();
  await assert.rejects(queue.publish(TENANT, [message('second')]), { code: 'QUEUE_UNAVAILABLE' });
  const took = performance.now() - began;
  assert.ok(took > 9_900 && took < 30_000, `${took} ms`);
  assert.equal(queue.status().tenants[0]?.unconfirmed, 1);
  proxy.resume();
  await eventually(() => assert.equal(queue.status().tenants[0]?.unconfirmed, 0));
  assert.deepEqual(await queue.depth(TENANT, QUEUE), { ready: 2, unsettled: 0 });
});

test('a message waits for a broker that is back within ten seconds', async (t) => {
  const vhost = await freshVhost();
  await using proxy = await TcpProxy.open(vhost.url);
  const { queue, log } = await openQueue(t, { ...settingsOf(vhost), port: proxy.port });
  await queue.publish(TENANT, [message('first')]);
  await proxy.refuse();
  await eventually(() => assert.equal(log.of('queue.disconnected').length, 1));
  const waiting = queue.publish(TENANT, [message('second')]);
  await delay(500);
  await proxy.listen();
  await waiting;
  assert.deepEqual(await queue.depth(TENANT, QUEUE), { ready: 2, unsettled: 0 });
});

test('what waits for a broker is bounded', async (t) => {
  const vhost = await freshVhost();
  await using proxy = await TcpProxy.open(vhost.url);
  const { queue } = await openQueue(t, { ...settingsOf(vhost), port: proxy.port });
  await queue.publish(TENANT, [message('first')]);
  proxy.pause();
  const body = Buffer.alloc(40 * 1024 * 1024);
  const big = { queue: QUEUE, body, props: { headers: {} } };
  const waiting = [1, 2, 3].map(() => queue.publish(TENANT, [big]).catch(() => undefined));
  const began = performance.now();
  await assert.rejects(queue.publish(TENANT, [big]), (error: Error) => {
    assert.equal((error.cause as { code?: string }).code, 'QUEUE_BACKLOG_FULL');
    return true;
  });
  assert.ok(performance.now() - began < 8_000, 'at once, not after the ten seconds of a broker that is silent');
  proxy.cut();
  proxy.resume();
  await Promise.all(waiting);
  await eventually(() => assert.equal(queue.status().tenants[0]?.unconfirmed, 0));
});

test('the connections carry their names', async (t) => {
  const vhost = await freshVhost();
  const { queue } = await openQueue(t, settingsOf(vhost));
  await queue.publish(TENANT, [message('a')]);
  await queue.consume(TENANT, QUEUE, { prefetch: 1 }, () => undefined);
  assert.deepEqual(queue.connections(), [
    { tenant: TENANT, use: 'publisher', state: 'up' },
    { tenant: TENANT, use: 'consumer', state: 'up' },
  ]);
  await eventually(async () => {
    const listed = await managementApi(vhost.apiUrl, 'GET', `/api/vhosts/${vhost.vhost}/connections`);
    const connections = (await listed.json()) as { client_properties: { connection_name?: string } }[];
    assert.deepEqual(connections.map((each) => each.client_properties.connection_name).sort(), [
      'microi:consumer:Factory-A',
      'microi:publisher:Factory-A',
    ]);
  });
});
