import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { OpenRules, received, TestBroker } from '../../support/mqtt-broker.ts';
import { tempDir } from '../../support/temp-dir.ts';

const LIMIT = { timeout: 120_000 };

for (const protocolVersion of [3, 4, 5] as const) {
  const protocolId = protocolVersion === 3 ? 'MQIsdp' : 'MQTT';
  for (const qos of [0, 1, 2] as const) {
    test(
      `version ${protocolVersion}: a message with QoS ${qos} arrives once, with its full topic`,
      LIMIT,
      async (t) => {
        const broker = await TestBroker.start(t);
        const subscriber = await broker.client({ protocolVersion, protocolId, clientId: 'sub' });
        const messages = received(subscriber);
        await subscriber.subscribeAsync('sensor/#', { qos });
        await subscriber.subscribeAsync('sensor/+', { qos });
        const publisher = await broker.client({ protocolVersion, protocolId, clientId: 'pub' });
        for (const n of [1, 2, 3]) await publisher.publishAsync('sensor/t', `${n}`, { qos });
        await publisher.publishAsync('other', 'x', { qos });
        await publisher.publishAsync('/sensor/end', 'end', { qos });
        const P = 'tenant/ta/sensor';
        await eventually(() => assert.equal(messages.at(-1), `${P}/end end`));
        assert.deepEqual(messages, [`${P}/t 1`, `${P}/t 2`, `${P}/t 3`, `${P}/end end`]);
      },
    );
  }
}

test('retained messages come to new subscribers, change and go', LIMIT, async (t) => {
  const rules = new OpenRules();
  const broker = await TestBroker.start(t, { rules });
  const publisher = await broker.client({ clientId: 'pub' });
  for (const value of ['1', '1', '2']) await publisher.publishAsync('cfg/a', value, { qos: 1, retain: true });
  await publisher.publishAsync('cfg/b', 'b', { qos: 1, retain: true });
  await publisher.publishAsync('cfg/b', '', { qos: 1, retain: true });
  assert.deepEqual(rules.retained, ['tenant/ta/cfg/a', 'tenant/ta/cfg/a', 'tenant/ta/cfg/b', 'tenant/ta/cfg/b']);
  const subscriber = await broker.client({ clientId: 'sub' });
  const flags: boolean[] = [];
  subscriber.on('message', (_topic, _payload, packet) => flags.push(packet.retain));
  const messages = received(subscriber);
  await subscriber.subscribeAsync('cfg/#', { qos: 1 });
  await publisher.publishAsync('cfg/a', 'live', { qos: 1, retain: true });
  await eventually(() => assert.deepEqual(messages, ['tenant/ta/cfg/a 2', 'tenant/ta/cfg/a live']));
  assert.deepEqual(flags, [true, false]);
  assert.deepEqual(broker.broker.retained('TA'), [{ topic: 'tenant/ta/cfg/a', qos: 1, bytes: 4 }]);
});

test('after UNSUBSCRIBE with the same words nothing comes', LIMIT, async (t) => {
  const broker = await TestBroker.start(t);
  const client = await broker.client({ clientId: 'sub' });
  const messages = received(client);
  for (const filter of ['sensor/#', 'tenant/ta/x', 'ta/y']) await client.subscribeAsync(filter);
  for (const filter of ['sensor/#', 'x', '/y']) await client.unsubscribeAsync(filter);
  await client.subscribeAsync('end');
  for (const topic of ['sensor/t', 'x', 'y', 'end']) await client.publishAsync(topic, 'm', { qos: 1 });
  await eventually(() => assert.deepEqual(messages, ['tenant/ta/end m']));
});

test('tenants with the same client id, topics and filters do not meet', LIMIT, async (t) => {
  const rules = new OpenRules();
  const broker = await TestBroker.start(t, { rules });
  const a = await broker.client({ clientId: 'dev1', username: 'ta', clean: false });
  const b = await broker.client({ clientId: 'dev1', username: 'tb', clean: false });
  const [atA, atB] = [received(a), received(b)];
  for (const filter of ['#', '+/+', 'x']) {
    await a.subscribeAsync(filter, { qos: 1 });
    await b.subscribeAsync(filter, { qos: 1 });
  }
  await a.publishAsync('x', 'of a', { qos: 1, retain: true });
  await b.publishAsync('x', 'of b', { qos: 1 });
  await eventually(() => assert.deepEqual([atA, atB], [['tenant/ta/x of a'], ['tenant/tb/x of b']]));
  for (const foreign of ['tb/x', 'tenant/tb/x', 'tenant/tb/#']) {
    const granted = await a.subscribeAsync(foreign).catch(() => 'refused');
    assert.equal(granted, 'refused', foreign);
  }
  assert.equal(rules.ended.length, 0);
});

