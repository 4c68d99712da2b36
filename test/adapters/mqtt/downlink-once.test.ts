/** A command whose sender did not hear the answer is sent again, under its id: the device gets it once. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { EmbeddedBrokerStore } from '../../../src/adapters/embedded/broker-store.ts';
import type { BrokerMessage, Qos } from '../../../src/ports/broker.ts';
import { BROKER_STORES, linkTo, openRedisStore, REDIS_KEYS } from '../../support/broker-stores.ts';
import { eventually } from '../../support/eventually.ts';
import { received, TestBroker } from '../../support/mqtt-broker.ts';
import { relayed } from '../../support/relayed-broker.ts';
import { freshRedis } from '../../support/services/fresh-redis.ts';
import { TcpProxy } from '../../support/services/tcp-proxy.ts';
import { tempDir } from '../../support/temp-dir.ts';

const DEVICE = { clientId: 'd', clean: false } as const;

function command(text: string, qos: Qos = 1, retain = false): BrokerMessage {
  return { topic: 'tenant/ta/cmd', payload: Buffer.from(text), qos, retain, properties: {} };
}

const texts = (messages: readonly string[]): string[] => messages.map((text) => text.replace('tenant/ta/cmd ', ''));

for (const [qos, retain] of [
  [0, false],
  [1, false],
  [2, false],
  [1, true],
] as const) {
  test(`the answer of the relay is lost: QoS ${qos}, ${retain ? 'retained' : 'not retained'}`, async (t) => {
    const { broker, relay, proxy } = await relayed(t);
    const device = await broker.client({ clientId: 'd' });
    const got = received(device);
    await device.subscribeAsync('cmd', { qos: 2 });
    assert.equal(await relay.subscribers('ta', 'tenant/ta/cmd'), 1);
    proxy.pause('replies');
    const lost = assert.rejects(relay.publish('ta', command('open', qos, retain), 'id-1'), { code: 'MQTT_STANDBY' });
    await eventually(() => assert.deepEqual(texts(got), ['open']));
    proxy.cut();
    await lost;
    proxy.resume();
    assert.equal(await relay.publish('ta', command('open', qos, retain), 'id-1'), 1, 'answered like the first');
    assert.equal(await relay.publish('ta', command('close', qos), 'id-2'), 1);
    assert.equal(await relay.publish('ta', command('without an id', qos)), 1);
    await eventually(() => assert.deepEqual(texts(got), ['open', 'close', 'without an id']));
  });
}

test('one that is still under way is waited for, and one that failed is sent', async (t) => {
  const dir = tempDir(t);
  const broker = await TestBroker.start(t, { dir });
  const got: string[] = [];
  const device = await broker.client(DEVICE, got);
  await device.subscribeAsync('cmd', { qos: 1 });
  const publish = (text: string) => broker.broker.publish('ta', command(text), 'id-1');
  assert.deepEqual(await Promise.all([publish('one'), publish('one'), publish('one')]), [1, 1, 1]);
  await eventually(() => assert.equal(broker.store.isDirty, false));
  const other = new DatabaseSync(join(dir, 'host.db'));
  other.exec('BEGIN IMMEDIATE');
  await assert.rejects(broker.broker.publish('ta', command('two'), 'id-2'), { code: 'QUEUE_STORE_UNUSABLE' });
  other.exec('ROLLBACK');
  other.close();
  assert.equal(await broker.broker.publish('ta', command('two'), 'id-2'), 1);
  await eventually(() => assert.deepEqual(texts(got), ['one', 'two']));
});

test('the answer of Redis is lost with the host: the next broker knows the command', async (t) => {
  const url = await freshRedis();
  const direct = linkTo(t, url);
  const proxy = await TcpProxy.open(url);
  t.after(() => proxy.refuse());
  const first = await TestBroker.start(t, {
    store: await openRedisStore(linkTo(t, proxy.url(url))),
  });
  const device = await first.client(DEVICE);
  await device.subscribeAsync('cmd', { qos: 1 });
  await device.endAsync();
  await eventually(() => assert.equal(first.store.isDirty, false));
  proxy.pause('replies');
  const lost = assert.rejects(first.broker.publish('ta', command('open'), 'id-1'), { code: 'CACHE_UNAVAILABLE' });
  await eventually(async () => assert.equal(await direct.run((redis) => redis.hlen(REDIS_KEYS.downlinks)), 1));
  await proxy.refuse();
  await lost;

  const next = await TestBroker.start(t, {
    store: await openRedisStore(direct),
  });
  assert.equal(await next.broker.publish('ta', command('open'), 'id-1'), 1, 'answered like the first');
  const got: string[] = [];
  await next.client(DEVICE, got);
  assert.equal(await next.broker.publish('ta', command('close'), 'id-2'), 1);
  await eventually(() => assert.deepEqual(texts(got), ['open', 'close']));
});

for (const [name, prepare] of Object.entries(BROKER_STORES)) {
  test(`${name}: a broker that was killed before its answer was heard does not send again when it is back`, async (t) => {
    const open = await prepare(t);
    const first = await TestBroker.start(t, { store: await open() });
    const device = await first.client(DEVICE);
    await device.subscribeAsync('cmd', { qos: 2 });
    await device.endAsync();
    await first.broker.publish('ta', command('open', 2), 'id-1');
    // As after SIGKILL: the next one has what was written, and nothing was said.
    const next = await TestBroker.start(t, { store: await open() });
    const got: string[] = [];
    await next.client(DEVICE, got);
    assert.equal(await next.broker.publish('ta', command('open', 2), 'id-1'), 1);
    assert.equal(await next.broker.publish('tb', command('of another tenant', 2), 'id-1'), 0);
    assert.equal(await next.broker.publish('ta', command('close', 2), 'id-2'), 1);
    await eventually(() => assert.deepEqual(texts(got), ['open', 'close']));
  });
}

test('ids are forgotten, the oldest first, when they are too many and when their time is over', async (t) => {
  const dir = tempDir(t);
  const broker = await TestBroker.start(t, { dir, limits: { downlinkIds: 2, downlinkIdSeconds: 60 } });
  const got: string[] = [];
  const device = await broker.client(DEVICE, got);
  await device.subscribeAsync('cmd', { qos: 1 });
  const publish = (id: string) => broker.broker.publish('ta', command(id), id);
  for (const id of ['1', '2', '3', '2', '3', '1']) await publish(id);
  await eventually(() => assert.deepEqual(texts(got), ['1', '2', '3', '1']));
  await broker.store.flushed();
  assert.deepEqual(idsIn(dir), ['3', '1']);
  await broker.stop();

  const next = await TestBroker.start(t, { dir, limits: { downlinkIdSeconds: 0 } });
  await eventually(() => assert.deepEqual(idsIn(dir), []));
  await next.broker.publish('ta', command('3'), '3');
  assert.equal(next.broker.sessions('ta')[0]?.queued, 1);
});

function idsIn(dir: string): string[] {
  const store = EmbeddedBrokerStore.open(join(dir, 'host.db'));
  const ids = store.load().downlinks.map(({ id }) => id);
  store.close();
  return ids;
}
