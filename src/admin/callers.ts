import type { Identified } from '../app/identify.ts';
import type { Actor, Caller } from '../core/access.ts';
import type { ApiKey } from '../core/api-key.ts';
import { AppError } from '../core/errors.ts';
import { bearerToken, isSameDigest, sha256 } from './bearer-token.ts';

/** Who brought which token. */
export interface Callers {
  /**
   * @param token that of an `Authorization` header or a cookie.
   * @throws AppError UNAUTHORIZED (no token, or an unknown one), TOKEN_EXPIRED, SESSION_ENDED, TENANT_UNAVAILABLE.
   */
  identify(token: string | undefined): Promise<Identified>;
  /** True when the header carries the token of the whole host. */
  isHost(authorization: string | undefined): boolean;
}

export interface CallerSources {
  readonly hostToken: string;
  /** Keys of the configuration. */
  readonly keys: readonly ApiKey[];
  /** Milliseconds UTC. */
  readonly now: () => number;
  /** Recognises what the tenants' databases know: logins and keys made through the API. @throws AppError. */
  readonly identifyStored: (token: string) => Promise<Identified>;
}

const HOST: Actor = { kind: 'host', id: '', name: 'host', level: 0 };

/** The host's own token, keys of the configuration, and whatever the tenants' databases know. */
export function createCallers({ hostToken, keys, now, identifyStored }: CallerSources): Callers {
  const hostDigest = sha256(hostToken);
  const known = keys.map((key) => ({ key, digest: Buffer.from(key.sha256, 'hex') }));
  const isHost = (token: string | undefined): boolean => token !== undefined && isSameDigest(sha256(token), hostDigest);
  return {
    isHost: (authorization) => isHost(bearerToken(authorization)),
    async identify(token) {
      if (isHost(token)) return { caller: { kind: 'host', by: HOST } };
      if (token === undefined) throw new AppError('UNAUTHORIZED');
      const given = sha256(token);
      const key = known.find(({ digest }) => isSameDigest(digest, given))?.key;
      if (key === undefined) return identifyStored(token);
      if (key.expiresAt !== undefined && now() >= key.expiresAt) throw new AppError('TOKEN_EXPIRED');
      return { caller: configCaller(key) };
    },
  };
}

function configCaller({ tenant, role, sha256: hash }: ApiKey): Caller {
  // The beginning of the hash tells keys of one role apart in the log of changes, and is no secret.
  const by: Actor = { kind: 'config-key', id: '', name: `http.keys ${role} ${hash.slice(0, 8)}`, level: 0 };
  return { kind: 'tenant', tenant, role, by };
}
