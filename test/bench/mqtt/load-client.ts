import { connect, type Socket } from 'node:net';
import mqttPacket, { type Packet } from 'mqtt-packet';

/** How a client logs in. */
export interface Login {
  readonly port: number;
  readonly version: 4 | 5;
  readonly username?: string;
  readonly password?: string;
}

/**
 * A client that costs as little as possible, because it shares the machine with the broker: it looks at the first byte
 * and the length of a packet, and at nothing else.
 */
export class LoadClient {
  received = 0;
  acknowledged = 0;
  onProgress: () => void = () => {};
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #ready: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', () => {});
  }

  static async open(clientId: string, { port, version, username, password }: Login): Promise<LoadClient> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await new Promise<void>((resolve, reject) => socket.once('connect', () => resolve()).once('error', reject));
    const client = new LoadClient(socket);
    const login = username === undefined ? {} : { username, password: Buffer.from(password ?? '') };
    const hello = { cmd: 'connect', protocolId: 'MQTT', protocolVersion: version, clientId, clean: true, keepalive: 0 };
    await client.#ask({ ...hello, ...login } as Packet, version);
    return client;
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  subscribe(topic: string, qos: 0 | 1, version: 4 | 5): Promise<void> {
    return this.#ask({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos }] }, version);
  }

  write(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  end(): void {
    this.#socket.destroy();
  }

  #ask(packet: Packet, protocolVersion: 4 | 5): Promise<void> {
    this.#socket.write(mqttPacket.generate(packet, { protocolVersion }));
    return new Promise((resolve) => {
      this.#ready = resolve;
    });
  }

  #read(chunk: Buffer): void {
    const bytes = this.#rest.byteLength === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const acks: Buffer[] = [];
    let at = 0;
    for (;;) {
      const second = bytes[at + 1];
      if (second === undefined) break;
      const third = bytes[at + 2] ?? 0;
      const body = second < 0x80 ? at + 2 : at + 3;
      const end = body + (second < 0x80 ? second : (second & 0x7f) + third * 0x80);
      if (end > bytes.byteLength) break;
      this.#packet(bytes, at, body, acks);
      at = end;
    }
    this.#rest = bytes.subarray(at);
    if (acks.length > 0) this.#socket.write(Buffer.concat(acks));
    this.onProgress();
  }

  #packet(bytes: Buffer, at: number, body: number, acks: Buffer[]): void {
    const first = bytes[at] ?? 0;
    const type = first >> 4;
    if (type === 2 || type === 9) this.#ready?.();
    else if (type === 4) this.acknowledged++;
    else if (type === 3) {
      this.received++;
      if ((first & 6) === 0) return;
      const id = body + 2 + bytes.readUInt16BE(body);
      acks.push(Buffer.from([0x40, 2, bytes[id] ?? 0, bytes[id + 1] ?? 0]));
    }
  }
}
