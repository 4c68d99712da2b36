/** What a broker leaves in its store is there for the next one: the file of one host, and Redis for several. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBrokerHome } from '../../../src/adapters/redis/redis-broker-store.ts';
import type { BrokerMessage } from '../../../src/ports/broker.ts';
import type { StoredMessage } from '../../../src/ports/broker-store.ts';
import { BROKER_STORES, linkTo, openRedisStore } from '../../support/broker-stores.ts';
import { eventually } from '../../support/eventually.ts';
import { TestBroker } from '../../support/mqtt-broker.ts';
import { freshRedis } from '../../support/services/fresh-redis.ts';
import { TcpProxy } from '../../support/services/tcp-proxy.ts';

const DEVICE = { tenant: 'ta', clientId: 'd' } as const;

function message(text: string, more: Partial<BrokerMessage> = {}): BrokerMessage {
  return {
    topic: 'tenant/ta/x',
    payload: new TextEncoder().encode(text),
    qos: 1,
    retain: false,
    properties: {},
    ...more,
  };
}

function waiting(seq: number, text: string, more: Partial<StoredMessage> = {}): StoredMessage {
  return { seq, message: message(text), qos: 1, retain: false, identifiers: [], expiresAt: undefined, ...more };
}

const SESSION = {
  ...DEVICE,
  expirySeconds: 60,
  offlineSince: undefined,
  subscriptions: [{ filter: 'tenant/ta/#', qos: 2, noLocal: false, retainAsPublished: true, identifier: 7 }],
} as const;

for (const [name, prepare] of Object.entries(BROKER_STORES)) {
  test(`${name}: sessions, messages in their order with all that version 5 says, packet ids and retained ones`, async (t) => {
    const open = await prepare(t);
    const store = await open();
    const properties = {
      userProperties: [
        ['a', '1'],
        ['a', '2'],
      ] as [string, string][],
      responseTopic: 'tenant/ta/answer',
      correlationData: new Uint8Array([0, 255, 128]),
      contentType: 'text/plain',
      payloadFormatIndicator: true,
      messageExpiryInterval: 90,
    };
    const rich = waiting(9, '', {
      message: message('温度', { properties, retain: true, qos: 2 }),
      qos: 2,
      retain: true,
    });
    store.saveSession(SESSION);
    store.addMessage(DEVICE, waiting(10, 'ten', { expiresAt: 123, identifiers: [1, 2] }));
    store.addMessage(DEVICE, rich);
    store.addMessage(DEVICE, waiting(2, 'two'));
    store.addMessage(DEVICE, waiting(3, 'never written'));
    store.dropMessage(DEVICE, 3);
    for (const [packetId, seq] of [
      [1, 9],
      [2, 8],
      [3, 7],
    ] as const)
      store.saveFlight(DEVICE, { packetId, seq });
    store.saveFlight(DEVICE, { packetId: 2, seq: undefined });
    store.dropFlight(DEVICE, 3);
    store.addReceived(DEVICE, 5);
    store.addReceived(DEVICE, 6);
    store.dropReceived(DEVICE, 6);
    store.saveRetained({ tenant: 'ta', message: message('kept', { retain: true, properties }), expiresAt: 77 });
    store.saveRetained({ tenant: 'tb', message: message('gone', { topic: 'tenant/tb/y' }), expiresAt: undefined });
    store.saveRetained({ tenant: 'tb', message: message('', { topic: 'tenant/tb/y' }), expiresAt: undefined });
    const client = {
      ...DEVICE,
      tenant: 'TA',
      userName: undefined,
      address: '10.0.0.1',
      protocolVersion: 5,
      keepAlive: 30,
      epoch: 7,
      connectedAt: 8,
      userProperties: [['a', '1']],
    } as const;
    const left = { client, message: message('gone', { properties }), delaySeconds: 0, dueAt: undefined };
    store.saveWill({ ...DEVICE, ...left, dueAt: 1 });
    store.saveWill({ ...DEVICE, ...left });
    store.saveWill({ tenant: 'tb', clientId: 'd', ...left, delaySeconds: 9, dueAt: 99 });
    store.saveWill({ tenant: 'tb', clientId: 'e', ...left });
    store.dropWill({ tenant: 'tb', clientId: 'e' });
    const downlinks = [
      { tenant: 'tb', id: 'b', sessions: 0, sentAt: 5 },
      { tenant: 'ta', id: 'b', sessions: 3, sentAt: 6 },
    ];
    for (const sent of [...downlinks, { tenant: 'ta', id: 'a', sessions: 1, sentAt: 1 }].reverse()) {
      store.saveDownlink(sent);
    }
    store.dropDownlink({ tenant: 'ta', id: 'a' });
    assert.equal(store.isDirty, true);
    await store.flushed();
    assert.equal(store.isDirty, false);
    store.dropMessage(DEVICE, 2);
    await store.flushed();
    store.close();

    const next = await open();
    t.after(() => next.close());
    const { sessions, retained, lastSeq, downlinks: known, wills } = next.load();
    assert.deepEqual(known, downlinks);
    assert.deepEqual(
      plain([...wills].sort((a, b) => (a.tenant < b.tenant ? -1 : 1))),
      plain([
        { ...DEVICE, ...left },
        { tenant: 'tb', clientId: 'd', ...left, delaySeconds: 9, dueAt: 99 },
      ]),
    );
    assert.equal(lastSeq, 10);
    assert.equal(sessions.length, 1);
    const [session] = sessions;
    assert.deepEqual(
      [session?.tenant, session?.clientId, session?.expirySeconds, session?.offlineSince, session?.received],
      ['ta', 'd', 60, undefined, [5]],
    );
    assert.deepEqual(session?.flights, [
      { packetId: 1, seq: 9 },
      { packetId: 2, seq: undefined },
    ]);
    assert.deepEqual(session?.subscriptions, SESSION.subscriptions);
    assert.deepEqual(
      plain(session?.queued),
      plain([rich, waiting(10, 'ten', { expiresAt: 123, identifiers: [1, 2] })]),
    );
    const kept = { tenant: 'ta', message: message('kept', { retain: true, properties }), expiresAt: 77 };
    assert.deepEqual(plain(retained), plain([kept]));
  });

  test(`${name}: a dropped session leaves nothing`, async (t) => {
    const open = await prepare(t);
    const store = await open();
    store.saveSession(SESSION);
    store.addMessage(DEVICE, waiting(1, 'one'));
    store.addReceived(DEVICE, 1);
    store.saveFlight(DEVICE, { packetId: 1, seq: 1 });
    await store.flushed();
    store.dropSession(DEVICE);
    store.saveSession({ ...SESSION, subscriptions: [], expirySeconds: undefined });
    await store.flushed();
    store.close();
    const next = await open();
    t.after(() => next.close());
    const { sessions } = next.load();
    assert.deepEqual(
      sessions.map(({ queued, received, flights }) => [queued, received, flights]),
      [[[], [], []]],
    );
    assert.deepEqual([sessions[0]?.subscriptions, sessions[0]?.expirySeconds], [[], undefined]);
  });
}

/** Bytes as text, so that a Buffer and a Uint8Array are the same. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, part: unknown) => {
      if (part instanceof Uint8Array) return Buffer.from(part).toString('hex');
      const isBuffer = typeof part === 'object' && part !== null && (part as { type?: string }).type === 'Buffer';
      return isBuffer ? Buffer.from((part as { data: number[] }).data).toString('hex') : part;
    }),
  );
}

test('Redis: a broker that began later shuts the former one out', async (t) => {
  const link = linkTo(t, await freshRedis());
  let lost = 0;
  const former = await openRedisStore(link, { onLost: () => lost++ });
  former.saveSession(SESSION);
  await former.flushed();
  const later = await openRedisStore(link);
  former.addMessage(DEVICE, waiting(1, 'late'));
  await assert.rejects(former.flushed(), { code: 'QUEUE_STORE_UNUSABLE' });
  former.dropSession(DEVICE);
  await assert.rejects(former.flushed());
  assert.deepEqual([former.isUsable, lost], [false, 1]);
  later.saveRetained({ tenant: 'ta', message: message('mine'), expiresAt: undefined });
  await later.flushed();
  const next = await openRedisStore(link);
  const { sessions, retained } = next.load();
  assert.deepEqual([sessions.map(({ queued }) => queued.length), retained.length], [[0], 1]);
});

test('Redis: two installations on one database of Redis know nothing of each other', async (t) => {
  const link = linkTo(t, await freshRedis());
  let lost = 0;
  const open = (installation: string) => openRedisStore(link, { installation, onLost: () => lost++ });
  const [one, other] = [await open('one'), await open('other')];
  for (const [n, store] of [one, other].entries()) {
    store.saveSession({ ...SESSION, expirySeconds: 60 + n });
    store.addMessage(DEVICE, waiting(1, `for ${n}`));
    store.addReceived(DEVICE, 1 + n);
    store.saveFlight(DEVICE, { packetId: 1 + n, seq: 1 });
    store.saveRetained({ tenant: 'ta', message: message(`kept by ${n}`), expiresAt: undefined });
    store.saveDownlink({ tenant: 'ta', id: 'same', sessions: n, sentAt: 1 });
    await store.announce(`home of ${n}`);
  }
  assert.deepEqual([one.isUsable, other.isUsable, lost], [true, true, 0], 'neither shuts the other one out');
  assert.deepEqual(
    [await findBrokerHome(link, 'one'), await findBrokerHome(link, 'other')],
    ['home of 0', 'home of 1'],
  );
  for (const [n, installation] of ['one', 'other'].entries()) {
    const { sessions, retained, downlinks } = (await open(installation)).load();
    assert.deepEqual(
      sessions.map(({ expirySeconds, received, flights, queued }) => [expirySeconds, received, flights, queued.length]),
      [[60 + n, [1 + n], [{ packetId: 1 + n, seq: 1 }], 1]],
    );
    assert.deepEqual(plain(retained.map((kept) => kept.message)), plain([message(`kept by ${n}`)]));
    assert.deepEqual(
      downlinks.map(({ sessions: count }) => count),
      [n],
    );
  }
});

test('Redis: what an outage kept back is written when it is over, in its order; nobody is let in meanwhile', async (t) => {
  const url = await freshRedis();
  const proxy = await TcpProxy.open(url);
  t.after(() => proxy.refuse());
  const [direct, link] = [linkTo(t, url), linkTo(t, proxy.url(url))];
  const store = await openRedisStore(link);
  await proxy.refuse();
  store.saveSession(SESSION);
  store.addMessage(DEVICE, waiting(1, 'one'));
  await assert.rejects(store.flushed(), { code: 'CACHE_UNAVAILABLE' });
  assert.deepEqual([store.isUsable, store.isDirty], [false, true]);
  store.addMessage(DEVICE, waiting(2, 'two'));
  store.dropMessage(DEVICE, 1);
  store.dropMessage(DEVICE, 2);
  store.addMessage(DEVICE, waiting(3, 'three'));
  await proxy.listen();
  await eventually(() => assert.deepEqual([store.isUsable, store.isDirty], [true, false]));
  const next = await openRedisStore(direct);
  assert.deepEqual(
    next.load().sessions.map(({ queued }) => queued.map(({ seq }) => seq)),
    [[3]],
  );
  store.close();
});

test('Redis: a broker that is shut out acknowledges nothing that it cannot store, lets nobody in, and can be stopped', async (t) => {
  const link = linkTo(t, await freshRedis());
  const open = () => openRedisStore(link);
  const broker = await TestBroker.start(t, { store: await open() });
  const device = await (await broker.raw()).connect(4, { clientId: 'd', clean: false });
  const publish = { cmd: 'publish', topic: 'x', payload: 'x', qos: 1, retain: true, dup: false } as const;
  device.send({ ...publish, messageId: 1 });
  await device.packet('puback');
  await open();
  device.send({ ...publish, payload: 'y', messageId: 2 });
  await eventually(() => assert.ok(device.closed));
  assert.deepEqual(device.packets, []);
  const late = (await broker.raw()).listen(5);
  late.send({ cmd: 'connect', clientId: 'late', protocolVersion: 5, clean: true, keepalive: 0 }, 5);
  assert.equal((await late.packet('connack')).reasonCode, 0x88);
  await broker.stop();
  assert.deepEqual(
    (await open()).load().retained.map(({ message: kept }) => String.fromCharCode(...kept.payload)),
    ['x'],
  );
});
