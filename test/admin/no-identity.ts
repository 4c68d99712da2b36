import type { IdentityAdmin } from '../../src/admin/identity-admin.ts';
import { AppError } from '../../src/core/errors.ts';

/** For servers whose callers have tokens of the configuration only: nobody else is known. */
export const NO_IDENTITY: IdentityAdmin = new Proxy({} as IdentityAdmin, {
  get: () => async () => {
    throw new AppError('UNAUTHORIZED');
  },
});
