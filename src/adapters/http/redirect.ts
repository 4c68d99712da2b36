import type { HttpRequest } from '../../ports/http-client.ts';

/** One request of a chain of redirects. */
export interface Hop {
  readonly url: URL;
  readonly method: HttpRequest['method'];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that must not follow to another origin (Fetch standard, HTTP-redirect fetch, step 13). */
const ORIGIN_BOUND = /^(authorization|proxy-authorization|cookie)$/i;

/**
 * The next request of a chain, or undefined when the answer is final. 303, and 301 or 302 after a POST, become a GET
 * without a body (RFC 9110 15.4).
 * @throws TypeError when Location is no URL.
 */
export function nextHop(hop: Hop, status: number, location: string | undefined): Hop | undefined {
  if (!REDIRECTS.has(status) || location === undefined) return undefined;
  const url = new URL(location, hop.url);
  const dropsBody = status === 303 || ((status === 301 || status === 302) && hop.method === 'POST');
  const sameOrigin = url.origin === hop.url.origin;
  const headers = Object.entries(hop.headers).filter(
    ([name]) => (sameOrigin || !ORIGIN_BOUND.test(name)) && !(dropsBody && /^content-/i.test(name)),
  );
  return {
    url,
    method: dropsBody ? 'GET' : hop.method,
    headers: Object.fromEntries(headers),
    body: dropsBody ? undefined : hop.body,
  };
}
