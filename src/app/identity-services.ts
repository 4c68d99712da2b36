import { bilingual } from '../core/bilingual.ts';
import { AppError, coerceError } from '../core/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdentityStore, PasswordHasher, TokenSigner } from '../ports/identity.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { TenantDirectory, TenantStore } from '../ports/tenant-store.ts';
import type { IdentityCache } from './identity-cache.ts';
import type { KeyRing } from './key-ring.ts';
import type { LoginLimits } from './login-limits.ts';

/** What people and keys are recognised with. */
export interface IdentityServices {
  readonly directory: TenantDirectory;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly hasher: PasswordHasher;
  readonly signer: TokenSigner;
  readonly ring: KeyRing;
  readonly limits: LoginLimits;
  readonly cache: IdentityCache;
  readonly times: IdentityTimes;
}

/** Milliseconds. */
export interface IdentityTimes {
  /** Life of a token; one that is past half of it is renewed while it is used. */
  readonly tokenMs: number;
  /** Life of a login, however often its token is renewed. */
  readonly sessionMs: number;
}

/** @throws AppError TENANT_UNKNOWN, TENANT_UNAVAILABLE. */
export function identityOf({ directory }: Pick<IdentityServices, 'directory'>, tenant: string): IdentityStore {
  const store = directory.get(tenant);
  if (store === undefined) throw new AppError('TENANT_UNKNOWN', { tenant });
  return store.identity;
}

/** Instead of a reason that only operators may read. */
export const FOR_OPERATORS = bilingual('见主机日志', 'see the log of the host');

/**
 * The store of a tenant for somebody who has not shown yet who they are: why it is away is not for them.
 * @returns undefined when there is no such tenant. @throws AppError TENANT_UNAVAILABLE without the reason.
 */
export function storeForStranger(directory: TenantDirectory, tenant: string): TenantStore | undefined {
  try {
    return directory.get(tenant);
  } catch (thrown) {
    const error = coerceError(thrown);
    if (error.code !== 'TENANT_UNAVAILABLE') throw error;
    throw new AppError('TENANT_UNAVAILABLE', { tenant, reason: FOR_OPERATORS });
  }
}
