import type { JsonObject, JsonValue } from './json.ts';
import { parseJson } from './json-text.ts';

/** Every `V8.EventName` of the broker (mq-mqtt.md 6.7). */
export const MQTT_EVENTS = [
  'StartServer',
  'Connected',
  'Disconnected',
  'Subscribing',
  'MessageReceived',
  'MessageChanged',
  'StopServer',
] as const;

export type MqttEventName = (typeof MQTT_EVENTS)[number];

/** Name and value of MQTT 5 User Properties in their order; a name may repeat. */
export type UserPropertyList = readonly (readonly [string, string])[];

/** What an event knows; the rest is null, or 0 and false, as on the platform. */
export interface MqttEventFacts {
  readonly tenant: string;
  readonly clientId?: string;
  readonly userName?: string | undefined;
  readonly topic?: string;
  readonly payload?: Uint8Array;
  readonly qos?: 0 | 1 | 2;
  readonly retain?: boolean;
  readonly userProperties?: UserPropertyList | undefined;
  readonly responseTopic?: string | undefined;
  readonly contentType?: string | undefined;
  readonly correlationData?: Uint8Array | undefined;
  readonly payloadFormatIndicator?: boolean | undefined;
  readonly messageExpiryInterval?: number | undefined;
  /** Counts the connections of this host; a later one of the same client has a higher number. */
  readonly epoch?: number;
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * `V8.MQTT` of an event. `Payload` is the parsed JSON, or the text where it is none, or null where it is empty.
 * `PayloadBase64`, `UserPropertyList`, `ConnectionEpoch` and the MQTT 5 members are additions of ours.
 */
export function mqttEventParam(facts: MqttEventFacts): JsonObject {
  const { userProperties } = facts;
  return {
    ClientId: facts.clientId ?? null,
    Topic: facts.topic ?? null,
    ...payloadMembers(facts.payload),
    OsClient: facts.tenant,
    UserName: facts.userName ?? null,
    Qos: facts.qos ?? 0,
    Retain: facts.retain ?? false,
    UserProperties: firstValues(userProperties),
    UserPropertyList: (userProperties ?? []).map(([Name, Value]) => ({ Name, Value })),
    ResponseTopic: facts.responseTopic ?? null,
    CorrelationData: facts.correlationData === undefined ? null : base64(facts.correlationData),
    ContentType: facts.contentType ?? null,
    PayloadFormatIndicator: facts.payloadFormatIndicator === undefined ? null : Number(facts.payloadFormatIndicator),
    MessageExpiryInterval: facts.messageExpiryInterval ?? null,
    ConnectionEpoch: facts.epoch ?? null,
  };
}

/** A payload as text and as value. Bytes that are no UTF-8 come complete as Base64, too. */
export function payloadMembers(payload: Uint8Array | undefined): JsonObject {
  if (payload === undefined) return { Payload: null, PayloadRaw: null, PayloadBase64: null };
  const text = UTF8.decode(payload);
  return { Payload: payloadValue(text), PayloadRaw: text, PayloadBase64: isUtf8(payload) ? null : base64(payload) };
}

function payloadValue(text: string): JsonValue {
  if (text === '') return null;
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : text;
}

/** The first value of a repeated name; names keep their case. Null without any. */
function firstValues(list: UserPropertyList | undefined): JsonObject | null {
  if (list === undefined || list.length === 0) return null;
  const first = new Map<string, string>();
  for (const [name, value] of list) if (!first.has(name) && name !== '__proto__') first.set(name, value);
  return Object.fromEntries(first);
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    STRICT_UTF8.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
