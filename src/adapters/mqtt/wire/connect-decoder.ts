import type { Qos } from '../../../ports/broker.ts';
import { REASON } from '../reason-codes.ts';
import type { ConnectPacket, WillOfConnect } from './client-packet.ts';
import type { PacketBytes } from './packet-bytes.ts';
import { malformed, PacketFault, type ProtocolVersion, protocolError } from './packet-fault.ts';
import { NO_PROPERTIES, readProperties } from './packet-properties.ts';

/** The bits of the CONNECT flags (MQTT 5, 3.1.2.3). */
const FLAG = { reserved: 1, clean: 2, will: 4, willRetain: 0x20, password: 0x40, userName: 0x80 } as const;

/** Set in the version by a Mosquitto bridge. */
const BRIDGE = 0x80;

/** Reads a CONNECT. @throws PacketFault with `connectVersion` as soon as the version is known. */
export function decodeConnect(bytes: PacketBytes): ConnectPacket {
  const name = bytes.text();
  if (name !== 'MQTT' && name !== 'MQIsdp') throw new PacketFault(REASON.unsupportedVersion, 'another protocol');
  const level = bytes.byte();
  const version = versionOf(name, level & ~BRIDGE);
  const isBridge = (level & BRIDGE) !== 0;
  if (isBridge && version === 5) throw new PacketFault(REASON.unsupportedVersion, 'bridge of version 5', 5);
  try {
    return { ...decodeRest(bytes, version), isBridge };
  } catch (error) {
    if (error instanceof PacketFault) throw new PacketFault(error.reasonCode, error.message, version);
    throw error;
  }
}

/** A version that we do not speak is refused in the words of the nearest that we do [MQTT-3.1.2-2]. */
function versionOf(name: string, level: number): ProtocolVersion {
  if (name === 'MQIsdp' ? level === 3 : level === 4 || level === 5) return level as ProtocolVersion;
  throw new PacketFault(REASON.unsupportedVersion, `version ${level} of ${name}`, level > 5 ? 5 : 4);
}

function decodeRest(bytes: PacketBytes, version: ProtocolVersion): Omit<ConnectPacket, 'isBridge'> {
  const flags = bytes.byte();
  checkFlags(flags, version);
  const keepAlive = bytes.twoBytes();
  const properties = version === 5 ? readProperties(bytes, 'connect') : NO_PROPERTIES;
  if (properties.authenticationData !== undefined && properties.authenticationMethod === undefined) {
    throw protocolError('authentication data without a method');
  }
  const packet = {
    cmd: 'connect',
    version,
    clean: (flags & FLAG.clean) !== 0,
    keepAlive,
    properties,
    clientId: bytes.text(),
    will: (flags & FLAG.will) === 0 ? undefined : decodeWill(bytes, flags, version),
    userName: (flags & FLAG.userName) === 0 ? undefined : bytes.text(),
    password: (flags & FLAG.password) === 0 ? undefined : bytes.binary(),
  } as const;
  bytes.end();
  return packet;
}

function checkFlags(flags: number, version: ProtocolVersion): void {
  if ((flags & FLAG.reserved) !== 0) throw malformed('a reserved flag of CONNECT');
  const will = flags & (FLAG.willRetain | (3 << 3));
  if ((flags & FLAG.will) === 0 && will !== 0) throw malformed('QoS or retain of a will that is not there');
  if (willQos(flags) === 3) throw malformed('QoS 3 of a will');
  const passwordAlone = (flags & FLAG.password) !== 0 && (flags & FLAG.userName) === 0;
  // MQTT 3.1.1, [MQTT-3.1.2-22]; MQTT 5 allows it.
  if (version !== 5 && passwordAlone) throw malformed('a password without a user name');
}

function willQos(flags: number): number {
  return (flags >> 3) & 3;
}

function decodeWill(bytes: PacketBytes, flags: number, version: ProtocolVersion): WillOfConnect {
  const properties = version === 5 ? readProperties(bytes, 'will') : NO_PROPERTIES;
  const topic = bytes.text();
  const qos = willQos(flags) as Qos;
  return { topic, payload: bytes.binary(), qos, retain: (flags & FLAG.willRetain) !== 0, properties };
}
