import mqttPacket, { type Packet, type Parser, type UserProperties } from 'mqtt-packet';
import type { UserPropertyList } from '../../core/mqtt-event.ts';
import type { BrokerMessage, MessageProperties, Qos } from '../../ports/broker.ts';

export type ProtocolVersion = 3 | 4 | 5;

/** A packet that breaks the protocol. `tooLarge` when only its size does. */
export class PacketFault extends Error {
  readonly tooLarge: boolean;

  constructor(message: string, tooLarge = false) {
    super(message);
    this.tooLarge = tooLarge;
  }
}

/** The parser's packet under construction: its length is known before its bytes are there. */
interface OpenParser extends Parser {
  readonly packet: { readonly length: number };
}

/** Bytes to packets. A packet is refused by its size before its bytes are collected. */
export class PacketReader {
  readonly #parser: OpenParser;
  readonly #maxBytes: number;
  #fault: PacketFault | undefined;

  constructor(maxBytes: number, onPacket: (packet: Packet) => void) {
    this.#maxBytes = maxBytes;
    this.#parser = mqttPacket.parser() as OpenParser;
    this.#parser.on('packet', (packet) => {
      if (this.#fault !== undefined) return;
      if ((packet.length ?? 0) > maxBytes) this.#fault = new PacketFault('packet too large', true);
      else onPacket(packet);
    });
    this.#parser.on('error', (error: unknown) => {
      this.#fault ??= new PacketFault(error instanceof Error ? error.message : 'malformed packet');
    });
  }

  /** @throws PacketFault; the packets before the faulty one were handed over. */
  read(chunk: Buffer): void {
    try {
      this.#parser.parse(chunk);
    } catch (error) {
      // The parser reads past the end of some malformed packets.
      this.#fault ??= new PacketFault(error instanceof Error ? error.message : 'malformed packet');
    }
    if (this.#parser.packet.length > this.#maxBytes) this.#fault ??= new PacketFault('packet too large', true);
    if (this.#fault !== undefined) throw this.#fault;
  }
}

/** The bytes of any packet but PUBLISH. */
export function encodePacket(packet: Packet, version: ProtocolVersion): Buffer {
  return mqttPacket.generate(packet, { protocolVersion: version });
}

/** PUBACK, PUBREC, PUBREL and PUBCOMP without a reason: the same four bytes in every version. */
export function encodeAck(cmd: 'puback' | 'pubrec' | 'pubrel' | 'pubcomp', packetId: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes[0] = ACK_HEADERS[cmd];
  bytes[1] = 2;
  bytes.writeUInt16BE(packetId, 2);
  return bytes;
}

const ACK_HEADERS = { puback: 0x40, pubrec: 0x50, pubrel: 0x62, pubcomp: 0x70 } as const;

/** A message on its way to one client. */
export interface OutgoingPublish {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: Qos;
  readonly retain: boolean;
  readonly dup: boolean;
  /** 0 with QoS 0. */
  readonly packetId: number;
}

/** PUBLISH of MQTT 3.1 and 3.1.1, written by hand: it is most of what a broker sends. */
export function encodePlainPublish(publish: OutgoingPublish): Buffer {
  const topicBytes = Buffer.byteLength(publish.topic);
  const withId = publish.qos > 0;
  const length = 2 + topicBytes + (withId ? 2 : 0) + publish.payload.byteLength;
  const head = length < 0x80 ? 2 : length < 0x4000 ? 3 : length < 0x200000 ? 4 : 5;
  const bytes = Buffer.allocUnsafe(head + length);
  bytes[0] = 0x30 | (publish.dup ? 8 : 0) | (publish.qos << 1) | (publish.retain ? 1 : 0);
  let at = writeLength(bytes, length);
  at = bytes.writeUInt16BE(topicBytes, at);
  at += bytes.write(publish.topic, at);
  if (withId) at = bytes.writeUInt16BE(publish.packetId, at);
  bytes.set(publish.payload, at);
  return bytes;
}

function writeLength(bytes: Buffer, length: number): number {
  let rest = length;
  let at = 1;
  do {
    const digit = rest & 0x7f;
    rest >>>= 7;
    bytes[at++] = rest > 0 ? digit | 0x80 : digit;
  } while (rest > 0);
  return at;
}

/** What MQTT 5 adds for one subscriber. */
export interface PublishExtras {
  readonly properties: MessageProperties;
  readonly identifiers: readonly number[];
  /** Seconds that are left; undefined for ever. */
  readonly expirySeconds: number | undefined;
  readonly topicAlias: number | undefined;
}

/** PUBLISH of MQTT 5. */
export function encodePublish5(publish: OutgoingPublish, extras: PublishExtras): Buffer {
  const { properties, identifiers, expirySeconds, topicAlias } = extras;
  return mqttPacket.generate(
    {
      cmd: 'publish',
      topic: publish.topic,
      payload: asBuffer(publish.payload),
      qos: publish.qos,
      retain: publish.retain,
      dup: publish.dup,
      ...(publish.qos > 0 ? { messageId: publish.packetId } : {}),
      properties: {
        ...optional('userProperties', toUserProperties(properties.userProperties)),
        ...optional('responseTopic', properties.responseTopic),
        ...optional('contentType', properties.contentType),
        ...optional('payloadFormatIndicator', properties.payloadFormatIndicator),
        ...(properties.correlationData === undefined ? {} : { correlationData: asBuffer(properties.correlationData) }),
        ...optional('messageExpiryInterval', expirySeconds),
        ...optional('topicAlias', topicAlias),
        ...(identifiers.length === 0 ? {} : { subscriptionIdentifier: [...identifiers] }),
      },
    },
    { protocolVersion: 5 },
  );
}

function optional<K extends string, V>(name: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [name]: value } as Record<K, V>);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** User Properties in the form of the packet library: names in order, values of a repeated one together. */
export function toUserProperties(list: UserPropertyList | undefined): UserProperties | undefined {
  if (list === undefined || list.length === 0) return undefined;
  const properties: UserProperties = Object.create(null) as UserProperties;
  for (const [name, value] of list) {
    const before = properties[name];
    properties[name] = before === undefined ? value : [before, value].flat();
  }
  return properties;
}

