/** Messages of devices, and their form as bytes for a store or another host. */
import type { JsonValue } from './json.ts';
import type { UserPropertyList } from './mqtt-event.ts';

export type Qos = 0 | 1 | 2;

/** What MQTT 5 says beside the payload; carried from end to end. */
export interface MessageProperties {
  readonly userProperties?: UserPropertyList;
  readonly responseTopic?: string;
  readonly correlationData?: Uint8Array;
  readonly contentType?: string;
  readonly payloadFormatIndicator?: boolean;
  /** Seconds. */
  readonly messageExpiryInterval?: number;
}

/** A message of a tenant. Its topic and response topic are canonical once the rules have seen it. */
export interface BrokerMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: Qos;
  readonly retain: boolean;
  readonly properties: MessageProperties;
}

/** What stands before the two byte strings, as JSON. */
interface Head {
  readonly message: Omit<BrokerMessage, 'payload' | 'properties'>;
  readonly properties: Omit<MessageProperties, 'correlationData'>;
  /** Bytes of the correlation data; null without any. */
  readonly correlation: number | null;
  readonly extra: JsonValue;
}

const HEAD_LENGTH_BYTES = 4;

/** A message as bytes: length of the head, head, correlation data, payload. @param extra what else is to be kept. */
export function packMessage({ payload, properties, ...message }: BrokerMessage, extra: JsonValue): Uint8Array {
  const { correlationData, ...plain } = properties;
  const correlation = correlationData?.byteLength ?? null;
  const head: Head = { message, properties: plain, correlation, extra };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const start = HEAD_LENGTH_BYTES + text.byteLength;
  const bytes = new Uint8Array(start + (correlation ?? 0) + payload.byteLength);
  new DataView(bytes.buffer).setUint32(0, text.byteLength);
  bytes.set(text, HEAD_LENGTH_BYTES);
  if (correlationData !== undefined) bytes.set(correlationData, start);
  bytes.set(payload, start + (correlation ?? 0));
  return bytes;
}

/** What `packMessage` made. @throws SyntaxError, RangeError for other bytes. */
export function unpackMessage(bytes: Uint8Array): { readonly message: BrokerMessage; readonly extra: JsonValue } {
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
  const start = HEAD_LENGTH_BYTES + length;
  const text = new TextDecoder().decode(bytes.subarray(HEAD_LENGTH_BYTES, start));
  const { message, properties, correlation, extra } = JSON.parse(text) as Head;
  const payloadAt = start + (correlation ?? 0);
  const data = correlation === null ? {} : { correlationData: bytes.slice(start, payloadAt) };
  const whole = { ...message, payload: bytes.slice(payloadAt), properties: { ...properties, ...data } };
  return { message: whole, extra };
}
