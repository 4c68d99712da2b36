import type { IConnectPacket, IPublishPacket, Packet } from 'mqtt-packet';
import { REASON } from './reason-codes.ts';

/** Properties that one packet may have once only; the packet library makes a list of a repeated one. */
const REPEATABLE = new Set(['userProperties', 'subscriptionIdentifier']);

/** The protocol's fault of a packet that the packet library let pass, as a reason code of MQTT 5. */
export function packetFault(packet: Packet): number | undefined {
  const properties = 'properties' in packet ? packet.properties : undefined;
  if (properties !== undefined) {
    for (const [name, value] of Object.entries(properties)) {
      if (Array.isArray(value) && !REPEATABLE.has(name)) return REASON.protocolError;
      if (typeof value === 'string' && isBadText(value)) return REASON.malformed;
      if (value === null || value === undefined) return REASON.malformed;
    }
  }
  switch (packet.cmd) {
    case 'connect':
      return connectFault(packet);
    case 'publish':
      return publishFault(packet);
    case 'subscribe':
      return packet.messageId === 0 || packet.subscriptions.length === 0 ? REASON.protocolError : undefined;
    case 'unsubscribe':
      return packet.messageId === 0 || packet.unsubscriptions.length === 0 ? REASON.protocolError : undefined;
    default:
      return undefined;
  }
}

function connectFault(packet: IConnectPacket): number | undefined {
  if (isBadText(packet.clientId) || isBadText(packet.username ?? '')) return REASON.malformed;
  const { receiveMaximum, maximumPacketSize } = packet.properties ?? {};
  return receiveMaximum === 0 || maximumPacketSize === 0 ? REASON.protocolError : undefined;
}

function publishFault(packet: IPublishPacket): number | undefined {
  const { qos, messageId, dup, topic, properties } = packet;
  if (qos > 0 && (messageId ?? 0) === 0) return REASON.protocolError;
  if (qos === 0 && dup) return REASON.malformed;
  if (isBadText(topic)) return REASON.malformed;
  if (/[#+]/.test(topic)) return REASON.topicInvalid;
  if (properties?.topicAlias === 0) return REASON.aliasInvalid;
  if (properties?.subscriptionIdentifier !== undefined) return REASON.protocolError;
  if (properties?.responseTopic !== undefined && /[#+]/.test(properties.responseTopic)) return REASON.protocolError;
  return topic === '' && properties?.topicAlias === undefined ? REASON.protocolError : undefined;
}

/** NUL may not occur (MQTT-1.5.4-2); U+FFFD is what invalid UTF-8 was read as. */
function isBadText(text: string): boolean {
  return text.includes('\0') || text.includes('\ufffd');
}
