import { isAddress } from './net-address.ts';

/** A target the operator opened to scripts (`outbound.allow`): a host with one port, or with every port. */
export interface AllowedTarget {
  /** Lower case, without brackets. */
  readonly host: string;
  readonly port: number | undefined;
}

const HOST_NAME = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i;

/**
 * Reads `host`, `host:port`, `[::1]:port` or a bare address. Undefined for anything else: no scheme, no path, no
 * wildcard, because an entry opens a door and must not open more than it says.
 */
export function parseAllowedTarget(text: string): AllowedTarget | undefined {
  const host = canonicalHost(text);
  if (isAddress(host)) return { host, port: undefined };
  const match = /^(?<host>\[[^\]]+\]|[^:[\]]+)(:(?<port>\d{1,5}))?$/.exec(text);
  const named = canonicalHost(match?.groups?.host ?? '');
  const digits = match?.groups?.port;
  const port = digits === undefined ? undefined : Number(digits);
  const bracketed = text.startsWith('[');
  if (bracketed ? !isAddress(named) : !HOST_NAME.test(named)) return undefined;
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  return { host: named, port };
}

/** True when one of the targets names this host and port. */
export function isAllowedTarget(targets: readonly AllowedTarget[], host: string, port: number): boolean {
  const wanted = canonicalHost(host);
  return targets.some((target) => target.host === wanted && (target.port === undefined || target.port === port));
}

/** Lower case, without the brackets of an IPv6 address in a URL and without the dot of a rooted name. */
export function canonicalHost(host: string): string {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  return bare.toLowerCase().replace(/\.$/, '');
}
