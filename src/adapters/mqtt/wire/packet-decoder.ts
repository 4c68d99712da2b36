import type { Qos } from '../../../ports/broker.ts';
import { REASON } from '../reason-codes.ts';
import type {
  AckPacket,
  AskedFilter,
  ClientPacket,
  DisconnectPacket,
  PublishPacket,
  SubscribePacket,
  UnsubscribePacket,
} from './client-packet.ts';
import { PacketBytes } from './packet-bytes.ts';
import { malformed, PacketFault, type ProtocolVersion, protocolError } from './packet-fault.ts';
import { NO_PROPERTIES, readProperties } from './packet-properties.ts';

const ACKS = { 4: 'puback', 5: 'pubrec', 6: 'pubrel', 7: 'pubcomp' } as const;

const PUBLISHED_CODES = new Set([0, 0x10, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99]);
const RELEASED_CODES = new Set([0, REASON.packetIdUnknown]);
/** Reason codes of a DISCONNECT that a client may send (MQTT 5, 3.14.2.1). */
const DISCONNECT_CODES = new Set([0, 4, 0x80, 0x81, 0x82, 0x83, 0x90, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99]);

/** Flags that a packet type must have; a PUBLISH has its own [MQTT-2.1.3-1]. */
const FLAGS: Readonly<Record<number, number>> = { 6: 2, 8: 2, 10: 2 };

/**
 * Reads one packet of a client after its CONNECT.
 * @param header its first byte. @param body what follows its length.
 * @throws PacketFault for everything that a single packet can do wrong.
 */
export function decodePacket(header: number, body: Buffer, version: ProtocolVersion): ClientPacket {
  const type = header >> 4;
  if (type === 3) return decodePublish(header & 0xf, new PacketBytes(body), version);
  checkFlags(type, header & 0xf);
  const bytes = new PacketBytes(body);
  const packet = decodeByType(type, bytes, version);
  bytes.end();
  return packet;
}

/** @throws PacketFault for flags that the type does not have. */
export function checkFlags(type: number, flags: number): void {
  if (flags !== (FLAGS[type] ?? 0)) throw malformed('reserved flags');
}

function decodeByType(type: number, bytes: PacketBytes, version: ProtocolVersion): ClientPacket {
  switch (type) {
    case 4:
    case 5:
    case 6:
    case 7:
      return decodeAck(ACKS[type], bytes, version);
    case 8:
      return decodeSubscribe(bytes, version);
    case 10:
      return decodeUnsubscribe(bytes, version);
    case 12:
      return { cmd: 'pingreq' };
    case 14:
      return decodeDisconnect(bytes, version);
    case 0:
      throw malformed('packet type 0');
    default:
      // Those that only a server sends, and AUTH, which nobody has begun [MQTT-4.12.0-7].
      throw protocolError(`packet type ${type}`);
  }
}

function decodePublish(flags: number, bytes: PacketBytes, version: ProtocolVersion): PublishPacket {
  const qos = (flags >> 1) & 3;
  const dup = (flags & 8) !== 0;
  if (qos === 3) throw malformed('QoS 3');
  if (qos === 0 && dup) throw malformed('DUP with QoS 0');
  const topic = bytes.text();
  if (/[#+]/.test(topic)) throw new PacketFault(REASON.topicInvalid, 'a topic with wildcards');
  const packetId = qos === 0 ? 0 : packetIdOf(bytes);
  const properties = version === 5 ? readProperties(bytes, 'publish') : NO_PROPERTIES;
  if (topic === '' && properties.topicAlias === undefined) throw protocolError('no topic');
  const retain = (flags & 1) !== 0;
  return { cmd: 'publish', qos: qos as Qos, retain, dup, topic, packetId, properties, payload: bytes.rest() };
}

function packetIdOf(bytes: PacketBytes): number {
  const packetId = bytes.twoBytes();
  if (packetId === 0) throw protocolError('packet id 0');
  return packetId;
}

function decodeAck(cmd: AckPacket['cmd'], bytes: PacketBytes, version: ProtocolVersion): AckPacket {
  const packetId = packetIdOf(bytes);
  if (version !== 5 || bytes.left === 0) return { cmd, packetId, reasonCode: 0 };
  const reasonCode = bytes.byte();
  const codes = cmd === 'puback' || cmd === 'pubrec' ? PUBLISHED_CODES : RELEASED_CODES;
  if (!codes.has(reasonCode)) throw protocolError(`reason ${reasonCode} in ${cmd}`);
  if (bytes.left > 0) readProperties(bytes, 'ack');
  return { cmd, packetId, reasonCode };
}

function decodeSubscribe(bytes: PacketBytes, version: ProtocolVersion): SubscribePacket {
  const packetId = packetIdOf(bytes);
  const properties = version === 5 ? readProperties(bytes, 'subscribe') : NO_PROPERTIES;
  const filters: AskedFilter[] = [];
  while (bytes.left > 0) filters.push(decodeFilter(bytes, version));
  if (filters.length === 0) throw protocolError('SUBSCRIBE without filters');
  return { cmd: 'subscribe', packetId, properties, filters };
}

function decodeFilter(bytes: PacketBytes, version: ProtocolVersion): AskedFilter {
  const filter = bytes.text();
  const options = bytes.byte();
  if ((options & (version === 5 ? 0xc0 : 0xfc)) !== 0) throw malformed('reserved options of a subscription');
  const qos = options & 3;
  const retainHandling = options >> 4;
  if (qos === 3 || retainHandling === 3) throw protocolError('QoS or retain handling 3');
  const noLocal = (options & 4) !== 0;
  if (noLocal && filter.startsWith('$share/')) throw protocolError('no local with a shared subscription');
  return {
    filter,
    qos: qos as Qos,
    noLocal,
    retainAsPublished: (options & 8) !== 0,
    retainHandling: retainHandling as AskedFilter['retainHandling'],
  };
}

function decodeUnsubscribe(bytes: PacketBytes, version: ProtocolVersion): UnsubscribePacket {
  const packetId = packetIdOf(bytes);
  const properties = version === 5 ? readProperties(bytes, 'unsubscribe') : NO_PROPERTIES;
  const filters: string[] = [];
  while (bytes.left > 0) filters.push(bytes.text());
  if (filters.length === 0) throw protocolError('UNSUBSCRIBE without filters');
  return { cmd: 'unsubscribe', packetId, properties, filters };
}

function decodeDisconnect(bytes: PacketBytes, version: ProtocolVersion): DisconnectPacket {
  if (version !== 5 || bytes.left === 0) return { cmd: 'disconnect', reasonCode: 0, properties: NO_PROPERTIES };
  const reasonCode = bytes.byte();
  if (!DISCONNECT_CODES.has(reasonCode)) throw protocolError(`reason ${reasonCode} in DISCONNECT`);
  const properties = bytes.left > 0 ? readProperties(bytes, 'disconnect') : NO_PROPERTIES;
  return { cmd: 'disconnect', reasonCode, properties };
}
