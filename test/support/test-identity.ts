import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedInvalidation } from '../../src/adapters/embedded/embedded-invalidation.ts';
import { createSqliteDirectory } from '../../src/adapters/sql/tenant-directory.ts';
import { createPasswordHasher } from '../../src/adapters/system/password-hasher.ts';
import { systemClock } from '../../src/adapters/system/system-clock.ts';
import { systemIds } from '../../src/adapters/system/system-ids.ts';
import { createIdentityAdmin, type IdentityAdmin } from '../../src/admin/identity-admin.ts';
import { createTokenSigner } from '../../src/admin/token-signer.ts';
import { FirstAdmin } from '../../src/app/first-admin.ts';
import { IdentityCache } from '../../src/app/identity-cache.ts';
import type { IdentityServices } from '../../src/app/identity-services.ts';
import { KeyRing } from '../../src/app/key-ring.ts';
import { LoginLimits } from '../../src/app/login-limits.ts';
import type { Actor, Role } from '../../src/core/access.ts';
import type { User } from '../../src/core/user.ts';
import type { PasswordHasher } from '../../src/ports/identity.ts';
import { SILENT_LOG } from './silent-log.ts';

export const PASSWORD = 'correct horse battery';

const HOUR_MS = 3_600_000;
const HOST: Actor = { kind: 'host', id: '', name: 'test', level: 0 };

/** Takes no time. What it is for is tested with the real one. */
const QUICK_HASHER: PasswordHasher = {
  hash: async (password) => `quick:${password}`,
  verify: async (password, stored) => stored === `quick:${password}`,
  isOutdated: () => false,
};

export interface TestIdentity {
  readonly services: IdentityServices;
  readonly admin: IdentityAdmin;
  readonly firstAdmin: FirstAdmin;
  /** Moves the clock forward, or back. Milliseconds. */
  pass(ms: number): void;
  /** Makes a user and logs it in. */
  login(tenant: string, role: Role, account?: string): Promise<{ user: User; token: string; csrf: string }>;
  /** Makes a key of the tenant. */
  key(tenant: string, role: Role, options?: { scopes?: readonly never[]; expiresAt?: number }): Promise<string>;
  close(): Promise<void>;
}

/** Logins, users and keys over real SQLite files: main tenant `demo`, another one `shop`. */
export async function openIdentity(options: { realHasher?: boolean } = {}): Promise<TestIdentity> {
  const dataDir = mkdtempSync(join(tmpdir(), 'v8host-identity-'));
  let skipped = 0;
  const clock = { ...systemClock('Asia/Shanghai'), now: () => Date.now() + skipped };
  const ids = systemIds();
  const directory = await createSqliteDirectory({ dataDir, mainTenant: 'demo', clock, ids, log: SILENT_LOG });
  await directory.add('shop', undefined);
  const [main] = directory.open();
  if (main === undefined) throw new Error('no main tenant');
  const times = { tokenMs: 12 * HOUR_MS, sessionMs: 30 * 24 * HOUR_MS };
  const ring = new KeyRing({ store: main.identity.signingKeys, clock, ids, rotationMs: 720 * HOUR_MS, ...times });
  const services: IdentityServices = {
    directory,
    clock,
    ids,
    ring,
    times,
    log: SILENT_LOG,
    hasher: options.realHasher === true ? createPasswordHasher() : QUICK_HASHER,
    signer: createTokenSigner(ring, clock),
    limits: new LoginLimits(clock),
    cache: new IdentityCache({ clock, invalidation: new EmbeddedInvalidation() }),
  };
  const firstAdmin = new FirstAdmin(services);
  const admin = createIdentityAdmin(services, firstAdmin);
  const origin = { by: HOST, address: '' };
  return {
    services,
    admin,
    firstAdmin,
    pass: (ms) => {
      skipped += ms;
    },
    async login(tenant, role, account = `${role}@${tenant}`) {
      const place = { ...origin, tenant, caller: { kind: 'host', by: HOST } as const };
      const user = await admin.addUser(place, { account, name: '', password: PASSWORD, role, isHostAdmin: false });
      const { token, session } = await admin.logIn({ tenant, account, password: PASSWORD }, '192.0.2.1');
      return { user, token, csrf: session.csrf };
    },
    async key(tenant, role, { scopes, expiresAt } = {}) {
      const { text } = await admin.addKey({ ...origin, tenant }, { name: `key of ${role}`, role, scopes, expiresAt });
      return text;
    },
    async close() {
      services.cache.close();
      await directory.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
