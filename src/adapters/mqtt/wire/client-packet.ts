import type { Qos } from '../../../ports/broker.ts';
import type { ProtocolVersion } from './packet-fault.ts';
import type { PacketProperties } from './packet-properties.ts';

/** The packets that a client sends, as they are after every rule that one packet alone can break. */
export type ClientPacket =
  | ConnectPacket
  | PublishPacket
  | AckPacket
  | SubscribePacket
  | UnsubscribePacket
  | DisconnectPacket
  | { readonly cmd: 'pingreq' };

export interface ConnectPacket {
  readonly cmd: 'connect';
  readonly version: ProtocolVersion;
  readonly clean: boolean;
  /** Seconds; 0 for none. */
  readonly keepAlive: number;
  readonly clientId: string;
  readonly will: WillOfConnect | undefined;
  readonly userName: string | undefined;
  readonly password: Buffer | undefined;
  readonly properties: PacketProperties;
  /** A Mosquitto bridge, which wants messages as they were published and none of its own. */
  readonly isBridge: boolean;
}

export interface WillOfConnect {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: Qos;
  readonly retain: boolean;
  readonly properties: PacketProperties;
}

export interface PublishPacket {
  readonly cmd: 'publish';
  readonly qos: Qos;
  readonly retain: boolean;
  readonly dup: boolean;
  /** Empty where an alias stands for it. */
  readonly topic: string;
  /** 0 with QoS 0. */
  readonly packetId: number;
  readonly properties: PacketProperties;
  /** Part of what the socket read: to be copied by whoever keeps it. */
  readonly payload: Buffer;
}

export interface AckPacket {
  readonly cmd: 'puback' | 'pubrec' | 'pubrel' | 'pubcomp';
  readonly packetId: number;
  readonly reasonCode: number;
}

export interface SubscribePacket {
  readonly cmd: 'subscribe';
  readonly packetId: number;
  readonly properties: PacketProperties;
  readonly filters: readonly AskedFilter[];
}

export interface AskedFilter {
  readonly filter: string;
  readonly qos: Qos;
  readonly noLocal: boolean;
  readonly retainAsPublished: boolean;
  /** 0 always, 1 for a new subscription, 2 never (MQTT 5, 3.8.3.1). */
  readonly retainHandling: 0 | 1 | 2;
}

export interface UnsubscribePacket {
  readonly cmd: 'unsubscribe';
  readonly packetId: number;
  readonly properties: PacketProperties;
  readonly filters: readonly string[];
}

export interface DisconnectPacket {
  readonly cmd: 'disconnect';
  readonly reasonCode: number;
  readonly properties: PacketProperties;
}