test('a device with short topics sees its own words', LIMIT, async (t) => {
  const broker = await TestBroker.start(t);
  const client = await broker.client({ clientId: 'd', username: 'short1', protocolVersion: 5 });
  const messages = received(client);
  await client.subscribeAsync('a/#');
  await client.publishAsync('a/b', 'm', { qos: 1 });
  await eventually(() => assert.deepEqual(messages, ['a/b m']));
});

test('a second connection of one client takes over, with and without a clean session', LIMIT, async (t) => {
  const rules = new OpenRules();
  const broker = await TestBroker.start(t, { rules });
  for (const clean of [true, false]) {
    const clientId = `dev-${clean}`;
    const first = await broker.client({ clientId, clean });
    const gone = new Promise<void>((resolve) => first.once('close', () => resolve()));
    await first.subscribeAsync('x', { qos: 1 });
    const second = await broker.client({ clientId, clean });
    await gone;
    const messages = received(second);
    await second.publishAsync('x', 'm', { qos: 1 });
    if (!clean) await eventually(() => assert.deepEqual(messages, ['tenant/ta/x m']));
    await eventually(() => assert.equal(rules.ended.at(-1)?.cause, 'taken-over'));
    const [one, two] = rules.connectedClients.slice(-2).map(({ epoch }) => epoch);
    assert.ok((one ?? 0) < (two ?? 0));
    assert.equal(broker.broker.sessions('ta').find((session) => session.clientId === clientId)?.online, true);
  }
});

test(
  'wills: sent when a client is lost, not after its goodbye; refused at CONNECT when their topic is',
  LIMIT,
  async (t) => {
    const broker = await TestBroker.start(t);
    const watcher = await broker.client({ clientId: 'w' });
    const messages = received(watcher);
    await watcher.subscribeAsync('#', { qos: 1 });
    const will = { topic: 'status', payload: Buffer.from('lost'), qos: 1, retain: false } as const;
    const polite = await broker.client({ clientId: 'polite', will });
    await polite.endAsync();
    const lost = await broker.client({ clientId: 'lost', will });
    lost.stream.destroy();
    await eventually(() => assert.deepEqual(messages, ['tenant/ta/status lost']));
    for (const topic of ['tb/cmd', 'a/#', '$SYS/x', `${'a/'.repeat(100)}a`]) {
      await assert.rejects(broker.client({ clientId: 'bad', will: { ...will, topic } }), topic);
    }
  },
);

test('a session that stays gets what it missed, also after a restart, once and in order', LIMIT, async (t) => {
  const dir = tempDir(t);
  let broker = await TestBroker.start(t, { dir });
  const session = { clientId: 'stay', clean: false } as const;
  const first = await broker.client(session);
  await first.subscribeAsync('x/#', { qos: 1 });
  await first.endAsync();
  const publisher = await broker.client({ clientId: 'pub' });
  for (const n of [1, 2, 3]) await publisher.publishAsync('x/t', `${n}`, { qos: 1 });
  await publisher.publishAsync('keep', 'r', { qos: 1, retain: true });
  await broker.stop();
  broker = await TestBroker.start(t, { dir });
  const messages: string[] = [];
  const again = await broker.client(session, messages);
  await eventually(() => assert.deepEqual(messages, ['tenant/ta/x/t 1', 'tenant/ta/x/t 2', 'tenant/ta/x/t 3']));
  await again.subscribeAsync('keep');
  await eventually(() => assert.equal(messages.at(-1), 'tenant/ta/keep r'));
  await again.endAsync();
  await broker.stop();
  broker = await TestBroker.start(t, { dir });
  const late: string[] = [];
  const third = await broker.client(session, late);
  await third.publishAsync('x/t', 'new', { qos: 1 });
  await eventually(() => assert.deepEqual(late, ['tenant/ta/x/t new']));
  const clean = await broker.client({ clientId: 'stay', clean: true });
  assert.equal(broker.broker.sessions('ta').find(({ clientId }) => clientId === 'stay')?.subscriptions.length, 0);
  await clean.endAsync();
});

test('QoS 2: a packet that is sent again before its release is one message', LIMIT, async (t) => {
  const rules = new OpenRules();
  const broker = await TestBroker.start(t, { rules });
  const session = { clean: false, clientId: 'two' };
  const publish = { cmd: 'publish', topic: 'x', payload: 'm', qos: 2, retain: false, messageId: 7 } as const;
  const first = await (await broker.raw()).connect(4, session);
  first.send({ ...publish, dup: false });
  await first.packet('pubrec');
  first.socket.destroy();
  const second = await (await broker.raw()).connect(4, session);
  second.send({ ...publish, dup: true });
  await second.packet('pubrec');
  second.send({ cmd: 'pubrel', messageId: 7 });
  await second.packet('pubcomp');
  assert.equal(rules.published.length, 1);
  second.send({ ...publish, dup: false });
  await second.packet('pubrec');
  assert.equal(rules.published.length, 2);
});

