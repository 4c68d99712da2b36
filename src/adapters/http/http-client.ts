import type { Dispatcher } from 'undici';
import { bilingual } from '../../core/bilingual.ts';
import { AppError } from '../../core/errors.ts';
import type { AllowedTarget } from '../../core/outbound-target.ts';
import { tenantKey } from '../../core/tenant.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../ports/http-client.ts';
import type { ResolveName } from './guarded-connector.ts';
import { fromHttpError, httpFailed } from './http-errors.ts';
import { type Hop, nextHop } from './redirect.ts';
import { ACCEPT_ENCODING, readResponseBody } from './response-body.ts';
import { type OutboundRules, TenantOutbound } from './tenant-outbound.ts';

export interface HttpClientOptions {
  /** Targets open to every tenant although they are not public. */
  readonly allow: readonly AllowedTarget[];
  /** What single tenants have beside that, by `tenantKey`. */
  readonly tenants?: ReadonlyMap<string, OutboundRules>;
  /** Largest body of a request, and of a response on the wire and decompressed. Bytes. */
  readonly maxBodyBytes: number;
  /** Name resolution; the machine's own unless a test gives one. */
  readonly resolve?: ResolveName;
}

/** An HttpClient with connections to close. */
export interface ClosableHttpClient extends HttpClient {
  /** Ends every connection; open requests fail with HTTP_FAILED. */
  close(): Promise<void>;
}

/** Redirects followed in one request. */
const MAX_REDIRECTS = 5;

/** Set by the connection itself, or meaning something to it: a script cannot choose them (Fetch: forbidden headers). */
const CONNECTION_HEADERS =
  /^(accept-encoding|connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*)$/i;

/**
 * Outbound HTTP for scripts: http and https, public targets and the allowed ones only (checked at every hop, after name
 * resolution), redirects, compressed bodies, one deadline over everything, a cap on bodies. Errors name host and port,
 * never a path, query or credentials.
 */
export function createHttpClient(options: HttpClientOptions): ClosableHttpClient {
  const outbounds = new Map<string, TenantOutbound>();
  const outboundOf = (tenant: string): TenantOutbound => {
    const key = tenantKey(tenant);
    const found = outbounds.get(key) ?? new TenantOutbound(rulesOf(options, key), options.resolve);
    outbounds.set(key, found);
    return found;
  };
  return {
    send: async (request) => send(outboundOf(request.tenant), options.maxBodyBytes, request),
    close: async () => {
      await Promise.all([...outbounds.values()].map(({ agent }) => agent.destroy()));
    },
  };
}

function rulesOf({ allow, tenants }: HttpClientOptions, tenant: string): OutboundRules {
  const own = tenants?.get(tenant);
  return { allow: [...allow, ...(own?.allow ?? [])], credentials: own?.credentials ?? new Map() };
}

async function send(outbound: TenantOutbound, maxBodyBytes: number, request: HttpRequest): Promise<HttpResponse> {
  const first = firstHop(outbound, maxBodyBytes, request);
  const deadline = AbortSignal.timeout(request.timeoutMs);
  const signal = AbortSignal.any([request.signal, deadline]);
  let hop = first;
  try {
    return await outbound.gate.pass(signal, async () => {
      for (let redirects = 0; ; redirects++) {
        const response = await outbound.agent.request(toDispatch(hop, signal));
        const next = nextHop(hop, response.statusCode, singleHeader(response.headers, 'location'));
        if (next === undefined) return await toResponse(response, maxBodyBytes);
        // The body of a redirect is of no use, and an unread one would keep its connection.
        response.body.on('error', () => undefined).destroy();
        if (redirects === MAX_REDIRECTS) throw httpFailed(hop.url, TOO_MANY_REDIRECTS);
        hop = checkUrl(next);
      }
    });
  } catch (error) {
    if (error instanceof AppError) throw fromHttpError(error, hop.url);
    if (request.signal.aborted) throw httpFailed(hop.url, RUN_ENDED);
    if (deadline.aborted) throw httpFailed(hop.url, lateText(request.timeoutMs));
    throw fromHttpError(error, hop.url);
  }
}

const TOO_MANY_REDIRECTS = bilingual(`重定向超过 ${MAX_REDIRECTS} 次`, `more than ${MAX_REDIRECTS} redirects`);
const RUN_ENDED = bilingual('运行已结束', 'the run ended');
const NO_URL = bilingual('不是完整的 URL', 'not an absolute URL');
const SCHEME = bilingual('只允许 http 和 https', 'only http and https URLs are allowed');
const USER_IN_URL = bilingual(
  'URL 中不能有 user:password，请用 Authorization 请求头或 Credentials',
  'user:password in a URL is not allowed, send an Authorization header or use Credentials',
);

function lateText(timeoutMs: number): string {
  return bilingual(`${timeoutMs} 毫秒内没有得到完整的响应`, `no complete answer within ${timeoutMs} ms`);
}

function firstHop(outbound: TenantOutbound, maxBodyBytes: number, request: HttpRequest): Hop {
  if (!URL.canParse(request.url)) throw new AppError('HTTP_FAILED', { target: 'URL', reason: NO_URL });
  const url = new URL(request.url);
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !CONNECTION_HEADERS.test(name)),
  );
  const hop = checkUrl({ url, method: request.method, headers, secretHeaders: {}, body: request.body });
  const size = Buffer.byteLength(request.body ?? '');
  if (size > maxBodyBytes) {
    throw httpFailed(
      url,
      bilingual(`请求体超过 ${maxBodyBytes} 字节`, `the request has more than ${maxBodyBytes} bytes`),
    );
  }
  return { ...hop, secretHeaders: outbound.secretHeaders(request.credential, url) };
}

function checkUrl(hop: Hop): Hop {
  const { protocol, username, password } = hop.url;
  if (protocol !== 'http:' && protocol !== 'https:') throw httpFailed(hop.url, SCHEME);
  if (username !== '' || password !== '') throw httpFailed(hop.url, USER_IN_URL);
  return hop;
}

function toDispatch(hop: Hop, signal: AbortSignal): Dispatcher.RequestOptions & { signal: AbortSignal } {
  const secret = new Set(Object.keys(hop.secretHeaders));
  const own = Object.entries(hop.headers).filter(([name]) => !secret.has(name.toLowerCase()));
  return {
    origin: hop.url.origin,
    path: `${hop.url.pathname}${hop.url.search}`,
    method: hop.method,
    headers: { 'accept-encoding': ACCEPT_ENCODING, ...Object.fromEntries(own), ...hop.secretHeaders },
    body: hop.body ?? null,
    signal,
  };
}

/** Headers that no longer hold once the body is decompressed. */
const WIRE_HEADERS: ReadonlySet<string> = new Set(['content-encoding', 'content-length']);

async function toResponse(response: Dispatcher.ResponseData, maxBodyBytes: number): Promise<HttpResponse> {
  const coding = singleHeader(response.headers, 'content-encoding');
  const { bytes, decoded } = await readResponseBody(response.body, coding, maxBodyBytes);
  const headers = Object.entries(response.headers)
    .filter(([name]) => !(decoded && WIRE_HEADERS.has(name)))
    .flatMap(([name, value]) => [value ?? []].flat().map((each) => ({ name, value: each })));
  return { status: response.statusCode, headers, body: bytes };
}

function singleHeader(headers: Dispatcher.ResponseData['headers'], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
