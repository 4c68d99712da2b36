import { bilingual } from './bilingual.ts';
import { accept, type Parsed, refuse } from './errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { isSafeRedirect } from './safe-redirect.ts';

/** A response that an engine describes itself: `DataAppend.HttpResponse` (v8-surface.md 8.2). */
export interface ControlledResponse {
  readonly status: number;
  readonly type: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly bytes: Uint8Array;
}

/** Largest body (v8-surface.md 8.2). Bytes. */
const MAX_BODY = 8 * 1024 * 1024;
const MAX_HEADERS = 32;

/**
 * Headers that only describe the answer. Everything that tells a browser what this origin may do (cookies, CORS, policies)
 * or how the bytes travel stays with the host; names of one's own begin with `x-`.
 */
const ALLOWED =
  /^(cache-control|etag|last-modified|expires|vary|location|content-language|content-disposition|retry-after|www-authenticate|link|allow|sunset|deprecation|x-(?!frame-options$|content-type-options$|xss-protection$|forwarded|accel|sendfile)[a-z0-9-]{1,60})$/;

const VALUE = /^[\t\x20-\x7e]{0,1000}$/;
const TYPE = /^[\w.+-]+\/[\w.+-]+\s*(;[\x20-\x7e]*)?$/;

/** Code that a page of this origin could load as its own. */
const CODE = /javascript|ecmascript|wasm/i;

/** The response that a result describes; undefined where it describes none. Refusal: ENTRY_RESPONSE_INVALID. */
export function controlledResponse({ DataAppend: append }: JsonObject): Parsed<ControlledResponse> | undefined {
  const given = isJsonObject(append) ? append.HttpResponse : undefined;
  if (!isJsonObject(given)) return undefined;
  const status = given.StatusCode === undefined || given.StatusCode === null ? 200 : Number(given.StatusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599) return invalid('StatusCode', '200 … 599');
  const body = bodyOf(given);
  if (body === undefined) return invalid('BodyBase64', 'Base64');
  if (body.bytes.byteLength > MAX_BODY) return invalid('Body', bilingual('最多 8 MB', 'it has at most 8 MB'));
  const type = typeof given.ContentType === 'string' && given.ContentType !== '' ? given.ContentType : body.type;
  if (!TYPE.test(type) || CODE.test(type)) {
    return invalid('ContentType', bilingual('不是允许的类型', 'it is no type that is allowed'));
  }
  const headers = headersOf(given.Headers);
  return headers.ok ? accept({ status, type, headers: headers.value, bytes: body.bytes }) : headers;
}

function bodyOf({ Body: body, BodyBase64: base64 }: JsonObject): { bytes: Uint8Array; type: string } | undefined {
  if (typeof base64 === 'string') {
    try {
      const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
      return { bytes, type: 'application/octet-stream' };
    } catch {
      return undefined; // Not Base64: the answer says so.
    }
  }
  const encoder = new TextEncoder();
  if (body === undefined || body === null) return { bytes: new Uint8Array(), type: 'text/plain; charset=utf-8' };
  if (typeof body === 'string') return { bytes: encoder.encode(body), type: 'text/plain; charset=utf-8' };
  return { bytes: encoder.encode(JSON.stringify(body)), type: 'application/json; charset=utf-8' };
}

function headersOf(given: JsonValue | undefined): Parsed<ControlledResponse['headers']> {
  const entries = isJsonObject(given) ? Object.entries(given) : [];
  if (entries.length > MAX_HEADERS) return invalid('Headers', bilingual('最多 32 个', 'it has at most 32'));
  const headers: [string, string][] = [];
  for (const [raw, value] of entries) {
    const name = raw.trim().toLowerCase();
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
    if (!ALLOWED.test(name)) return invalid(`Headers.${raw.slice(0, 60)}`, bilingual('不允许', 'it is not allowed'));
    if (text === undefined || !VALUE.test(text)) {
      return invalid(`Headers.${name}`, bilingual('须为 ASCII 文本', 'it is ASCII text'));
    }
    if (name === 'location' && !isSafeRedirect(text)) {
      return invalid('Headers.location', bilingual('不是安全的地址', 'it is no safe address'));
    }
    headers.push([name, text]);
  }
  return accept(headers);
}

function invalid(field: string, rule: string): { ok: false; error: ReturnType<typeof refuse>['error'] } {
  return refuse('ENTRY_RESPONSE_INVALID', { field: `DataAppend.HttpResponse.${field}`, rule });
}
