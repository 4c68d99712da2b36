import type { Caller } from '../core/access.ts';
import type { ApiKey } from '../core/api-key.ts';
import { AppError } from '../core/errors.ts';
import { bearerToken, isSameDigest, sha256 } from './bearer-token.ts';

/** Who brought which token. */
export interface Callers {
  /** @throws AppError UNAUTHORIZED (no token, or an unknown one), TOKEN_EXPIRED. */
  identify(authorization: string | undefined): Caller;
  /** True when the header carries the token of the whole host. */
  isHost(authorization: string | undefined): boolean;
}

/** The host's own token and the keys of tenants. `now` is in milliseconds UTC. */
export function createCallers(hostToken: string, keys: readonly ApiKey[], now: () => number): Callers {
  const hostDigest = sha256(hostToken);
  const known = keys.map((key) => ({ key, digest: Buffer.from(key.sha256, 'hex') }));
  const isHost = (authorization: string | undefined): boolean => {
    const token = bearerToken(authorization);
    return token !== undefined && isSameDigest(sha256(token), hostDigest);
  };
  return {
    isHost,
    identify(authorization) {
      if (isHost(authorization)) return { kind: 'host' };
      const token = bearerToken(authorization);
      if (token === undefined) throw new AppError('UNAUTHORIZED');
      const given = sha256(token);
      const key = known.find(({ digest }) => isSameDigest(digest, given))?.key;
      if (key === undefined) throw new AppError('UNAUTHORIZED');
      if (key.expiresAt !== undefined && now() >= key.expiresAt) throw new AppError('TOKEN_EXPIRED');
      return { kind: 'tenant', tenant: key.tenant, role: key.role };
    },
  };
}
