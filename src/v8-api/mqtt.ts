/** V8.MQTT.Publish: messages to the tenant's devices. An addition of ours; the platform's scripts cannot publish. */
import { type DosResult, succeed } from '../core/dos-result.ts';
import { AppError } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { DownlinkDraft } from '../ports/downlink.ts';
import { type Call, hostCall } from './host-call.ts';

export const MQTT = { 'MQTT.Publish': hostCall(publish) } as const;

/**
 * Publish({Topic, Payload, Qos?, Retain?, ResponseTopic?, ContentType?, UserProperties?}) or
 * Publish(topic, payload, qos?, retain?). Data.Subscribers is how many sessions have subscribed to the topic now,
 * null while the broker of another host is not reached: the message is stored all the same.
 */
async function publish(call: Call): Promise<DosResult> {
  const draft = readDraft(call.args);
  call.context.touch(draft.topic.slice(0, 200));
  const subscribers = await call.context.publishToDevices(draft);
  return succeed({ Subscribers: subscribers });
}

function readDraft(args: readonly JsonValue[]): DownlinkDraft {
  const [first, payload, qos, retain] = args;
  const param = isJsonObject(first) ? first : positional(first, { Payload: payload, Qos: qos, Retain: retain });
  const { Topic: topic } = param;
  if (typeof topic !== 'string' || topic.trim() === '') throw new AppError('PARAM_MISSING', { field: 'Topic' });
  return {
    topic,
    payload: payloadBytes(param),
    qos: Number(param.Qos ?? 0),
    retain: param.Retain === true || param.Retain === 1 || param.Retain === '1',
    responseTopic: optionalText(param, 'ResponseTopic'),
    contentType: optionalText(param, 'ContentType'),
    userProperties: userProperties(param.UserProperties),
  };
}

function positional(topic: JsonValue | undefined, rest: Record<string, JsonValue | undefined>): JsonObject {
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return { Topic: topic ?? null, ...Object.fromEntries(given) } as JsonObject;
}

/** Text goes as it is, anything else as JSON; `PayloadBase64` for bytes that are no text. No payload is an empty one. */
function payloadBytes(param: JsonObject): Uint8Array {
  const { Payload: payload = param.Message ?? null, PayloadBase64: base64 } = param;
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  if (payload === null) return new Uint8Array();
  return new TextEncoder().encode(typeof payload === 'string' ? payload : JSON.stringify(payload));
}

function optionalText(param: JsonObject, field: string): string | undefined {
  const value = param[field];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** `{name: value}` or a list of `{Name, Value}`. */
function userProperties(value: JsonValue | undefined): readonly (readonly [string, string])[] {
  if (Array.isArray(value)) {
    return value.filter(isJsonObject).map((entry) => [String(entry.Name ?? ''), String(entry.Value ?? '')] as const);
  }
  return isJsonObject(value) ? Object.entries(value).map(([name, text]) => [name, String(text)] as const) : [];
}
