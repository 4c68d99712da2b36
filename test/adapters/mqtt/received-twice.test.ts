import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { OpenRules, type RawClient, TestBroker } from '../../support/mqtt-broker.ts';
import { tempDir } from '../../support/temp-dir.ts';

const LIMIT = { timeout: 120_000 };

const PUBLISH = { cmd: 'publish', topic: 'x', payload: 'm', qos: 2, retain: false, dup: false } as const;

/** A connection of MQTT 5 to a session that stays. */
async function connect5(broker: TestBroker): Promise<RawClient> {
  const more = { clientId: 'two', clean: false, properties: { sessionExpiryInterval: 60 } };
  return (await broker.raw()).connect(5, more);
}

test('QoS 2: a message that is sent again is acknowledged only when the first one is on disk', LIMIT, async (t) => {
  const dir = tempDir(t);
  const rules = new OpenRules();
  const broker = await TestBroker.start(t, { dir, rules });
  const session = { clientId: 'two', clean: false };
  const other = new DatabaseSync(join(dir, 'host.db'));
  t.after(() => other.close());
  const clients = [await (await broker.raw()).connect(4, session)];
  other.exec('BEGIN IMMEDIATE');
  clients[0]?.send({ ...PUBLISH, messageId: 7 });
  await eventually(() => assert.ok(clients[0]?.closed));
  clients.push(await (await broker.raw()).connect(4, session));
  clients[1]?.send({ ...PUBLISH, messageId: 7, dup: true });
  await eventually(() => assert.ok(clients[1]?.closed));
  assert.deepEqual(
    clients.map(({ packets }) => packets.map(({ cmd }) => cmd)),
    [[], []],
  );
  other.exec('ROLLBACK');
  const third = await (await broker.raw()).connect(4, session);
  third.send({ ...PUBLISH, messageId: 7, dup: true });
  await third.packet('pubrec');
  assert.deepEqual(
    other
      .prepare('SELECT PacketId FROM mqtt_received')
      .all()
      .map((row) => row.PacketId),
    [7],
  );
  assert.equal(rules.published.length, 1);
});

test('receive maximum: a message that is sent again counts once, in a new connection, too', LIMIT, async (t) => {
  const broker = await TestBroker.start(t, { limits: { receiveMaximum: 2 } });
  const first = await connect5(broker);
  for (const dup of [false, true, true]) {
    first.send({ ...PUBLISH, messageId: 1, dup }, 5);
    await first.packet('pubrec');
  }
  first.send({ ...PUBLISH, messageId: 2 }, 5);
  await first.packet('pubrec');
  first.socket.destroy();
  const second = await connect5(broker);
  for (const messageId of [1, 2]) {
    second.send({ ...PUBLISH, messageId, dup: true }, 5);
    await second.packet('pubrec');
  }
  second.send({ ...PUBLISH, messageId: 3 }, 5);
  assert.equal((await second.packet('disconnect')).reasonCode, 0x93);
});

test('receive maximum: a release of an earlier message makes no room in a new connection', LIMIT, async (t) => {
  const broker = await TestBroker.start(t, { limits: { receiveMaximum: 2 } });
  const first = await connect5(broker);
  first.send({ ...PUBLISH, messageId: 1 }, 5);
  await first.packet('pubrec');
  first.socket.destroy();
  const second = await connect5(broker);
  for (const messageId of [2, 3]) {
    second.send({ ...PUBLISH, messageId }, 5);
    await second.packet('pubrec');
  }
  second.send({ cmd: 'pubrel', messageId: 1 }, 5);
  await second.packet('pubcomp');
  second.send({ cmd: 'pubrel', messageId: 2 }, 5);
  await second.packet('pubcomp');
  second.send({ ...PUBLISH, messageId: 4 }, 5);
  await second.packet('pubrec');
  second.send({ ...PUBLISH, messageId: 5 }, 5);
  assert.equal((await second.packet('disconnect')).reasonCode, 0x93);
});