export function fromUserProperties(properties: UserProperties | undefined): UserPropertyList {
  if (properties === undefined) return [];
  return Object.entries(properties).flatMap(([name, values]) =>
    [values].flat().map((value): readonly [string, string] => [name, value]),
  );
}

/** What a PUBLISH, or the will of a CONNECT, says beside its payload. */
export function messagePropertiesOf(properties: PublishProperties | undefined): MessageProperties {
  if (properties === undefined) return NO_PROPERTIES;
  const userProperties = fromUserProperties(properties.userProperties);
  return {
    ...(userProperties.length === 0 ? {} : { userProperties }),
    ...optional('responseTopic', properties.responseTopic),
    ...(properties.correlationData === undefined ? {} : { correlationData: copied(properties.correlationData) }),
    ...optional('contentType', properties.contentType),
    ...optional('payloadFormatIndicator', properties.payloadFormatIndicator),
    ...optional('messageExpiryInterval', properties.messageExpiryInterval),
  };
}

const NO_PROPERTIES: MessageProperties = Object.freeze({});

interface PublishProperties {
  readonly payloadFormatIndicator?: boolean;
  readonly messageExpiryInterval?: number;
  readonly responseTopic?: string;
  readonly correlationData?: Buffer;
  readonly userProperties?: UserProperties;
  readonly contentType?: string;
}

/** A copy that outlives the chunk of the socket it came in. */
export function copied(bytes: Buffer | string): Uint8Array {
  return typeof bytes === 'string' ? new TextEncoder().encode(bytes) : new Uint8Array(bytes);
}

/** The size that a message takes while it waits. */
export function messageBytes(message: BrokerMessage): number {
  return message.payload.byteLength + message.topic.length + 200;
}
