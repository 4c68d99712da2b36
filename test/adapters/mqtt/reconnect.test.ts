/** A thousand devices that come back at once, as after the restart of a broker. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import mqttPacket, { type IConnackPacket, type Packet } from 'mqtt-packet';
import { eventually } from '../../support/eventually.ts';
import { OpenRules, TestBroker } from '../../support/mqtt-broker.ts';
import { tempDir } from '../../support/temp-dir.ts';

const DEVICES = 1_000;

/** Connects, subscribes to its own topic unless its session did, acknowledges what comes and notes it. */
class Device {
  readonly messages: string[] = [];
  connack: IConnackPacket | undefined;
  closed = false;
  readonly #socket: Socket;

  constructor(t: TestContext, port: number, n: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    t.after(() => this.#socket.destroy());
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.closed = true;
    });
    const parser = mqttPacket.parser({ protocolVersion: 4 });
    parser.on('packet', (packet: Packet) => this.#take(packet, n));
    this.#socket.on('data', (chunk) => parser.parse(chunk as Buffer));
    const hello = { protocolId: 'MQTT', protocolVersion: 4, clean: false, keepalive: 0 } as const;
    this.#send({ cmd: 'connect', clientId: `device-${n}`, ...hello });
  }

  #take(packet: Packet, n: number): void {
    if (packet.cmd === 'connack') {
      this.connack = packet;
      if (packet.sessionPresent) return;
      this.#send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: `to/${n}`, qos: 1 }] });
    } else if (packet.cmd === 'publish') {
      this.messages.push(String(packet.payload));
      this.#send({ cmd: 'puback', messageId: packet.messageId as number });
    }
  }

  #send(packet: Packet): void {
    this.#socket.write(mqttPacket.generate(packet));
  }
}

function allAtOnce(t: TestContext, broker: TestBroker): Device[] {
  return Array.from({ length: DEVICES }, (_, n) => new Device(t, broker.port, n));
}

const message = (n: number) => {
  const payload = Buffer.from(`m${n}`);
  return { topic: `tenant/ta/to/${n}`, payload, qos: 1, retain: false, properties: {} } as const;
};

test('a thousand devices reconnect at once to their sessions, and each gets its own messages', async (t) => {
  const dir = tempDir(t);
  const first = await TestBroker.start(t, { dir });
  const before = allAtOnce(t, first);
  const subscriptions = () =>
    first.broker.sessions('ta').filter((session) => session.subscriptions.length === 1).length;
  await eventually(() => assert.equal(subscriptions(), DEVICES), 60_000);
  await first.stop();
  await eventually(() => assert.ok(before.every(({ closed }) => closed)));

  const rules = new OpenRules();
  const second = await TestBroker.start(t, { dir, rules });
  for (let n = 0; n < DEVICES; n++) await second.broker.publish('ta', message(n));
  const back = allAtOnce(t, second);
  await eventually(() => assert.ok(back.every(({ messages }) => messages.length === 1)), 60_000);
  assert.ok(back.every(({ connack }) => connack?.sessionPresent === true));
  assert.deepEqual(
    back.map(({ messages }) => messages[0]),
    Array.from({ length: DEVICES }, (_, n) => `m${n}`),
  );
  // And once more without a goodbye: each connection takes its client's former one over.
  const again = allAtOnce(t, second);
  await eventually(() => assert.ok(again.every(({ connack }) => connack !== undefined)), 60_000);
  await eventually(() => assert.ok(back.every(({ closed }) => closed)));
  assert.equal(second.broker.connectionCount(), DEVICES);
  assert.equal(rules.ended.filter(({ cause }) => cause === 'taken-over').length, DEVICES);
  await eventually(() => assert.ok(second.broker.sessions('ta').every(({ queued }) => queued === 0)));
});
