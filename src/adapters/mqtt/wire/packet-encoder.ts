import mqttPacket, { type Packet } from 'mqtt-packet';
import type { ProtocolVersion } from './packet-fault.ts';

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
