import { type AllowedTarget, isAllowedTarget } from './outbound-target.ts';

/** A secret that the operator lends to a tenant's scripts by name, for some targets only. */
export interface OutboundCredential {
  /** Where it may be sent. */
  readonly hosts: readonly AllowedTarget[];
  /** What it adds to a request. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * True when the credential may go to this URL: its host is named, and over plain http only where the entry names the
 * port, too, so that no script can have it sent in the clear by writing `http:`.
 */
export function mayCarry(credential: OutboundCredential, url: URL): boolean {
  const secure = url.protocol === 'https:';
  const port = Number(url.port) || (secure ? 443 : 80);
  const hosts = secure ? credential.hosts : credential.hosts.filter((target) => target.port !== undefined);
  return isAllowedTarget(hosts, url.hostname, port);
}

/** The header of `Authorization: Basic` (RFC 7617, UTF-8). */
export function basicAuthorization(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** A name that HTTP can carry (RFC 9110 5.6.2). */
export function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

/** Visible Latin-1, blanks and tabs: what HTTP can carry. A line break would start a header of its own. */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\xa0-\xff]*$/.test(value);
}
