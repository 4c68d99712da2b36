import { type Duplex, duplexPair } from 'node:stream';
import mqttPacket, { type Packet } from 'mqtt-packet';
import type { MqttBroker } from '../../src/adapters/mqtt/mqtt-broker.ts';

const BEAT_MS = 100;

/** A client of the tenant that is not attacked: it takes everything it may, and times its own messages. */
export class Witness {
  readonly foreign: string[] = [];
  slowestMs = 0;
  readonly #client: Duplex;
  readonly #timer: NodeJS.Timeout;
  #beats = 0;
  #heard = 0;
  #sentAt = 0;

  private constructor(client: Duplex) {
    this.#client = client;
    this.#timer = setInterval(() => this.#beat(), BEAT_MS);
  }

  static async connect(broker: MqttBroker): Promise<Witness> {
    const [server, client] = duplexPair();
    const witness = new Witness(client);
    const ready = Promise.withResolvers<void>();
    const parser = mqttPacket.parser({ protocolVersion: 5 });
    parser.on('packet', (packet) => {
      if (packet.cmd === 'suback') ready.resolve();
      if (packet.cmd === 'publish') witness.#hear(packet.topic, packet.payload.toString());
    });
    client.on('error', () => {}).on('data', (chunk: Buffer) => parser.parse(chunk));
    broker.accept(server, '192.0.2.2');
    const account = { username: 'tb', password: Buffer.from('secret-of-tb') };
    const hello = {
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 5,
      clientId: 'dev-1',
      clean: true,
      keepalive: 0,
    };
    witness.#send({ ...hello, ...account } as Packet);
    const subscriptions = ['#', '+/+', 'a/#'].map((topic) => ({ topic, qos: 0 as const, nl: false, rap: true, rh: 0 }));
    witness.#send({ cmd: 'subscribe', messageId: 1, subscriptions });
    await ready.promise;
    return witness;
  }

  /** @returns what it saw. */
  async end(): Promise<Pick<Witness, 'foreign' | 'slowestMs'>> {
    clearInterval(this.#timer);
    // Its last message must come back, too.
    for (let turn = 0; turn < 100 && this.#heard < this.#beats; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    if (this.#heard < this.#beats) this.slowestMs = Number.POSITIVE_INFINITY;
    this.#client.destroy();
    return { foreign: this.foreign, slowestMs: this.slowestMs };
  }

  #beat(): void {
    if (this.#heard < this.#beats) return;
    this.#sentAt = performance.now();
    this.#send({ cmd: 'publish', topic: 'beat', payload: `${++this.#beats}`, qos: 0, retain: false, dup: false });
  }

  #hear(topic: string, payload: string): void {
    if (topic === 'tenant/tb/beat' && payload === String(this.#beats)) {
      this.#heard++;
      this.slowestMs = Math.max(this.slowestMs, performance.now() - this.#sentAt);
    } else {
      this.foreign.push(`${topic} ${payload.slice(0, 100)}`);
    }
  }

  #send(packet: Packet): void {
    this.#client.write(mqttPacket.generate(packet, { protocolVersion: 5 }));
  }
}
