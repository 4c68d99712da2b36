import { createHash, timingSafeEqual } from 'node:crypto';

/** The token of an `Authorization` header; undefined when it carries none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

/**
 * Tokens are compared by their digests, in constant time, so neither a token's letters nor its length can be found by
 * timing.
 */
export function isSameDigest(a: Buffer, b: Buffer): boolean {
  return timingSafeEqual(a, b);
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
