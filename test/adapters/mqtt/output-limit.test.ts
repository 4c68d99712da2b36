import assert from 'node:assert/strict';
import { type Duplex, duplexPair } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import mqttPacket, { type Packet } from 'mqtt-packet';
import { eventually } from '../../support/eventually.ts';
import { OpenRules, TestBroker } from '../../support/mqtt-broker.ts';

const LIMIT = { timeout: 120_000 };

const OUTPUT_BYTES = 64 * 1024;
const CHUNK = Buffer.alloc(8 * 1024, Buffer.from([0xc0, 0]));
const CHUNKS = 64;

interface Pair {
  readonly server: Duplex;
  readonly client: Duplex;
}

/** A client over a stream without the buffers of a network, so that both ends show what waits in them. */
async function connected(broker: TestBroker): Promise<Pair> {
  const [server, client] = duplexPair();
  broker.broker.accept(server, '127.0.0.1');
  client.on('error', () => {});
  const connect = { cmd: 'connect', clientId: 'deaf', protocolId: 'MQTT', protocolVersion: 4, clean: true };
  client.write(mqttPacket.generate({ ...connect, keepalive: 1 } as Packet));
  await eventually(() => assert.equal(client.readableLength, 4));
  client.read();
  return { server, client };
}

test('a client that asks and does not read the answers is not read from until it does', LIMIT, async (t) => {
  const broker = await TestBroker.start(t, { limits: { outputBytes: OUTPUT_BYTES } });
  const { server, client } = await connected(broker);
  for (let n = 0; n < CHUNKS; n++) client.write(CHUNK);
  await eventually(() => assert.ok(server.isPaused() && server.writableLength > OUTPUT_BYTES));
  assert.ok(server.writableLength <= OUTPUT_BYTES + 2 * CHUNK.byteLength, `${server.writableLength}`);
  // Silent only because it is not read from: another one that is silent for its keep-alive goes, this one does not.
  const silent = await (await broker.raw()).connect(5, { clientId: 'silent', keepalive: 1 });
  assert.equal((await silent.packet('disconnect')).reasonCode, 0x8d);
  assert.equal(server.destroyed, false);
  let answered = 0;
  const unread = client.writableLength;
  while (server.writableLength > OUTPUT_BYTES / 2) {
    answered += (client.read(1024) as Buffer | null)?.byteLength ?? 0;
    await nextTurn();
  }
  await eventually(() => assert.ok(client.writableLength < unread, 'a part of the output has left'));
  client.on('data', (bytes: Buffer) => {
    answered += bytes.byteLength;
  });
  await eventually(() => assert.equal(answered, CHUNKS * CHUNK.byteLength));
  assert.equal(server.isPaused(), false);
});

test('a client that never reads the answers is cut off', LIMIT, async (t) => {
  const rules = new OpenRules();
  const broker = await TestBroker.start(t, { rules, limits: { outputBytes: OUTPUT_BYTES, stalledMs: 1_000 } });
  const { server, client } = await connected(broker);
  for (let n = 0; n < CHUNKS; n++) client.write(CHUNK);
  await eventually(() => assert.ok(server.isPaused()));
  await eventually(() => assert.equal(broker.broker.connectionCount(), 0));
  assert.equal(rules.ended[0]?.cause, 'lost');
  await eventually(() => assert.ok(server.destroyed));
});
