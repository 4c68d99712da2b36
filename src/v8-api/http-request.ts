/** The request a script describes for V8.Http (v8-surface.md 6.2). */
import { AppError } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { tenantKey } from '../core/tenant.ts';
import type { HttpRequest } from '../ports/http-client.ts';
import type { RunContext } from '../ports/run-context.ts';
import type { Call } from './host-call.ts';
import { refuseParam } from './param-rules.ts';
import { asText, type CallParam, isBlank, readObject, readText } from './param-values.ts';

/** Longest a script may ask to wait (v8-surface.md 6.2). Milliseconds. */
const MAX_TIMEOUT_MS = 600_000;

/** Headers of the connection and of tracing: the host's, whatever a script sets. */
const HOST_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Reads Post(p) or Post(url, p). @throws AppError PARAM_MISSING, PARAM_INVALID naming the parameter. */
export function readPostRequest(call: Call): HttpRequest {
  const param = readParam(call);
  const url = readUrl(param);
  const content = readContent(param);
  return {
    method: 'POST',
    url: url.href,
    headers: {
      'content-type': content.type,
      ...idempotencyHeader(call.context),
      ...readHeaders(param),
    },
    body: content.body,
    timeoutMs: Math.max(1, Math.min(readTimeoutMs(param), call.context.remainingMs())),
    signal: call.context.signal,
  };
}

function readParam(call: Call): CallParam {
  const [first, second] = call.args;
  const lang = call.lang;
  if (isJsonObject(first)) return { values: first, lang };
  if (!isBlank(second) && !isJsonObject(second)) return refuseParam('param', 'object', lang);
  return { values: { ...(isJsonObject(second) ? second : {}), Url: first }, lang };
}

/** The address with `GetParam` added to its query. */
function readUrl(param: CallParam): URL {
  const text = readText(param, 'Url');
  if (text === undefined) throw new AppError('PARAM_MISSING', { field: 'Url' });
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) return refuseParam('Url', 'url', param.lang);
  for (const [name, value] of formFields(readObject(param, 'GetParam') ?? {})) url.searchParams.append(name, value);
  return url;
}

function readContent(param: CallParam): { type: string; body: string } {
  for (const key of ['FilesByteBase64', 'FilesByteString', 'FilesByte', 'FilesStream']) {
    if (!isBlank(param.values[key])) refuseParam(key, 'upload', param.lang);
  }
  const raw = readText(param, 'PostParamString');
  switch (readText(param, 'ParamType')?.trim().toLowerCase() ?? 'form') {
    case 'json':
      return { type: 'application/json; charset=utf-8', body: raw ?? JSON.stringify(param.values.PostParam ?? {}) };
    case 'xml':
      return { type: 'application/xml; charset=utf-8', body: raw ?? readXmlText(param) };
    case 'form':
      if (raw !== undefined) return refuseParam('ParamType', 'rawNeedsType', param.lang);
      return { type: 'application/x-www-form-urlencoded; charset=utf-8', body: readForm(param) };
    default:
      return refuseParam('ParamType', 'paramType', param.lang);
  }
}

function readXmlText(param: CallParam): string {
  const value = param.values.PostParam;
  if (isBlank(value)) return '';
  return typeof value === 'string' ? value : refuseParam('PostParam', 'xmlText', param.lang);
}

function readForm(param: CallParam): string {
  return new URLSearchParams(formFields(readObject(param, 'PostParam') ?? {})).toString();
}

/** Fields of a form or query: nested values travel as their JSON text, null as an empty one. */
function formFields(values: JsonObject): [string, string][] {
  return Object.entries(values)
    .filter((entry): entry is [string, JsonValue] => entry[1] !== undefined)
    .map(([name, value]) => [name, fieldText(value)]);
}

function fieldText(value: JsonValue): string {
  if (value === null) return '';
  return asText(value) ?? JSON.stringify(value);
}

/** `Headers` (alias `Header`) with lower-case names, without those that are the host's. */
function readHeaders(param: CallParam): Record<string, string> {
  const key = isBlank(param.values.Headers) ? 'Header' : 'Headers';
  const given = param.values[key];
  if (isBlank(given)) return {};
  if (!isJsonObject(given)) return refuseParam(key, 'headers', param.lang);
  const headers: Record<string, string> = {};
  for (const [name, value] of formFields(given)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !isHeaderValue(value)) {
      return refuseParam(`${key} (${name})`, 'headers', param.lang);
    }
    if (!HOST_HEADERS.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** Visible Latin-1, blanks and tabs: what HTTP can carry. A line break would start a header of its own. */
function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\xa0-\xff]*$/.test(value);
}

/** `Timeout` (alias `TimeOut`) in seconds, as milliseconds. */
function readTimeoutMs(param: CallParam): number {
  const key = isBlank(param.values.Timeout) ? 'TimeOut' : 'Timeout';
  const text = readText(param, key);
  if (text === undefined) return MAX_TIMEOUT_MS;
  const seconds = Number(text);
  if (!Number.isFinite(seconds) || seconds <= 0) return refuseParam(key, 'seconds', param.lang);
  return Math.min(seconds * 1000, MAX_TIMEOUT_MS);
}

/**
 * A message may run again after its requests went out; the same call of the same event carries the same key then, so
 * that the other side can recognise it (G3). A script's own header wins.
 */
function idempotencyHeader(context: RunContext): Record<string, string> {
  const { event } = context;
  if (event === undefined) return {};
  const identity = [tenantKey(context.tenant), event.queue, event.eventId, context.callNumber()].join('|');
  return { 'idempotency-key': context.ids.sha256Hex(identity).slice(0, 32) };
}