test('10,000 messages of QoS 1 among as many of QoS 0: every one of QoS 1 arrives', LIMIT, async (t) => {
  const broker = await TestBroker.start(t);
  const subscriber = await broker.client({ clientId: 'sub' });
  const seen = new Set<string>();
  subscriber.on('message', (_topic, payload) => {
    if (payload[0] === 0x71) seen.add(payload.toString());
  });
  await subscriber.subscribeAsync('x', { qos: 1 });
  const message = { topic: 'tenant/ta/x', retain: false, properties: {} };
  for (let n = 0; n < 10_000; n++) {
    await broker.broker.publish('ta', { ...message, qos: 1, payload: Buffer.from(`q${n}`) });
    await broker.broker.publish('ta', { ...message, qos: 0, payload: Buffer.from('z') });
  }
  await eventually(() => assert.equal(seen.size, 10_000), 60_000);
});

test('ten publishers, 10,000 acknowledged messages, a session on disk: none is lost', LIMIT, async (t) => {
  const broker = await TestBroker.start(t);
  const subscriber = await broker.client({ clientId: 'sub', clean: false });
  const seen = new Set<string>();
  subscriber.on('message', (_topic, payload) => seen.add(payload.toString()));
  await subscriber.subscribeAsync('x/#', { qos: 1 });
  const publishers = await Promise.all(Array.from({ length: 10 }, (_, n) => broker.client({ clientId: `p${n}` })));
  await Promise.all(
    publishers.map(async (publisher, p) => {
      const sent = Array.from({ length: 1_000 }, (_, n) => publisher.publishAsync(`x/${p}`, `${p}-${n}`, { qos: 1 }));
      await Promise.all(sent);
    }),
  );
  await eventually(() => assert.equal(seen.size, 10_000), 60_000);
});

test('a subscriber that does not read holds up nobody', LIMIT, async (t) => {
  const broker = await TestBroker.start(t, { limits: { outputBytes: 64 * 1024, queuedMessages: 100 } });
  const frozen = await (await broker.raw()).connect(4, { clientId: 'frozen' });
  frozen.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '#', qos: 1 }] });
  await frozen.packet('suback');
  frozen.socket.pause();
  const reader = await broker.client({ clientId: 'reader' });
  const messages = received(reader);
  await reader.subscribeAsync('#', { qos: 1 });
  const publisher = await broker.client({ clientId: 'pub' });
  const payload = 'x'.repeat(60_000);
  let slowest = 0;
  for (let n = 0; n < 300; n++) {
    const from = Date.now();
    await publisher.publishAsync('big', payload, { qos: 1 });
    slowest = Math.max(slowest, Date.now() - from);
  }
  await eventually(() => assert.equal(messages.length, 300), 30_000);
  const view = broker.broker.sessions('ta').find(({ clientId }) => clientId === 'frozen');
  assert.ok((view?.queued ?? 0) <= 200 && (view?.dropped ?? 0) > 0, JSON.stringify(view));
  t.diagnostic(`slowest acknowledgement beside a frozen subscriber: ${slowest} ms`);
});

test('a stopped broker has ended its connections and told the reason', LIMIT, async (t) => {
  const rules = new OpenRules();
  const broker = await TestBroker.start(t, { rules });
  const client = await (await broker.raw()).connect(5, { clientId: 'c' });
  await broker.stop();
  assert.equal((await client.packet('disconnect')).reasonCode, 0x8b);
  assert.equal(rules.ended[0]?.cause, 'ended');
});

test('an operator ends a connection', LIMIT, async (t) => {
  const broker = await TestBroker.start(t);
  const client = await (await broker.raw()).connect(5, { clientId: 'c' });
  assert.equal(broker.broker.disconnect('ta', 'nobody'), false);
  assert.equal(broker.broker.disconnect('TA', 'c'), true);
  assert.equal((await client.packet('disconnect')).reasonCode, 0x98);
});

test('MQTT over WebSocket', LIMIT, async (t) => {
  const broker = await TestBroker.start(t, { listener: { kind: 'ws' } });
  const client = await broker.client({ url: `ws://127.0.0.1:${broker.port}/mqtt`, clientId: 'ws' });
  const messages = received(client);
  await client.subscribeAsync('x');
  await client.publishAsync('x', 'm', { qos: 1 });
  await eventually(() => assert.deepEqual(messages, ['tenant/ta/x m']));
});
