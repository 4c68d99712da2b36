/** While the broker's store cannot be written, no device gets what the host is told was not sent, and will send again. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { BrokerMessage, Qos } from '../../../src/ports/broker.ts';
import { linkTo, openRedisStore } from '../../support/broker-stores.ts';
import { eventually } from '../../support/eventually.ts';
import { TestBroker } from '../../support/mqtt-broker.ts';
import { freshRedis } from '../../support/services/fresh-redis.ts';
import { TcpProxy } from '../../support/services/tcp-proxy.ts';
import { tempDir } from '../../support/temp-dir.ts';

function command(text: string, qos: Qos, retain = false): BrokerMessage {
  return { topic: 'tenant/ta/cmd', payload: Buffer.from(text), qos, retain, properties: {} };
}

/** The file of a broker that somebody else has locked, as long as `release` is not called. */
function lock(dir: string): { release(): void } {
  const other = new DatabaseSync(join(dir, 'host.db'));
  other.exec('BEGIN IMMEDIATE');
  return {
    release: () => {
      other.exec('ROLLBACK');
      other.close();
    },
  };
}

test('while Redis is away a command is refused before a device has it, and comes once when Redis is back', async (t) => {
  const url = await freshRedis();
  const proxy = await TcpProxy.open(url);
  t.after(() => proxy.refuse());
  const store = await openRedisStore(linkTo(t, proxy.url(url)));
  const broker = await TestBroker.start(t, { store });
  const got: string[] = [];
  const device = await broker.client({ clientId: 'd', clean: false }, got);
  await device.subscribeAsync('cmd', { qos: 2 });
  await eventually(() => assert.equal(store.isDirty, false));
  await proxy.refuse();
  for (const qos of [1, 2, 0, 1] as const) {
    for (const retain of [false, true]) {
      await assert.rejects(broker.broker.publish('ta', command(`q${qos}`, qos, retain)), { code: 'CACHE_UNAVAILABLE' });
    }
  }
  await proxy.listen();
  await eventually(() => assert.deepEqual([store.isUsable, store.isDirty], [true, false]));
  for (const qos of [0, 1, 2] as const) assert.equal(await broker.broker.publish('ta', command(`q${qos}`, qos)), 1);
  await eventually(() => assert.equal(got.length, 3));
  await eventually(() => assert.equal(broker.broker.sessions('ta')[0]?.queued, 0));
  assert.deepEqual(
    [...got].sort(),
    ['q0', 'q1', 'q2'].map((text) => `tenant/ta/cmd ${text}`),
  );
  await store.flushed();
  const next = await openRedisStore(linkTo(t, url));
  assert.deepEqual(
    next.load().sessions.map(({ queued }) => queued),
    [[]],
  );
  next.close();
});

test('a file that cannot be written stops commands that have to be stored, and no others', async (t) => {
  const dir = tempDir(t);
  const broker = await TestBroker.start(t, { dir });
  const got: string[] = [];
  const device = await broker.client({ clientId: 'd', clean: false }, got);
  await device.subscribeAsync('cmd', { qos: 2 });
  const { release } = lock(dir);
  for (const qos of [1, 2, 1, 2] as const) {
    await assert.rejects(broker.broker.publish('ta', command('stored', qos)), { code: 'QUEUE_STORE_UNUSABLE' });
  }
  assert.equal(await broker.broker.publish('ta', command('now or never', 0)), 1);
  await assert.rejects(broker.broker.publish('ta', command('kept', 0, true)), { code: 'QUEUE_STORE_UNUSABLE' });
  await eventually(() => assert.deepEqual(got, ['tenant/ta/cmd now or never']));
  release();
  assert.equal(await broker.broker.publish('ta', command('stored', 2)), 1);
  await eventually(() => assert.deepEqual(got.slice(1), ['tenant/ta/cmd stored']));
});

test('a message of QoS 2 whose packet id could not be stored goes out when the file can be written again', async (t) => {
  const dir = tempDir(t);
  const broker = await TestBroker.start(t, { dir });
  const device = await (await broker.raw()).connect(4, { clientId: 'd', clean: false });
  device.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'cmd', qos: 2 }] });
  await device.packet('suback');
  const sender = await (await broker.raw()).connect(4, { clientId: 'sender' });
  const { release } = lock(dir);
  sender.send({ cmd: 'publish', topic: 'cmd', payload: 'once', qos: 2, messageId: 1, retain: false, dup: false });
  await eventually(() => assert.ok(sender.closed));
  assert.deepEqual(device.packets, []);
  release();
  const { payload, dup, messageId = 0 } = await device.packet('publish');
  assert.deepEqual([String(payload), dup], ['once', false]);
  device.send({ cmd: 'pubrec', messageId });
  await device.packet('pubrel');
  device.send({ cmd: 'pubcomp', messageId });
  await eventually(() =>
    assert.equal(broker.broker.sessions('ta').find(({ clientId }) => clientId === 'd')?.queued, 0),
  );
  assert.deepEqual(device.packets, []);
});
