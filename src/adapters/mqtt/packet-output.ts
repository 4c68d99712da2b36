import type { Duplex } from 'node:stream';
import type { Packet } from 'mqtt-packet';
import { shortTopic } from '../../core/mqtt-topic.ts';
import { filterReason } from './reason-codes.ts';
import type { SessionMessage } from './session.ts';
import { encodeAck, encodePacket } from './wire/packet-encoder.ts';
import type { ProtocolVersion } from './wire/packet-fault.ts';
import { encodePlainPublish, encodePublish5, type OutgoingPublish } from './wire/publish-encoder.ts';

export interface OutputOptions {
  readonly version: ProtocolVersion;
  readonly tenant: string;
  readonly shortTopics: boolean;
  /** Largest packet that the client takes. Bytes. */
  readonly maxPacketBytes: number;
  /** Topic aliases that the client keeps; 0 for none. */
  readonly maxAliases: number;
  /** The client wants reason strings with its acknowledgements [MQTT-3.1.2-29]. */
  readonly saysWhy: boolean;
  /** Bytes that may wait in the socket before messages wait in the session instead. */
  readonly highWater: number;
  now(): number;
}

/** What stands for a topic; `known` when the client has been told. */
interface Alias {
  readonly number: number;
  readonly known: boolean;
}

/** A packet of more is not copied into those that leave with it. Bytes. */
const MOST_COPIED_BYTES = 16 * 1024;

/** Bytes of one PUBLISH with QoS 0 that are the same for many subscribers of a version, by their message. */
const SHARED_BYTES = new WeakMap<object, Buffer>();
const SHARED_BYTES5 = new WeakMap<object, Buffer>();

/** For `nextTick`, which takes arguments: a closure for every turn would be garbage. */
let flush: (output: PacketOutput) => void;

/** The way out of one connection: packets in the client's version, bounded by bytes. */
export class PacketOutput {
  readonly #stream: Duplex;
  #options: OutputOptions | undefined;
  readonly #aliases = new Map<string, number>();
  /** What this turn has written so far. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** When the output filled up; undefined while it is not full. Milliseconds UTC. */
  blockedSince: number | undefined;

  constructor(stream: Duplex) {
    this.#stream = stream;
  }

  configure(options: OutputOptions): void {
    this.#options = options;
  }

  canSend(): boolean {
    const { highWater = 0, now } = this.#options ?? {};
    if (this.#stream.destroyed) return false;
    if (this.#waitingBytes < highWater) {
      this.blockedSince = undefined;
      return true;
    }
    this.blockedSince ??= now?.();
    return false;
  }

  /** True while more bytes wait than may: the client sends what has to be answered and does not read the answers. */
  get isOverfull(): boolean {
    return this.#options !== undefined && this.#waitingBytes > this.#options.highWater;
  }

  get #waitingBytes(): number {
    return this.#stream.writableLength + this.#pendingBytes;
  }

  /** @returns false when the client takes no packet of that size; a reason string is left out before that. */
  send(packet: Packet, version: ProtocolVersion = this.#options?.version ?? 4): boolean {
    const most = this.#options?.maxPacketBytes ?? Number.POSITIVE_INFINITY;
    let bytes = encodePacket(packet, version);
    if (bytes.byteLength > most && 'properties' in packet && packet.properties !== undefined) {
      const { reasonString: _, ...properties } = packet.properties as { reasonString?: string };
      bytes = encodePacket({ ...packet, properties } as Packet, version);
    }
    if (bytes.byteLength > most) return false;
    this.#write(bytes);
    return true;
  }

  ack(cmd: 'puback' | 'pubrec' | 'pubrel' | 'pubcomp', packetId: number, reasonCode = 0, reason = ''): void {
    if (this.#options?.version !== 5 || (reasonCode === 0 && reason === '')) {
      this.#write(encodeAck(cmd, packetId));
      return;
    }
    this.send({ cmd, messageId: packetId, reasonCode, ...this.#why(reason) });
  }

  /** Answers for the filters of a packet, in order. @returns false when the client takes no packet of that size. */
  grant(cmd: 'suback' | 'unsuback', packetId: number, granted: number[]): boolean {
    const why = this.#options?.version === 5 ? this.#why(filterReason(granted)) : {};
    return this.send({ cmd, messageId: packetId, granted, ...why });
  }

  #why(reason: string): { properties?: { reasonString: string } } {
    return reason === '' || this.#options?.saysWhy !== true ? {} : { properties: { reasonString: reason } };
  }

  /** @returns false when the client takes no packet of that size. */
  publish(outgoing: SessionMessage, packetId: number, dup: boolean): boolean {
    const options = this.#options;
    if (options === undefined) return true;
    if (options.version !== 5) {
      return this.#writeWithin(options, this.#encodePlain(options, outgoing, packetId, dup));
    }
    if (isSame5(options, outgoing)) return this.#writeWithin(options, this.#encodeShared5(options, outgoing));
    const publish = this.#outgoing(options, outgoing, packetId, dup);
    const { topic } = publish;
    const alias = this.#aliasOf(topic, options.maxAliases);
    if (alias !== undefined && this.#writeWithin(options, this.#encode5(options, publish, outgoing, alias))) {
      // Only now: the client knows no alias of a packet that it did not get.
      this.#aliases.set(topic, alias.number);
      return true;
    }
    // An alias makes a packet with a short topic, and the first one of any topic, longer.
    return this.#writeWithin(options, this.#encode5(options, publish, outgoing, undefined));
  }

  #writeWithin({ maxPacketBytes }: OutputOptions, bytes: Buffer): boolean {
    if (bytes.byteLength > maxPacketBytes) return false;
    this.#write(bytes);
    return true;
  }

