import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Packet } from 'mqtt-packet';
import { eventually } from '../../support/eventually.ts';
import { OpenRules, type RawClient, received, TestBroker } from '../../support/mqtt-broker.ts';

const LIMIT = { timeout: 120_000 };

/** Rules whose gate keeps some messages until it is opened. */
class SlowGate extends OpenRules {
  readonly waiting: string[] = [];
  readonly #keeps: (payload: string) => boolean;
  readonly #opened = Promise.withResolvers<void>();

  constructor(t: TestContext, keeps: (payload: string) => boolean) {
    super();
    this.#keeps = keeps;
    // The broker waits for it when it stops.
    t.after(() => this.open());
  }

  open(): void {
    this.#opened.resolve();
  }

  override publish(...args: Parameters<OpenRules['publish']>): ReturnType<OpenRules['publish']> {
    const payload = Buffer.from(args[1].payload).toString();
    if (!this.#keeps(payload)) return super.publish(...args);
    this.waiting.push(payload);
    return this.#opened.promise.then(() => super.publish(...args));
  }
}

const slowM = (t: TestContext) => new SlowGate(t, (payload) => payload === 'm');
const PUBLISH = { cmd: 'publish', topic: 'x', payload: 'm', qos: 2, retain: false, dup: false, messageId: 7 } as const;
const STAYS = { clientId: 'dev', clean: false };
const STAYS_5 = { ...STAYS, properties: { sessionExpiryInterval: 600 } };

function will(willDelayInterval = 0): Record<string, unknown> {
  return {
    will: { topic: 'status', payload: Buffer.from('lost'), qos: 1, retain: false, properties: { willDelayInterval } },
  };
}

/** Sends a CONNECT and does not wait for its answer. */
async function ask(broker: TestBroker, version: 4 | 5, more: Record<string, unknown>): Promise<RawClient> {
  const client = (await broker.raw()).listen(version);
  const connect = { cmd: 'connect', protocolId: 'MQTT', protocolVersion: version, keepalive: 0, ...more };
  client.send(connect as Packet, version);
  return client;
}

async function watch(broker: TestBroker): Promise<string[]> {
  const watcher = await broker.client({ clientId: 'watcher' });
  const messages = received(watcher);
  await watcher.subscribeAsync('#', { qos: 1 });
  return messages;
}

/** A client whose message is in the gate. */
async function inGate(broker: TestBroker, rules: SlowGate, version: 4 | 5, more: Record<string, unknown>) {
  const client = await (await broker.raw()).connect(version, more);
  client.send(PUBLISH, version);
  await eventually(() => assert.deepEqual(rules.waiting, ['m']));
  return client;
}

for (const end of ['taken over', 'lost'] as const) {
  test(`${end} while its message of QoS 2 is in the gate: sent again, it is one message`, LIMIT, async (t) => {
    const rules = slowM(t);
    const broker = await TestBroker.start(t, { rules });
    const messages = await watch(broker);
    const first = await inGate(broker, rules, 4, STAYS);
    if (end === 'lost') first.socket.destroy();
    const second = await ask(broker, 4, STAYS);
    second.send({ ...PUBLISH, dup: true });
    await eventually(() => assert.ok(first.closed));
    // Its answer would have been here before that of a client that comes later.
    await (await broker.raw()).connect(4, { clientId: 'later' });
    assert.deepEqual(second.packets, []);
    rules.open();
    assert.equal((await second.packet('connack')).sessionPresent, true);
    await second.packet('pubrec');
    second.send({ ...PUBLISH, payload: 'end', messageId: 8 });
    await eventually(() => assert.deepEqual(messages, ['tenant/ta/x m', 'tenant/ta/x end']));
    assert.deepEqual(rules.waiting, ['m']);
  });
}

for (const clean of [true, false]) {
  test(`clean ${clean}: a will in the gate comes before what its client says when it is back`, LIMIT, async (t) => {
    const rules = new SlowGate(t, (payload) => payload === 'lost');
    const broker = await TestBroker.start(t, { rules });
    const messages = await watch(broker);
    const first = await (await broker.raw()).connect(4, { clientId: 'dev', clean, ...will() });
    first.socket.destroy();
    await eventually(() => assert.deepEqual(rules.waiting, ['lost']));
    const second = await ask(broker, 4, { clientId: 'dev', clean });
    second.send({ ...PUBLISH, qos: 1, payload: 'back' });
    await (await broker.raw()).connect(4, { clientId: 'later' });
    assert.deepEqual(messages, []);
    rules.open();
    await eventually(() => assert.deepEqual(messages, ['tenant/ta/status lost', 'tenant/ta/x back']));
  });
}

test('a will with a delay: none when the session is taken up, at once when it ends', LIMIT, async (t) => {
  const rules = slowM(t);
  const broker = await TestBroker.start(t, { rules });
  const messages = await watch(broker);
  await inGate(broker, rules, 5, { ...STAYS_5, ...will(300) });
  const second = await ask(broker, 5, { ...STAYS_5, ...will(300) });
  await (await broker.raw()).connect(4, { clientId: 'later' });
  rules.open();
  assert.equal((await second.packet('connack')).sessionPresent, true);
  second.send({ ...PUBLISH, qos: 1, payload: 'back' }, 5);
  await eventually(() => assert.deepEqual(messages, ['tenant/ta/x m', 'tenant/ta/x back']));
  const third = await (await broker.raw()).connect(5, { ...STAYS_5, clean: true });
  third.send({ ...PUBLISH, qos: 1, payload: 'new' }, 5);
  await eventually(() => assert.deepEqual(messages.slice(2), ['tenant/ta/status lost', 'tenant/ta/x new']));
});

test('a gate that takes too long: the newcomer is told to come again, and may', LIMIT, async (t) => {
  const rules = slowM(t);
  const broker = await TestBroker.start(t, { rules, limits: { takeoverMs: 200 } });
  await inGate(broker, rules, 5, STAYS_5);
  const second = await ask(broker, 5, STAYS_5);
  assert.equal((await second.packet('connack')).reasonCode, 0x89);
  await eventually(() => assert.ok(second.closed));
  rules.open();
  await eventually(() => assert.equal(rules.ended.length, 1));
  const third = await (await broker.raw()).connect(5, STAYS_5);
  third.send({ ...PUBLISH, dup: true }, 5);
  await third.packet('pubrec');
  assert.deepEqual(rules.waiting, ['m']);
});

test('a newcomer that goes before it was answered leaves nothing behind', LIMIT, async (t) => {
  const rules = slowM(t);
  const broker = await TestBroker.start(t, { rules });
  const first = await inGate(broker, rules, 4, STAYS);
  const second = await ask(broker, 4, STAYS);
  await eventually(() => assert.ok(first.closed));
  second.socket.destroy();
  // The first one is there until its message is answered.
  await eventually(() => assert.equal(broker.broker.connectionCount(), 1));
  rules.open();
  await eventually(() => assert.equal(broker.broker.connectionCount(), 0));
  assert.equal(rules.connectedClients.length, 1);
  assert.deepEqual(
    rules.ended.map(({ cause }) => cause),
    ['taken-over'],
  );
  assert.deepEqual(
    broker.broker.sessions('ta').map(({ clientId, online }) => [clientId, online]),
    [['dev', false]],
  );
});

test('of two newcomers that wait, the later one has the session in the end', LIMIT, async (t) => {
  const rules = slowM(t);
  const broker = await TestBroker.start(t, { rules });
  await inGate(broker, rules, 4, STAYS);
  const second = await ask(broker, 4, STAYS);
  await (await broker.raw()).connect(4, { clientId: 'later' });
  const third = await ask(broker, 4, STAYS);
  await (await broker.raw()).connect(4, { clientId: 'later still' });
  rules.open();
  await third.packet('connack');
  await eventually(() => assert.ok(second.closed));
  third.send({ ...PUBLISH, dup: true });
  await third.packet('pubrec');
  assert.deepEqual(rules.waiting, ['m']);
  const mine = rules.connectedClients.filter(({ clientId }) => clientId === 'dev').map(({ isOpen }) => isOpen());
  assert.deepEqual(mine, [false, false, true]);
});

test('a session whose time is over stays until its last message is answered', LIMIT, async (t) => {
  for (const comesBack of [true, false]) {
    await t.test(`its client comes back: ${comesBack}`, async (t) => {
      const rules = slowM(t);
      const broker = await TestBroker.start(t, { rules });
      const expiring = { clean: false, properties: { sessionExpiryInterval: 1 } };
      const first = await inGate(broker, rules, 5, { clientId: 'dev', ...expiring });
      const second = comesBack ? await ask(broker, 5, { clientId: 'dev', ...expiring }) : undefined;
      if (!comesBack) first.socket.destroy();
      await eventually(() => assert.ok(broker.broker.sessions('ta').every(({ online }) => !online)));
      const other = await (await broker.raw()).connect(5, { clientId: 'other', ...expiring });
      other.socket.destroy();
      const clients = () => broker.broker.sessions('ta').map(({ clientId }) => clientId);
      await eventually(() => assert.deepEqual(clients(), ['dev']));
      rules.open();
      // It was there in time; that it had to wait is not its fault.
      if (second !== undefined) assert.equal((await second.packet('connack')).sessionPresent, true);
      else await eventually(() => assert.deepEqual(clients(), []));
    });
  }
});
