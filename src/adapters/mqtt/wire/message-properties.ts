import type { MessageProperties } from '../../../ports/broker.ts';
import { NO_PROPERTIES, type PacketProperties } from './packet-properties.ts';

const NONE: MessageProperties = Object.freeze({});

/** What a PUBLISH, or the will of a CONNECT, says beside its payload, in the form that outlives the packet. */
export function messagePropertiesOf(properties: PacketProperties): MessageProperties {
  if (properties === NO_PROPERTIES) return NONE;
  const { userProperties, responseTopic, correlationData, contentType } = properties;
  const { payloadFormatIndicator, messageExpiryInterval } = properties;
  return {
    ...(userProperties === undefined ? {} : { userProperties }),
    ...(responseTopic === undefined ? {} : { responseTopic }),
    ...(correlationData === undefined ? {} : { correlationData: copied(correlationData) }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(payloadFormatIndicator === undefined ? {} : { payloadFormatIndicator }),
    ...(messageExpiryInterval === undefined ? {} : { messageExpiryInterval }),
  };
}

/** A copy that outlives the chunk of the socket it came in. */
export function copied(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes);
}
