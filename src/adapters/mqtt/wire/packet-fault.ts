import { REASON } from '../reason-codes.ts';

export type ProtocolVersion = 3 | 4 | 5;

/** A packet that breaks the protocol: its sender loses the connection. */
export class PacketFault extends Error {
  /** Of MQTT 5, for the DISCONNECT or CONNACK. */
  readonly reasonCode: number;
  /** Of a CONNECT whose version could be read: it is answered with a CONNACK. */
  readonly connectVersion: ProtocolVersion | undefined;

  constructor(reasonCode: number, message: string, connectVersion?: ProtocolVersion) {
    super(message);
    this.reasonCode = reasonCode;
    this.connectVersion = connectVersion;
  }
}

/** What cannot be read as a packet (MQTT 5, 1.2). */
export function malformed(what: string): PacketFault {
  return new PacketFault(REASON.malformed, what);
}

/** What can be read and may not be said (MQTT 5, 1.2). */
export function protocolError(what: string): PacketFault {
  return new PacketFault(REASON.protocolError, what);
}
