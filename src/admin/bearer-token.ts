import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * True when an `Authorization` header carries this bearer token. Digests are compared, in constant time, so neither
 * the token's letters nor its length can be found by timing.
 */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
