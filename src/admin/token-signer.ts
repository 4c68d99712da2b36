import { Buffer } from 'node:buffer';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { KeyRing } from '../app/key-ring.ts';
import { AppError } from '../core/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { LoginClaims, TokenSigner } from '../ports/identity.ts';

/** The one algorithm: a token that names another is refused before anything of it is believed. */
const ALGORITHM = 'HS256';
const ISSUER = 'v8host';

/**
 * Tokens of logins as JWTs, signed by the newest key of the ring. `sub` is the user, `os` the tenant, `sid` the
 * session. What the user may do is not in it: it is read from the database, so that a change counts at once.
 */
export function createTokenSigner(ring: KeyRing, clock: Clock): TokenSigner {
  return {
    async sign({ tenant, userId, sessionId, issuedAt, expiresAt }) {
      const { kid, secret } = await ring.current();
      return new SignJWT({ os: tenant, sid: sessionId })
        .setProtectedHeader({ alg: ALGORITHM, kid, typ: 'JWT' })
        .setIssuer(ISSUER)
        .setSubject(userId)
        .setIssuedAt(Math.floor(issuedAt / 1000))
        .setExpirationTime(Math.floor(expiresAt / 1000))
        .sign(bytesOf(secret));
    },
    isToken: (text) => /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(text),
    async read(token) {
      try {
        const { payload } = await jwtVerify(token, async ({ kid }) => keyOf(ring, kid), {
          algorithms: [ALGORITHM],
          issuer: ISSUER,
          currentDate: new Date(clock.now()),
          requiredClaims: ['sub', 'os', 'sid', 'iat', 'exp'],
        });
        return claimsOf(payload);
      } catch (thrown) {
        if (thrown instanceof errors.JWTExpired) throw new AppError('TOKEN_EXPIRED');
        if (thrown instanceof errors.JOSEError) throw new AppError('UNAUTHORIZED');
        throw thrown;
      }
    },
  };
}

async function keyOf(ring: KeyRing, kid: string | undefined): Promise<Uint8Array> {
  const key = kid === undefined ? undefined : await ring.find(kid);
  if (key === undefined) throw new AppError('UNAUTHORIZED');
  return bytesOf(key.secret);
}

function bytesOf(secret: string): Uint8Array {
  return Buffer.from(secret, 'base64url');
}

function claimsOf({
  sub,
  os,
  sid,
  iat = 0,
  exp = 0,
}: { sub?: string; iat?: number; exp?: number } & Record<string, unknown>): LoginClaims {
  return {
    tenant: String(os),
    userId: String(sub),
    sessionId: String(sid),
    issuedAt: iat * 1000,
    expiresAt: exp * 1000,
  };
}
