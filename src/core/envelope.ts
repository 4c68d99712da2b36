import { bilingual } from './bilingual.ts';
import { accept, type ErrorRecord, type Parsed, refuse } from './errors.ts';
import { checkEventId } from './event-id.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { topLevelMembers } from './json-scan.ts';
import { parseJson, utf8 } from './json-text.ts';
import { printable } from './printable.ts';
import { sameTenant } from './tenant.ts';
import { isTraceParent } from './trace-parent.ts';

/** What a sender puts on the queue. `messageJson` is the caller's Message as JSON text, sent verbatim. */
export interface OutgoingEnvelope {
  readonly eventId: string;
  /** Original case. */
  readonly tenant: string;
  readonly traceParent: string | null;
  readonly traceState: string | null;
  readonly messageJson: string;
  readonly currentUserId: string | null;
}

/** An envelope that passed every check. */
export interface ReceivedEnvelope {
  /** EventId, or Id when EventId is blank: the event's identity, verbatim. */
  readonly eventId: string;
  readonly traceParent: string | null;
  readonly traceState: string | null;
  /** Exact source text of Message: what the inbox hashes and the receive log keeps; `null` when absent. */
  readonly messageJson: string;
  /** Message for the script: big integers are text. */
  readonly message: JsonValue;
  /** The whole envelope as the script sees it in `V8.Param.Message`: the seven fields, then unknown ones. */
  readonly param: JsonObject;
  readonly currentUserId: string | null;
}

