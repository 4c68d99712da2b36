import { accept, type Parsed, refuse } from './errors.ts';
import { printable } from './printable.ts';
import { parseTenantId, tenantKey } from './tenant.ts';

declare const OWNED: unique symbol;

/** A key inside one tenant's namespace. Only `toCacheKey` makes one, so a cache never sees an unchecked name. */
export type CacheKey = string & { readonly [OWNED]: true };

/** Every key starts with this and its tenant. */
const PLATFORM = 'microi:';

/** Name under which scripts of old cleared their settings: `SysConfig:{tenant}`. */
const SYS_CONFIG = 'sysconfig:';

/** Longest key. Bytes of UTF-8. */
const LONGEST_KEY = 1_024;

const CONTROL = /\p{Cc}/u;

/**
 * Maps a key of a tenant to its key in the cache: `order:1` -> `Microi:{tenant}:order:1` (v8-surface.md 6.1). The own
 * prefix, in any case, is written once and as above, so the result maps to itself; `SysConfig:{tenant}` becomes
 * `Microi:{tenant}:SysConfig`. The case of the rest is kept.
 *
 * Refusals: TENANT_INVALID; CACHE_KEY_FOREIGN for a `Microi:` prefix that is not this tenant's; CACHE_KEY_INVALID for
 * an empty or overlong name, control characters, and half a surrogate pair (two of them would be one key in UTF-8).
 */
export function toCacheKey(tenant: unknown, name: unknown): Parsed<CacheKey> {
  const owner = parseTenantId(tenant);
  if (!owner.ok) return owner;
  const prefix = `Microi:${owner.value}:`;
  const text = typeof name === 'string' ? name.trim() : '';
  const local = localName(owner.value, prefix, text);
  if (local === undefined) return refuse('CACHE_KEY_FOREIGN', { key: printable(text) });
  return isSound(local) ? accept((prefix + local) as CacheKey) : refuse('CACHE_KEY_INVALID', { key: printable(name) });
}

/** The tenant a key belongs to, in lower case. */
export function cacheOwner(key: CacheKey): string {
  return tenantKey(key.slice(PLATFORM.length, key.indexOf(':', PLATFORM.length)));
}

/** The part behind the tenant's prefix; undefined when the name is another tenant's. */
function localName(tenant: string, prefix: string, text: string): string | undefined {
  if (startsWithIgnoringCase(text, prefix)) return text.slice(prefix.length);
  if (startsWithIgnoringCase(text, PLATFORM)) return undefined;
  return tenantKey(text) === SYS_CONFIG + tenantKey(tenant) ? 'SysConfig' : text;
}

function isSound(local: string): boolean {
  const fits = new TextEncoder().encode(local).byteLength <= LONGEST_KEY;
  return local !== '' && fits && local.isWellFormed() && !CONTROL.test(local);
}

function startsWithIgnoringCase(text: string, prefix: string): boolean {
  return tenantKey(text.slice(0, prefix.length)) === tenantKey(prefix);
}
