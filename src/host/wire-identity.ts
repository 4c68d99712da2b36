import { createIdentityAdmin } from '../admin/identity-admin.ts';
import { createTokenSigner } from '../admin/token-signer.ts';
import { FirstAdmin } from '../app/first-admin.ts';
import { IdentityCache } from '../app/identity-cache.ts';
import type { IdentityServices } from '../app/identity-services.ts';
import { KeyRing } from '../app/key-ring.ts';
import { LoginLimits } from '../app/login-limits.ts';
import type { Adapters } from '../compose.ts';
import { AppError } from '../core/errors.ts';

type IdentityAdapters = Pick<Adapters, 'directory' | 'clock' | 'ids' | 'log' | 'hasher' | 'invalidation'>;

/** Milliseconds. */
export interface IdentitySettings {
  /** Life of a login's token. */
  readonly tokenMs: number;
  /** Life of a login. */
  readonly sessionMs: number;
  /** How long a key signs. */
  readonly rotationMs: number;
}

/** What people and keys are recognised with. */
export function wireIdentity(adapters: IdentityAdapters, { tokenMs, sessionMs, rotationMs }: IdentitySettings) {
  const { directory, clock, ids, log, hasher } = adapters;
  const [main] = directory.open();
  if (main === undefined) throw new AppError('INTERNAL');
  const ring = new KeyRing({ store: main.identity.signingKeys, clock, ids, rotationMs, tokenMs });
  const services: IdentityServices = {
    directory,
    clock,
    ids,
    hasher,
    ring,
    log: log.child('app.identity'),
    signer: createTokenSigner(ring, clock),
    limits: new LoginLimits(clock),
    cache: new IdentityCache(adapters),
    times: { tokenMs, sessionMs },
  };
  const firstAdmin = new FirstAdmin(services);
  return { admin: createIdentityAdmin(services, firstAdmin), firstAdmin, close: () => services.cache.close() };
}
