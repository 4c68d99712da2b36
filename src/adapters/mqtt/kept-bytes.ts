import type { BrokerMessage, MessageProperties } from '../../ports/broker.ts';

/** What the broker holds for a session beside its subscriptions, its will and its messages. Bytes, rounded up. */
export const SESSION_BYTES = 2_000;

/** What a subscription takes beside its filter: its record and its place in the tree. Bytes, rounded up. */
const SUBSCRIPTION_BYTES = 1_000;

/** What a message takes beside its texts and payload. Bytes, rounded up. */
const MESSAGE_BYTES = 200;

/** The size that a message takes while it is kept. Properties count: a client may put all its bytes there. */
export function messageBytes({ payload, topic, properties }: BrokerMessage): number {
  return payload.byteLength + topic.length + propertyBytes(properties) + MESSAGE_BYTES;
}

export function subscriptionBytes(filter: string): number {
  return filter.length + SUBSCRIPTION_BYTES;
}

function propertyBytes({ userProperties, responseTopic, correlationData, contentType }: MessageProperties): number {
  let bytes = (responseTopic?.length ?? 0) + (correlationData?.byteLength ?? 0) + (contentType?.length ?? 0);
  for (const [name, value] of userProperties ?? []) bytes += name.length + value.length + MESSAGE_BYTES;
  return bytes;
}