/** What came beside the body. */
export interface ReceivedProps {
  readonly messageId?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The body of a message: JSON with the fields in the order of mq-mqtt.md 3.5, nulls included. */
export function encodeEnvelope(envelope: OutgoingEnvelope): string {
  const eventId = JSON.stringify(envelope.eventId);
  const fields = [
    `"EventId":${eventId}`,
    `"Id":${eventId}`,
    `"OsClient":${JSON.stringify(envelope.tenant)}`,
    `"TraceParent":${JSON.stringify(envelope.traceParent)}`,
    `"TraceState":${JSON.stringify(envelope.traceState)}`,
    `"Message":${envelope.messageJson}`,
    `"CurrentUserId":${JSON.stringify(envelope.currentUserId)}`,
  ];
  return `{${fields.join(',')}}`;
}

/**
 * Reads and checks a message body in the order of mq-mqtt.md 4.2; the first failure wins. `tenant` is the queue's.
 * Refusal: ENVELOPE_INVALID, its rule naming the check and the field. Such a message is never given to a script.
 */
export function readEnvelope(body: Uint8Array, props: ReceivedProps, tenant: string): Parsed<ReceivedEnvelope> {
  const document = readDocument(body);
  if (!document.ok) return document;
  const fields = readFields(document.value);
  if (!fields.ok) return fields;
  const { texts, messageJson, param } = fields.value;
  const checked = checkIdentity(texts, props, tenant);
  if (!checked.ok) return checked;
  const broken = checkTrace(texts.TraceParent, props.headers);
  if (broken !== undefined) return broken;
  return accept({
    eventId: checked.value,
    traceParent: blankToNull(texts.TraceParent),
    traceState: blankToNull(texts.TraceState),
    messageJson,
    message: param.Message ?? null,
    param,
    currentUserId: blankToNull(texts.CurrentUserId),
  });
}

/** The fields by their own names, in the order in which they are sent. */
const FIELDS = ['EventId', 'Id', 'OsClient', 'TraceParent', 'TraceState', 'Message', 'CurrentUserId'] as const;

/** Message holds any JSON, the others text or null. */
type TextField = Exclude<(typeof FIELDS)[number], 'Message'>;
type Texts = Readonly<Record<TextField, string | null>>;

/** The platform's reader ignores the case of names. */
const FIELD_BY_LOWER = new Map<string, (typeof FIELDS)[number]>(FIELDS.map((field) => [field.toLowerCase(), field]));

/** Checks 0 and 1: UTF-8, JSON, an object. */
function readDocument(body: Uint8Array): Parsed<{ readonly json: string; readonly value: JsonObject }> {
  const json = utf8(body);
  if (json === undefined) return invalid(0, 'Body', '消息体不是 UTF-8', 'the body is not UTF-8');
  const parsed = parseJson(json);
  if (!parsed.ok) return notJson(parsed.error);
  if (parsed.value === null) return invalid(1, 'Body', '信封为 JSON null', 'the envelope is JSON null');
  if (!isJsonObject(parsed.value)) return invalid(0, 'Body', '消息体不是 JSON 对象', 'the body is no JSON object');
  return accept({ json, value: parsed.value });
}

interface Fields {
  readonly texts: Texts;
  readonly messageJson: string;
  readonly param: JsonObject;
}

/** The rest of check 0: each known field has a type that it can have. */
function readFields(document: { json: string; value: JsonObject }): Parsed<Fields> {
  const texts: Record<TextField, string | null> = { ...NO_TEXTS };
  let message: { readonly text: string; readonly value: JsonValue } = { text: 'null', value: null };
  const unknown: Record<string, JsonValue> = {};
  for (const { name, text } of topLevelMembers(document.json)) {
    const field = FIELD_BY_LOWER.get(name.toLowerCase());
    if (field === 'Message') message = { text, value: document.value[name] ?? null };
    else if (field !== undefined) {
      const value = readText(text);
      if (value === undefined) return invalid(0, field, '必须是字符串或 null', 'must be a string or null');
      texts[field] = value;
    } else if (Object.hasOwn(document.value, name)) unknown[name] = document.value[name] ?? null;
  }
  const param = Object.fromEntries(FIELDS.map((field) => [field, field === 'Message' ? message.value : texts[field]]));
  return accept({ texts, messageJson: message.text, param: { ...param, ...unknown } });
}

const NO_TEXTS: Texts = Object.freeze({
  EventId: null,
  Id: null,
  OsClient: null,
  TraceParent: null,
  TraceState: null,
  CurrentUserId: null,
});

/** A string, null, or a number by its digits (an id of 19 digits must not be rounded); undefined for anything else. */
function readText(json: string): string | null | undefined {
  if (json === 'null') return null;
  if (json.startsWith('"')) return JSON.parse(json) as string;
  return /^[-\d]/.test(json) ? json : undefined;
}

/** Checks 2 to 6. @returns the event's identity. */
function checkIdentity(texts: Texts, props: ReceivedProps, tenant: string): Parsed<string> {
  const { EventId, Id, OsClient } = texts;
  if (isBlank(OsClient)) return invalid(2, 'OsClient', '缺少租户', 'the tenant is missing');
  if (!sameTenant(OsClient.trim(), tenant)) {
    return invalid(3, 'OsClient', '信封的租户与队列的租户不一致', 'differs from the tenant of the queue');
  }
  const stable = isBlank(EventId) ? Id : EventId;
  if (isBlank(stable)) return invalid(4, 'EventId', 'EventId 与 Id 都为空', 'EventId and Id are both blank');
  const sound = checkEventId(stable);
  if (!sound.ok) return invalid(4, 'EventId', '过长或含控制字符', 'is too long or has control characters');
  if (!isBlank(EventId) && !isBlank(Id) && EventId !== Id) {
    return invalid(5, 'Id', '与 EventId 不一致', 'differs from EventId');
  }
  if (!isBlank(props.messageId) && props.messageId !== stable) {
    return invalid(6, 'message-id', '消息属性 message-id 与 EventId 不一致', 'the property differs from EventId');
  }
  return sound;
}

/** Check 7. @returns the refusal, if any. */
function checkTrace(traceParent: string | null, headers: ReceivedProps['headers']): Refusal | undefined {
  if (!isBlank(traceParent) && !isTraceParent(traceParent)) {
    return invalid('7a', 'TraceParent', `不是 W3C traceparent：${printable(traceParent)}`, 'is no W3C traceparent');
  }
  const header = headers.traceparent;
  if (!isBlank(header) && header !== traceParent) {
    return invalid(
      '7b',
      'traceparent',
      '消息头 traceparent 与 TraceParent 不一致',
      'the header differs from TraceParent',
    );
  }
  return undefined;
}

type Refusal = ReturnType<typeof refuse>;

function invalid(check: number | string, field: string, zh: string, en: string): Refusal {
  return refuse('ENVELOPE_INVALID', { rule: `[${check}] ${field}: ${bilingual(zh, en)}`, check, field });
}

function notJson({ params }: ErrorRecord): Refusal {
  const { position = 0, rule = '' } = params;
  return invalid(
    0,
    'Body',
    `不是合法 JSON，第 ${position} 个字符`,
    `is no valid JSON at character ${position}: ${rule}`,
  );
}

function isBlank(text: string | null | undefined): text is null | undefined {
  return text === null || text === undefined || text.trim() === '';
}

function blankToNull(text: string | null): string | null {
  return isBlank(text) ? null : text;
}
