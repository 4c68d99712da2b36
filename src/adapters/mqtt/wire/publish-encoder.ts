import type { MessageProperties, Qos } from '../../../ports/broker.ts';

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

/** What MQTT 5 adds for one subscriber. */
export interface PublishExtras {
  readonly properties: MessageProperties;
  readonly identifiers: readonly number[];
  /** Seconds that are left; undefined for ever. */
  readonly expirySeconds: number | undefined;
  readonly topicAlias: number | undefined;
}

/** PUBLISH of MQTT 3.1 and 3.1.1. */
export function encodePlainPublish(publish: OutgoingPublish): Buffer {
  return encode(publish, undefined);
}

/** PUBLISH of MQTT 5. User Properties keep their order [MQTT-3.3.2-18], so the packet library cannot write it. */
export function encodePublish5(publish: OutgoingPublish, extras: PublishExtras): Buffer {
  return encode(publish, encodeProperties(extras));
}

function encode(publish: OutgoingPublish, properties: Buffer | undefined): Buffer {
  const topicBytes = Buffer.byteLength(publish.topic);
  const withId = publish.qos > 0;
  const length = 2 + topicBytes + (withId ? 2 : 0) + (properties?.byteLength ?? 0) + publish.payload.byteLength;
  const bytes = Buffer.allocUnsafe(1 + numberBytes(length) + length);
  bytes[0] = 0x30 | (publish.dup ? 8 : 0) | (publish.qos << 1) | (publish.retain ? 1 : 0);
  let at = writeNumber(bytes, length, 1);
  at = bytes.writeUInt16BE(topicBytes, at);
  at += bytes.write(publish.topic, at);
  if (withId) at = bytes.writeUInt16BE(publish.packetId, at);
  if (properties !== undefined) {
    bytes.set(properties, at);
    at += properties.byteLength;
  }
  bytes.set(publish.payload, at);
  return bytes;
}

const NO_PROPERTIES = Buffer.from([0]);

/** The property length and the properties. */
function encodeProperties({ properties, identifiers, expirySeconds, topicAlias }: PublishExtras): Buffer {
  const parts: Buffer[] = [];
  if (properties.payloadFormatIndicator !== undefined) {
    parts.push(Buffer.from([0x01, properties.payloadFormatIndicator ? 1 : 0]));
  }
  if (expirySeconds !== undefined) parts.push(fourBytes(0x02, expirySeconds));
  if (properties.contentType !== undefined) parts.push(withLength(0x03, Buffer.from(properties.contentType)));
  if (properties.responseTopic !== undefined) parts.push(withLength(0x08, Buffer.from(properties.responseTopic)));
  if (properties.correlationData !== undefined) parts.push(withLength(0x09, properties.correlationData));
  for (const identifier of identifiers) {
    const part = Buffer.allocUnsafe(1 + numberBytes(identifier));
    part[0] = 0x0b;
    writeNumber(part, identifier, 1);
    parts.push(part);
  }
  if (topicAlias !== undefined) parts.push(Buffer.from([0x23, topicAlias >> 8, topicAlias & 0xff]));
  for (const [name, value] of properties.userProperties ?? []) {
    parts.push(withLength(0x26, Buffer.from(name)), withLength(undefined, Buffer.from(value)));
  }
  if (parts.length === 0) return NO_PROPERTIES;
  const length = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const head = Buffer.allocUnsafe(numberBytes(length));
  writeNumber(head, length, 0);
  return Buffer.concat([head, ...parts]);
}

/** A text or binary datum, after its identifier where it has one. */
function withLength(id: number | undefined, data: Uint8Array): Buffer {
  const at = id === undefined ? 0 : 1;
  const part = Buffer.allocUnsafe(at + 2 + data.byteLength);
  if (id !== undefined) part[0] = id;
  part.writeUInt16BE(data.byteLength, at);
  part.set(data, at + 2);
  return part;
}

function fourBytes(id: number, value: number): Buffer {
  const part = Buffer.allocUnsafe(5);
  part[0] = id;
  part.writeUInt32BE(value, 1);
  return part;
}

function numberBytes(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : 4;
}

/** @returns where it ends. */
function writeNumber(bytes: Buffer, value: number, from: number): number {
  let rest = value;
  let at = from;
  do {
    const digit = rest & 0x7f;
    rest >>>= 7;
    bytes[at++] = rest > 0 ? digit | 0x80 : digit;
  } while (rest > 0);
  return at;
}
