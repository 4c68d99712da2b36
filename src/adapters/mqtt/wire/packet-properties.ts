import type { UserPropertyList } from '../../../core/mqtt-event.ts';
import { REASON } from '../reason-codes.ts';
import type { PacketBytes } from './packet-bytes.ts';
import { malformed, PacketFault, protocolError } from './packet-fault.ts';

/** Everything that a client may say in the properties of MQTT 5 (2.2.2.2). */
export interface PacketProperties {
  readonly userProperties?: UserPropertyList;
  readonly payloadFormatIndicator?: boolean;
  /** Seconds. */
  readonly messageExpiryInterval?: number;
  readonly contentType?: string;
  readonly responseTopic?: string;
  readonly correlationData?: Buffer;
  readonly subscriptionIdentifier?: number;
  /** Seconds. */
  readonly sessionExpiryInterval?: number;
  readonly authenticationMethod?: string;
  readonly authenticationData?: Buffer;
  readonly requestProblemInformation?: boolean;
  /** Seconds. */
  readonly willDelayInterval?: number;
  readonly requestResponseInformation?: boolean;
  readonly reasonString?: string;
  readonly receiveMaximum?: number;
  readonly topicAliasMaximum?: number;
  readonly topicAlias?: number;
  /** Bytes. */
  readonly maximumPacketSize?: number;
}

/** Where properties stand. */
export type PropertyPlace = 'connect' | 'will' | 'publish' | 'ack' | 'subscribe' | 'unsubscribe' | 'disconnect';

interface PropertyRule {
  readonly name: keyof PacketProperties;
  readonly places: readonly PropertyPlace[];
  read(bytes: PacketBytes): unknown;
  /** The reason code for 0 where that is forbidden. */
  readonly zero?: number;
}

const USER_PROPERTY = 0x26;

/** What only a server says in a PUBLISH [MQTT-3.3.4-6]. */
const SUBSCRIPTION_IDENTIFIER = 0x0b;

const MESSAGE = ['publish', 'will'] as const;
const { protocolError: PROTOCOL_ERROR, aliasInvalid: ALIAS_INVALID } = REASON;

const RULES: Readonly<Record<number, PropertyRule>> = {
  1: { name: 'payloadFormatIndicator', places: MESSAGE, read: flag },
  2: { name: 'messageExpiryInterval', places: MESSAGE, read: (bytes) => bytes.fourBytes() },
  3: { name: 'contentType', places: MESSAGE, read: (bytes) => bytes.text() },
  8: { name: 'responseTopic', places: MESSAGE, read: topicName },
  9: { name: 'correlationData', places: MESSAGE, read: (bytes) => bytes.binary() },
  [SUBSCRIPTION_IDENTIFIER]: {
    name: 'subscriptionIdentifier',
    places: ['subscribe'],
    read: (bytes) => bytes.variableNumber(),
    zero: PROTOCOL_ERROR,
  },
  17: { name: 'sessionExpiryInterval', places: ['connect', 'disconnect'], read: (bytes) => bytes.fourBytes() },
  21: { name: 'authenticationMethod', places: ['connect'], read: (bytes) => bytes.text() },
  22: { name: 'authenticationData', places: ['connect'], read: (bytes) => bytes.binary() },
  23: { name: 'requestProblemInformation', places: ['connect'], read: flag },
  24: { name: 'willDelayInterval', places: ['will'], read: (bytes) => bytes.fourBytes() },
  25: { name: 'requestResponseInformation', places: ['connect'], read: flag },
  31: { name: 'reasonString', places: ['ack', 'disconnect'], read: (bytes) => bytes.text() },
  33: { name: 'receiveMaximum', places: ['connect'], read: (bytes) => bytes.twoBytes(), zero: PROTOCOL_ERROR },
  34: { name: 'topicAliasMaximum', places: ['connect'], read: (bytes) => bytes.twoBytes() },
  35: { name: 'topicAlias', places: ['publish'], read: (bytes) => bytes.twoBytes(), zero: ALIAS_INVALID },
  39: { name: 'maximumPacketSize', places: ['connect'], read: (bytes) => bytes.fourBytes(), zero: PROTOCOL_ERROR },
};

export const NO_PROPERTIES: PacketProperties = Object.freeze({});

/** Reads the properties of a packet of MQTT 5. @throws PacketFault. */
export function readProperties(packet: PacketBytes, place: PropertyPlace): PacketProperties {
  const length = packet.variableNumber();
  if (length === 0) return NO_PROPERTIES;
  const bytes = packet.part(length);
  const found: Record<string, unknown> = {};
  const userProperties: [string, string][] = [];
  while (bytes.left > 0) {
    const id = bytes.variableNumber();
    if (id === USER_PROPERTY) userProperties.push([bytes.text(), bytes.text()]);
    else readProperty(id, bytes, place, found);
  }
  if (userProperties.length > 0) found.userProperties = userProperties;
  return found;
}

function readProperty(id: number, bytes: PacketBytes, place: PropertyPlace, found: Record<string, unknown>): void {
  const rule = RULES[id];
  if (id === SUBSCRIPTION_IDENTIFIER && place === 'publish') throw protocolError('a subscription identifier');
  if (rule === undefined || !rule.places.includes(place)) throw malformed(`property ${id} in ${place}`);
  if (rule.name in found) throw protocolError(`property ${id} twice`);
  const value = rule.read(bytes);
  if (value === 0 && rule.zero !== undefined) throw new PacketFault(rule.zero, `property ${id} is 0`);
  found[rule.name] = value;
}

function flag(bytes: PacketBytes): boolean {
  const value = bytes.byte();
  if (value > 1) throw protocolError('a flag that is neither 0 nor 1');
  return value === 1;
}

/** A response topic is one to publish to [MQTT-3.3.2-14]. */
function topicName(bytes: PacketBytes): string {
  const topic = bytes.text();
  if (/[#+]/.test(topic)) throw protocolError('a response topic with wildcards');
  return topic;
}