  #outgoing(options: OutputOptions, outgoing: SessionMessage, packetId: number, dup: boolean): OutgoingPublish {
    const { message, qos, retain } = outgoing;
    return { topic: this.#shown(options, message.topic), payload: message.payload, qos, retain, dup, packetId };
  }

  #encodePlain(options: OutputOptions, outgoing: SessionMessage, packetId: number, dup: boolean): Buffer {
    const { message, qos, retain } = outgoing;
    const isShared = qos === 0 && !retain && !options.shortTopics;
    const known = isShared ? SHARED_BYTES.get(message) : undefined;
    if (known !== undefined) return known;
    const bytes = encodePlainPublish(this.#outgoing(options, outgoing, packetId, dup));
    if (isShared) SHARED_BYTES.set(message, bytes);
    return bytes;
  }

  #encodeShared5(options: OutputOptions, outgoing: SessionMessage): Buffer {
    const known = SHARED_BYTES5.get(outgoing.message);
    if (known !== undefined) return known;
    const bytes = this.#encode5(options, this.#outgoing(options, outgoing, 0, false), outgoing, undefined);
    SHARED_BYTES5.set(outgoing.message, bytes);
    return bytes;
  }

  #encode5(
    options: OutputOptions,
    publish: OutgoingPublish,
    { message, identifiers, expiresAt }: SessionMessage,
    alias: Alias | undefined,
  ): Buffer {
    const { responseTopic } = message.properties;
    return encodePublish5(
      { ...publish, topic: alias?.known ? '' : publish.topic },
      {
        properties:
          responseTopic === undefined
            ? message.properties
            : { ...message.properties, responseTopic: this.#shown(options, responseTopic) },
        identifiers,
        expirySeconds: expiresAt === undefined ? undefined : Math.max(1, Math.ceil((expiresAt - options.now()) / 1000)),
        topicAlias: alias?.number,
      },
    );
  }

  /** The first topics get the aliases; they are the busy ones of a device. */
  #aliasOf(topic: string, most: number): Alias | undefined {
    const number = this.#aliases.get(topic);
    if (number !== undefined) return { number, known: true };
    return this.#aliases.size < most ? { number: this.#aliases.size + 1, known: false } : undefined;
  }

  #shown({ shortTopics, tenant }: OutputOptions, topic: string): string {
    return shortTopics ? shortTopic(topic, tenant) : topic;
  }

  /** Everything written before leaves, and then the stream ends. */
  end(): void {
    this.#flush();
    this.#stream.end();
  }

  /** Everything written in one turn leaves in one system call, as one piece: a stream pays for every piece. */
  #write(bytes: Buffer): void {
    if (this.#stream.destroyed || this.#stream.writableEnded) return;
    if (this.#pending.length === 0) process.nextTick(flush, this);
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.byteLength;
    if (bytes.byteLength > MOST_COPIED_BYTES) this.#flush();
  }

  #flush(): void {
    const [pending, length] = [this.#pending, this.#pendingBytes];
    if (length === 0) return;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (this.#stream.destroyed || this.#stream.writableEnded) return;
    const last = pending.at(-1) as Buffer;
    const isLarge = last.byteLength > MOST_COPIED_BYTES;
    const small = isLarge ? pending.slice(0, -1) : pending;
    if (small.length > 0) this.#stream.write(small.length === 1 ? small[0] : Buffer.concat(small));
    if (isLarge) this.#stream.write(last);
  }

  static {
    flush = (output) => output.#flush();
  }
}

/** True where nothing of the PUBLISH is this subscriber's own: no packet id, alias, identifier or time that runs. */
function isSame5({ shortTopics, maxAliases }: OutputOptions, outgoing: SessionMessage): boolean {
  const { qos, retain, identifiers, expiresAt } = outgoing;
  return (
    qos === 0 && !retain && !shortTopics && maxAliases === 0 && identifiers.length === 0 && expiresAt === undefined
  );
}
