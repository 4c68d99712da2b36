import assert from 'node:assert/strict';
import { connect as connectTcp, type Socket } from 'node:net';
import mqttPacket, { type IConnackPacket, type IPublishPacket, type Packet } from 'mqtt-packet';

/** Bytes of a packet: its first byte, its length and what follows. */
export function frame(header: number, ...parts: readonly (Buffer | readonly number[])[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([header]), variable(body.byteLength), body]);
}

/** A number of variable length. */
export function variable(value: number): Buffer {
  const digits: number[] = [];
  let rest = value;
  do {
    const digit = rest % 128;
    rest = Math.floor(rest / 128);
    digits.push(rest > 0 ? digit | 0x80 : digit);
  } while (rest > 0);
  return Buffer.from(digits);
}

/** A text, or bytes that should be one, after their length. */
export function text(value: string | readonly number[]): Buffer {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([Buffer.from([bytes.byteLength >> 8, bytes.byteLength & 0xff]), bytes]);
}

/** Properties after their length. */
export function properties(...parts: readonly (Buffer | readonly number[])[]): Buffer {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([variable(bytes.byteLength), bytes]);
}

export interface ConnectBytes {
  readonly name?: string;
  readonly level?: number;
  readonly flags?: number;
  readonly properties?: Buffer;
  readonly clientId?: string | readonly number[];
  /** What follows the client id. */
  readonly rest?: Buffer;
}

/** A CONNECT, of MQTT 5 without anything else said. */
export function connectBytes(id: string, options: ConnectBytes = {}): Buffer {
  const { name = 'MQTT', level = 5, flags = 2, clientId = id } = options;
  const props = options.properties ?? (level === 5 ? properties() : Buffer.alloc(0));
  return frame(0x10, text(name), [level, flags, 0, 0], props, text(clientId), options.rest ?? Buffer.alloc(0));
}

export interface ConnectOptions {
  readonly clientId?: string;
  readonly clean?: boolean;
  readonly keepalive?: number;
  readonly will?: Record<string, unknown>;
  readonly properties?: Record<string, unknown>;
  readonly protocolVersion?: 3 | 4 | 5;
  readonly username?: string;
}

export interface PublishOptions {
  readonly qos?: 0 | 1 | 2;
  readonly retain?: boolean;
  readonly dup?: boolean;
  readonly properties?: Record<string, unknown>;
  readonly messageId?: number;
}

/** One connection. What comes is read by `mqtt-packet`, and kept as bytes, too. */
export class Wire {
  readonly packets: Packet[] = [];
  readonly #socket: Socket;
  readonly #received: Buffer[] = [];
  readonly #waitMs: number;
  #version: 3 | 4 | 5 = 5;
  #lastId = 0;
  #arrived = Promise.withResolvers<void>();
  #closed = false;
  connack: IConnackPacket = { cmd: 'connack', sessionPresent: false };

  constructor(socket: Socket, waitMs: number) {
    this.#socket = socket;
    this.#waitMs = waitMs;
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
  }

