import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import mqttPacket, { type IConnackPacket, type Packet } from 'mqtt-packet';
import { AppError } from '../../core/errors.ts';
import type { MqttLink, MqttLinkMessage, MqttLinkOptions } from '../../ports/mqtt-link.ts';

/** Of one answer of the broker. Milliseconds. */
const ANSWER_MS = 10_000;
/** Seconds. */
const KEEP_ALIVE = 30;
const VERSION = { protocolVersion: 5 } as const;
/** From this reason code on the broker says no (MQTT 5, 2.4). */
const REFUSED = 0x80;

/**
 * Connects to a broker with MQTT 5 and a clean start, for the command line. @returns undefined when the broker refuses
 * the connection. @throws AppError HOST_UNREACHABLE when it is not reached or does not answer.
 */
export async function openMqttLink(options: MqttLinkOptions): Promise<MqttLink | undefined> {
  const link = new SocketLink(options);
  return (await link.connect()) ? link : undefined;
}

class SocketLink implements MqttLink {
  readonly closed: Promise<void>;
  readonly #options: MqttLinkOptions;
  readonly #socket: Socket;
  readonly #parser = mqttPacket.parser(VERSION);
  /** Who waits for which answer: `connack`, or a packet's name and id. */
  readonly #waiting = new Map<string, (packet: Packet) => void>();
  readonly #ping: NodeJS.Timeout;
  #failure = 'closed';
  #nextId = 0;

  constructor(options: MqttLinkOptions) {
    this.#options = options;
    const { hostname, port, protocol } = new URL(options.url);
    const place = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
    this.#socket = protocol === 'mqtts:' ? connectTls({ ...place, servername: place.host }) : connectTcp(place);
    this.#socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#failure = error.code ?? error.message;
    });
    this.closed = new Promise((resolve) => this.#socket.once('close', () => resolve()));
    this.#parser.on('packet', (packet: Packet) => this.#take(packet));
    this.#parser.on('error', () => this.breakOff());
    this.#socket.on('data', (bytes: Buffer) => this.#parser.parse(bytes));
    this.#ping = setInterval(() => this.#send({ cmd: 'pingreq' }), (KEEP_ALIVE * 1000) / 2);
    void this.closed.then(() => clearInterval(this.#ping));
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  async connect(): Promise<boolean> {
    const { user, password, clientId, will } = this.#options;
    const answer = this.#answer('connack');
    this.#send({
      cmd: 'connect',
      protocolId: 'MQTT',
      ...VERSION,
      clean: true,
      keepalive: KEEP_ALIVE,
      clientId,
      username: user,
      password: Buffer.from(password),
      ...(will === undefined ? {} : { will: { ...will, payload: Buffer.from(will.payload) } }),
    });
    const { reasonCode = 0 } = (await answer) as IConnackPacket;
    if (reasonCode >= REFUSED) this.breakOff();
    return reasonCode < REFUSED;
  }

  async subscribe(filter: string, qos: 0 | 1 | 2): Promise<boolean> {
    const messageId = this.#id();
    const answer = this.#answer(`suback ${messageId}`);
    this.#send({ cmd: 'subscribe', messageId, subscriptions: [{ topic: filter, qos }] });
    return isGranted(await answer);
  }

  async unsubscribe(filter: string): Promise<boolean> {
    const messageId = this.#id();
    const answer = this.#answer(`unsuback ${messageId}`);
    this.#send({ cmd: 'unsubscribe', messageId, unsubscriptions: [filter] });
    const { granted } = (await answer) as { granted?: readonly number[] };
    return granted?.[0] === 0;
  }

  async publish({ topic, payload, qos, retain, responseTopic }: MqttLinkMessage): Promise<boolean> {
    const messageId = this.#id();
    const answer = qos === 0 ? undefined : this.#answer(`puback ${messageId}`);
    this.#send({
      cmd: 'publish',
      topic,
      payload: Buffer.from(payload),
      qos,
      retain,
      dup: false,
      ...(qos === 0 ? {} : { messageId }),
      properties: responseTopic === undefined ? {} : { responseTopic },
    });
    if (answer === undefined) return true;
    const { reasonCode = 0 } = (await answer) as { reasonCode?: number };
    return reasonCode < REFUSED;
  }

  async end(): Promise<void> {
    if (this.isOpen) this.#socket.end(mqttPacket.generate({ cmd: 'disconnect', reasonCode: 0 }, VERSION));
    await this.closed;
  }

  breakOff(): void {
    this.#socket.destroy();
  }

  #take(packet: Packet): void {
    if (packet.cmd === 'publish') {
      this.#received(packet);
      return;
    }
    const key = packet.cmd === 'connack' ? 'connack' : `${packet.cmd} ${packet.messageId}`;
    this.#waiting.get(key)?.(packet);
    this.#waiting.delete(key);
  }

  #received(packet: Extract<Packet, { cmd: 'publish' }>): void {
    const { topic, payload, qos, retain, messageId = 0, properties } = packet;
    const responseTopic = properties?.responseTopic;
    this.#options.onMessage?.({
      topic,
      payload: typeof payload === 'string' ? Buffer.from(payload) : payload,
      qos,
      retain,
      ...(responseTopic === undefined ? {} : { responseTopic }),
    });
    if (qos === 1) this.#send({ cmd: 'puback', messageId, reasonCode: 0 });
  }

  /** @throws AppError HOST_UNREACHABLE when the connection or the patience is over first. */
  #answer(key: string): Promise<Packet> {
    return new Promise((resolve, reject) => {
      const fail = (reason: string): void => {
        this.#waiting.delete(key);
        reject(new AppError('HOST_UNREACHABLE', { url: this.#options.url, reason }));
      };
      const timer = setTimeout(() => fail('no answer'), ANSWER_MS);
      void this.closed.then(() => {
        clearTimeout(timer);
        fail(this.#failure);
      });
      this.#waiting.set(key, (packet) => {
        clearTimeout(timer);
        resolve(packet);
      });
    });
  }

  #send(packet: Packet): void {
    if (this.isOpen) this.#socket.write(mqttPacket.generate(packet, VERSION));
  }

  /** 1 to 65,535, over and over. */
  #id(): number {
    this.#nextId = (this.#nextId % 65_535) + 1;
    return this.#nextId;
  }
}

function isGranted(packet: Packet): boolean {
  const { granted } = packet as { granted?: readonly (number | { qos: number })[] };
  return Number(granted?.[0] ?? REFUSED) < REFUSED;
}
