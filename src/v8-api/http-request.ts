/** The request a script describes for V8.Http (v8-surface.md 6.2). */
import { AppError } from '../core/errors.ts';
import { isJsonObject } from '../core/json.ts';
import { isKnownCharset } from '../core/response-text.ts';
import { tenantKey } from '../core/tenant.ts';
import type { HttpMethod, HttpRequest } from '../ports/http-client.ts';
import type { RunContext } from '../ports/run-context.ts';
import type { Call } from './host-call.ts';
import { type BodyNames, formFields, readContent } from './http-body.ts';
import { readCredential, readHeaders } from './http-headers.ts';
import { refuseParam } from './param-rules.ts';
import { type CallParam, isBlank, readObject, readText } from './param-values.ts';

/** A verb of V8.Http. */
export interface HttpVerb {
  readonly method: HttpMethod;
  /** Undefined where the verb has no body. */
  readonly body: BodyNames | undefined;
}

/** What a script asked for. */
export interface ScriptRequest {
  readonly request: HttpRequest;
  /** Charset of the response where the server names none. */
  readonly encoding: string | undefined;
}

/** Longest a script may ask to wait (v8-surface.md 6.2). Milliseconds. */
const MAX_TIMEOUT_MS = 600_000;

/** Reads Verb(p) or Verb(url, p). @throws AppError PARAM_MISSING, PARAM_INVALID naming the parameter. */
export function readScriptRequest(call: Call, verb: HttpVerb): ScriptRequest {
  const { context } = call;
  const param = readParam(call);
  const url = readUrl(param);
  const encoding = readEncoding(param);
  const content = readContent(call, param, verb.body);
  const credential = readCredential(param);
  const headers = {
    ...(content === undefined ? {} : { 'content-type': content.type }),
    ...identityHeaders(context, verb.method, url),
    ...readHeaders(param),
    ...context.traceHeaders(),
    ...credential.headers,
    // The boundary of a multipart body is part of its type.
    ...(content?.isMultipart === true ? { 'content-type': content.type } : {}),
  };
  const request = {
    tenant: context.tenant,
    method: verb.method,
    url: url.href,
    headers,
    body: content?.body,
    credential: credential.name,
    timeoutMs: Math.max(1, Math.min(readTimeoutMs(param), context.remainingMs())),
    signal: context.signal,
  };
  return { request, encoding };
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

function readEncoding(param: CallParam): string | undefined {
  const encoding = readText(param, 'Encoding')?.trim();
  if (encoding === undefined || isKnownCharset(encoding)) return encoding;
  return refuseParam('Encoding', 'anyCharset', param.lang);
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
 * A message may run again after its requests went out; the same request of the same event carries the same key then,
 * so that the other side can recognise it (G3). Requests are numbered for each method and address, so that one which a
 * repeated run leaves out (a token that is cached by now) does not shift the keys of the others. Signatures and times
 * stand in queries and bodies, which therefore do not count. A script's own header wins.
 */
function identityHeaders(context: RunContext, method: string, url: URL): Record<string, string> {
  const { event, tenant, ids } = context;
  if (event === undefined) return {};
  const target = `${method} ${url.origin}${url.pathname}`;
  const identity = [tenantKey(tenant), event.queue, event.eventId, target, context.requestNumber(target)].join('|');
  return { 'idempotency-key': ids.sha256Hex(identity).slice(0, 32) };
}