  static async open(host: string, port: number, waitMs: number): Promise<Wire> {
    const socket = connectTcp(port, host);
    await new Promise<void>((resolve, reject) => socket.once('connect', () => resolve()).once('error', reject));
    return new Wire(socket, waitMs);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#received);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Reads what comes from now on. */
  listen(version: 3 | 4 | 5 = 5): this {
    this.#version = version;
    const parser = mqttPacket.parser({ protocolVersion: version });
    parser.on('packet', (packet) => this.packets.push(packet));
    parser.on('error', () => {});
    this.#socket.on('data', (chunk: Buffer) => {
      this.#received.push(chunk);
      parser.parse(chunk);
      this.#wake();
    });
    return this;
  }

  send(packet: Packet): void {
    this.write(mqttPacket.generate(packet, { protocolVersion: this.#version }));
  }

  write(bytes: Buffer | readonly number[]): void {
    this.#socket.write(Buffer.from(bytes));
  }

  /** Without a DISCONNECT. */
  cut(): void {
    this.#socket.destroy();
  }

  async goodbye(reasonCode = 0, props: Record<string, unknown> = {}): Promise<void> {
    this.send({ cmd: 'disconnect', reasonCode, properties: props });
    await this.ended();
  }

  /** The next packet of a kind. */
  async next<C extends Packet['cmd']>(cmd: C): Promise<Extract<Packet, { cmd: C }>> {
    const deadline = performance.now() + this.#waitMs;
    for (;;) {
      const at = this.packets.findIndex((packet) => packet.cmd === cmd);
      if (at >= 0) return this.packets.splice(at, 1)[0] as Extract<Packet, { cmd: C }>;
      const seen = this.packets.map((packet) => packet.cmd).join(' ');
      assert.ok(!this.#closed, `closed without ${cmd}; there are: ${seen}`);
      await this.#wait(deadline, `no ${cmd}; there are: ${seen}`);
    }
  }

  /** Nothing of a kind has come by the time the server answers a ping. */
  async none(cmd: Packet['cmd']): Promise<void> {
    this.send({ cmd: 'pingreq' });
    await this.next('pingresp');
    assert.deepEqual(
      this.packets.filter((packet) => packet.cmd === cmd),
      [],
    );
  }

  async ended(): Promise<void> {
    const deadline = performance.now() + this.#waitMs;
    while (!this.#closed) await this.#wait(deadline, 'still connected');
  }

  /** The server says why and closes. */
  async refused(reasonCode: number): Promise<void> {
    const { reasonCode: told } = await this.next('disconnect');
    assert.equal(told, reasonCode);
    await this.ended();
  }

  /** @returns the granted codes. */
  async subscribe(filter: string, options: Record<string, unknown> = {}, props = {}): Promise<readonly number[]> {
    const subscription = { topic: filter, qos: 0, ...options } as never;
    this.send({ cmd: 'subscribe', messageId: this.nextId(), subscriptions: [subscription], properties: props });
    return (await this.next('suback')).granted as number[];
  }

  async unsubscribe(...filters: string[]): Promise<readonly number[]> {
    this.send({ cmd: 'unsubscribe', messageId: this.nextId(), unsubscriptions: filters });
    return (await this.next('unsuback')).granted as number[];
  }

  /** Publishes and goes through the whole exchange of its QoS; after QoS 0 comes a ping. */
  async publish(topic: string, payload: string, options: PublishOptions = {}): Promise<number> {
    const { qos = 0 } = options;
    const id = options.messageId ?? this.nextId();
    this.sendPublish(topic, payload, { ...options, messageId: id });
    if (qos === 0) {
      this.send({ cmd: 'pingreq' });
      await this.next('pingresp');
      return 0;
    }
    if (qos === 1) return (await this.next('puback')).reasonCode ?? 0;
    const { reasonCode = 0 } = await this.next('pubrec');
    if (reasonCode >= 0x80) return reasonCode;
    this.send({ cmd: 'pubrel', messageId: id });
    await this.next('pubcomp');
    return reasonCode;
  }

  sendPublish(topic: string, payload: string, options: PublishOptions = {}): void {
    const { qos = 0, retain = false, dup = false, properties: props, messageId } = options;
    const more = {
      ...(qos > 0 ? { messageId: messageId ?? this.nextId() } : {}),
      ...(props ? { properties: props } : {}),
    };
    this.send({ cmd: 'publish', topic, payload, qos, retain, dup, ...more } as IPublishPacket);
  }

  /** The next message, acknowledged as its QoS asks. */
  async message(): Promise<IPublishPacket> {
    const packet = await this.next('publish');
    const messageId = packet.messageId ?? 0;
    if (packet.qos === 1) this.send({ cmd: 'puback', messageId });
    if (packet.qos === 2) {
      this.send({ cmd: 'pubrec', messageId });
      await this.next('pubrel');
      this.send({ cmd: 'pubcomp', messageId });
    }
    return packet;
  }

  nextId(): number {
    return ++this.#lastId;
  }

  async #wait(deadline: number, problem: string): Promise<void> {
    const left = deadline - performance.now();
    assert.ok(left > 0, problem);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, left);
    });
    await Promise.race([this.#arrived.promise, late]);
    clearTimeout(timer);
  }

  #wake(): void {
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers();
  }
}
