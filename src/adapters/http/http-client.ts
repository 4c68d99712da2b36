import { Agent, type Dispatcher } from 'undici';
import { AppError } from '../../core/errors.ts';
import { parseAllowedTarget } from '../../core/outbound-target.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../ports/http-client.ts';
import { guardedConnector, type ResolveName } from './guarded-connector.ts';
import { type Hop, nextHop } from './redirect.ts';
import { readText } from './response-text.ts';

export interface HttpClientOptions {
  /** Targets that are open although they are not public: `host`, `host:port`, `[::1]:port`. */
  readonly allow: readonly string[];
  /** Largest response body. Bytes. */
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
 * Outbound HTTP for scripts: http and https, public targets and `allow` only (checked at every hop, after name
 * resolution), redirects, one deadline over everything, a cap on the body. Errors name host and port, never a path,
 * query or credentials.
 */
export function createHttpClient(options: HttpClientOptions): ClosableHttpClient {
  const allow = options.allow.map((text) => {
    const target = parseAllowedTarget(text);
    if (target === undefined) throw new AppError('PARAM_INVALID', { field: 'outbound.allow', rule: text });
    return target;
  });
  // The request's own deadline covers headers and body.
  const agent = new Agent({ connect: guardedConnector(allow, options.resolve), headersTimeout: 0, bodyTimeout: 0 });
  return {
    send: (request) => send(agent, options.maxBodyBytes, request),
    close: () => agent.destroy(),
  };
}

async function send(agent: Agent, maxBodyBytes: number, request: HttpRequest): Promise<HttpResponse> {
  const deadline = AbortSignal.timeout(request.timeoutMs);
  const signal = AbortSignal.any([request.signal, deadline]);
  let hop = firstHop(request);
  for (let redirects = 0; ; redirects++) {
    try {
      const response = await agent.request(toDispatch(hop, signal));
      const next = nextHop(hop, response.statusCode, singleHeader(response.headers, 'location'));
      if (next === undefined) return await toResponse(response, maxBodyBytes);
      // The body of a redirect is of no use, and an unread one would keep its connection.
      response.body.on('error', () => undefined).destroy();
      if (redirects === MAX_REDIRECTS) throw failed(hop.url, `more than ${MAX_REDIRECTS} redirects`);
      hop = checkUrl(next);
    } catch (error) {
      throw toHttpError(error, hop.url, request, deadline);
    }
  }
}

function firstHop(request: HttpRequest): Hop {
  if (!URL.canParse(request.url)) throw new AppError('HTTP_FAILED', { target: 'URL', reason: 'not an absolute URL' });
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !CONNECTION_HEADERS.test(name)),
  );
  return checkUrl({ url: new URL(request.url), method: request.method, headers, body: request.body });
}

function checkUrl(hop: Hop): Hop {
  const { protocol, username, password } = hop.url;
  if (protocol !== 'http:' && protocol !== 'https:') throw failed(hop.url, 'only http and https URLs are allowed');
  if (username !== '' || password !== '') {
    throw failed(hop.url, 'user:password in a URL is not allowed, send an Authorization header');
  }
  return hop;
}

function toDispatch(hop: Hop, signal: AbortSignal): Dispatcher.RequestOptions & { signal: AbortSignal } {
  return {
    origin: hop.url.origin,
    path: `${hop.url.pathname}${hop.url.search}`,
    method: hop.method,
    headers: { ...hop.headers },
    body: hop.body ?? null,
    signal,
  };
}

async function toResponse(response: Dispatcher.ResponseData, maxBodyBytes: number): Promise<HttpResponse> {
  const headers = Object.entries(response.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => ({ name, value: each })),
  );
  const body = await readText(response.body, singleHeader(response.headers, 'content-type'), maxBodyBytes);
  return { status: response.statusCode, headers, body };
}

function singleHeader(headers: Dispatcher.ResponseData['headers'], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Translates what the driver threw; the table of its codes is `REASONS`. */
function toHttpError(thrown: unknown, url: URL, request: HttpRequest, deadline: AbortSignal): AppError {
  if (thrown instanceof AppError) {
    return thrown.code === 'HTTP_FAILED' && thrown.params.target === undefined
      ? new AppError('HTTP_FAILED', { ...thrown.params, target: url.host }, { cause: thrown })
      : thrown;
  }
  if (request.signal.aborted) return failed(url, 'the run ended', thrown);
  if (deadline.aborted) return failed(url, `no complete answer within ${request.timeoutMs} ms`, thrown);
  const code = (thrown as { code?: unknown } | null)?.code;
  return failed(url, REASONS[String(code)] ?? (typeof code === 'string' ? code : 'invalid request or answer'), thrown);
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed by the server',
  UND_ERR_SOCKET: 'connection closed by the server',
  UND_ERR_DESTROYED: 'the host is stopping',
  UND_ERR_CONNECT_TIMEOUT: 'the server cannot be reached in time',
  ETIMEDOUT: 'the server cannot be reached in time',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'name resolution failed',
  EHOSTUNREACH: 'no route to the server',
  ENETUNREACH: 'no route to the server',
};

function failed(url: URL, reason: string, cause?: unknown): AppError {
  return new AppError('HTTP_FAILED', { target: url.host, reason }, { cause });
}
