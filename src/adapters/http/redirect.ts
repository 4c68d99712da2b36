import type { HttpMethod, HttpRequest } from '../../ports/http-client.ts';

/** One request of a chain of redirects. */
export interface Hop {
  readonly url: URL;
  readonly method: HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of the operator's credential. They never leave its origin. */
  readonly secretHeaders: Readonly<Record<string, string>>;
  readonly body: HttpRequest['body'];
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * What may follow to another origin. Browsers drop Authorization and Cookie only; scripts send keys in headers of any
 * name, so here everything stays behind that is not known to be harmless.
 */
const PORTABLE = /^(accept|accept-language|content-language|content-type|idempotency-key|traceparent|user-agent)$/i;

/**
 * The next request of a chain, or undefined when the answer is final: no redirect, or one from https to http, which
 * .NET's client does not follow either. 303, and 301 or 302 after a POST, become a GET without a body (RFC 9110 15.4).
 * @throws TypeError when Location is no URL.
 */
export function nextHop(hop: Hop, status: number, location: string | undefined): Hop | undefined {
  if (!REDIRECTS.has(status) || location === undefined) return undefined;
  const url = new URL(location, hop.url);
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') return undefined;
  const dropsBody =
    (status === 303 && hop.method !== 'HEAD') || ((status === 301 || status === 302) && hop.method === 'POST');
  const sameOrigin = url.origin === hop.url.origin;
  const headers = Object.entries(hop.headers).filter(
    ([name]) => (sameOrigin || PORTABLE.test(name)) && !(dropsBody && /^content-/i.test(name)),
  );
  return {
    url,
    method: dropsBody ? 'GET' : hop.method,
    headers: Object.fromEntries(headers),
    secretHeaders: sameOrigin ? hop.secretHeaders : {},
    body: dropsBody ? undefined : hop.body,
  };
}
