import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';

/** Members whose values are secrets, in payloads of devices. */
const SECRET = /pwd|passw(or)?d|secret|token|api_?key|access_?key|private_?key|credential/i;

/** Longest text of a payload in a log. Characters. */
const MAX_LENGTH = 2_000;
const MAX_DEPTH = 16;
const MASK = '***';

/** A payload for a log: secrets masked, long texts cut. What is masked in the value does not stand in the text. */
export function redactPayload(payload: JsonObject): { readonly Payload: JsonValue; readonly PayloadRaw: string } {
  const value = payload.Payload ?? null;
  const raw = typeof payload.PayloadRaw === 'string' ? payload.PayloadRaw : '';
  if (typeof value !== 'object' || value === null) {
    const text = cut(maskText(raw));
    return { Payload: typeof value === 'string' ? text : value, PayloadRaw: text };
  }
  const masked = mask(value, 0);
  const text = JSON.stringify(masked);
  const short = text.length <= MAX_LENGTH;
  return { Payload: short ? masked : cut(text), PayloadRaw: cut(text === JSON.stringify(value) ? raw : text) };
}

function mask(value: JsonValue, depth: number): JsonValue {
  if (depth > MAX_DEPTH) return MASK;
  if (Array.isArray(value)) return value.map((item) => mask(item, depth + 1));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => [
    name,
    SECRET.test(name) ? MASK : mask(member ?? null, depth + 1),
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

/** `password=…`, `token: …` in text that is no JSON. */
function maskText(text: string): string {
  return text.replace(
    /((?:pwd|password|secret|token|api_?key)["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&]+)/gi,
    `$1${MASK}`,
  );
}

function cut(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
