import type { Actor } from '../core/access.ts';
import { auditEntry } from '../core/audit-entry.ts';
import { AppError, coerceError, orThrow } from '../core/errors.ts';
import { parseTenantId } from '../core/tenant.ts';
import { accountKey, checkPassword as checkNewPassword, typedAccount, type User } from '../core/user.ts';
import type { IdentityStore, Session } from '../ports/identity.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { type IdentityServices, identityOf, storeForStranger } from './identity-services.ts';

/** What somebody typed. */
export interface Credentials {
  readonly tenant: string;
  readonly account: string;
  readonly password: string;
}

/** A login: the token to bring from now on. */
export interface Login {
  readonly tenant: string;
  readonly token: string;
  readonly expiresAt: number;
  readonly session: Session;
  readonly user: User;
}

/**
 * Checks account and password and opens a session. A tenant, account and password that are wrong are refused in the
 * same words and after the same time.
 * @throws AppError LOGIN_FAILED, LOGIN_LIMITED, LOGIN_BUSY.
 */
export async function logIn(services: IdentityServices, credentials: Credentials, address: string): Promise<Login> {
  const { tenant, account } = credentials;
  const store = openStore(services, tenant);
  const attempt = services.limits.begin(store?.tenant ?? tenant, account, address);
  try {
    const found = await services.limits.queue(() => checkPassword(services, store, credentials));
    if (store === undefined || found === undefined) throw new AppError('LOGIN_FAILED');
    attempt.succeeded();
    const login = await openSession(services, store, found.user);
    await store.identity.users.noteLogin(found.user.id, services.clock.now(), found.newHash);
    services.log.info('user.logged_in', { tenantId: store.tenant, account: found.user.account });
    return login;
  } catch (thrown) {
    const error = coerceError(thrown);
    if (error.code === 'LOGIN_FAILED')
      services.log.warn('user.login_refused', { tenantId: tenant.slice(0, 50), address });
    else attempt.undecided();
    throw error;
  }
}

/** Undefined for a tenant that nobody has heard of. @throws AppError TENANT_UNAVAILABLE. */
function openStore({ directory }: IdentityServices, tenant: string): TenantStore | undefined {
  const parsed = parseTenantId(tenant);
  return parsed.ok ? storeForStranger(directory, parsed.value) : undefined;
}

async function checkPassword(
  { hasher }: IdentityServices,
  store: TenantStore | undefined,
  { account, password }: Credentials,
): Promise<{ readonly user: User; readonly newHash?: string } | undefined> {
  const stored = await store?.identity.users.findForLogin(typedAccount(account));
  // Databases may take é for e; failed logins are counted by what was typed, so that would be a second count.
  const found = stored !== undefined && accountKey(stored.user.account) === accountKey(account) ? stored : undefined;
  const isRight = await hasher.verify(password, found?.passwordHash);
  if (!isRight || found === undefined || !found.user.isEnabled) return undefined;
  const { user, passwordHash } = found;
  return hasher.isOutdated(passwordHash) ? { user, newHash: await hasher.hash(password) } : { user };
}

/** Opens a session for somebody whose password was checked. */
export async function openSession(services: IdentityServices, store: TenantStore, user: User): Promise<Login> {
  const { clock, ids, times } = services;
  const now = clock.now();
  const session: Session = {
    id: ids.secret(),
    userId: user.id,
    createdAt: now,
    expiresAt: now + times.sessionMs,
    csrf: ids.secret(),
  };
  await store.identity.sessions.add(session);
  const { token, expiresAt } = await issueToken(services, store.tenant, session);
  return { tenant: store.tenant, token, expiresAt, session, user };
}

/** A token for a session, which it does not outlive. */
export async function issueToken(
  { clock, signer, times }: IdentityServices,
  tenant: string,
  session: Session,
): Promise<{ readonly token: string; readonly expiresAt: number }> {
  const issuedAt = clock.now();
  const expiresAt = Math.min(issuedAt + times.tokenMs, session.expiresAt);
  const token = await signer.sign({ tenant, userId: session.userId, sessionId: session.id, issuedAt, expiresAt });
  return { token, expiresAt };
}

/** Ends a login: its token is refused from now on. */
export async function logOut(services: IdentityServices, tenant: string, sessionId: string): Promise<void> {
  await identityOf(services, tenant).sessions.remove(sessionId);
  services.cache.forget(tenant);
  services.log.info('user.logged_out', { tenantId: tenant });
}

/** A person changes his own password; his other logins end. @throws AppError LOGIN_FAILED, LOGIN_LIMITED, REQUEST_INVALID, NOT_FOUND. */
export async function changeOwnPassword(
  services: IdentityServices,
  place: { readonly tenant: string; readonly by: Actor; readonly address: string },
  passwords: { readonly old: string; readonly next: string },
): Promise<Login> {
  const { tenant, by, address } = place;
  const identity: IdentityStore = identityOf(services, tenant);
  const credentials = { tenant, account: by.name, password: passwords.old };
  const store = openStore(services, tenant);
  const attempt = services.limits.begin(tenant, by.name, address);
  try {
    const found = await services.limits.queue(() => checkPassword(services, store, credentials));
    if (store === undefined || found === undefined || found.user.id !== by.id) throw new AppError('LOGIN_FAILED');
    attempt.succeeded();
    orThrow(checkNewPassword(passwords.next, by.name));
    const passwordHash = await services.limits.queue(() => services.hasher.hash(passwords.next));
    const entry = auditEntry(place, 'user.password-changed', by.name);
    const user = await identity.users.change(by.id, { passwordHash }, { endSessions: true }, entry);
    services.cache.forget(tenant);
    return await openSession(services, store, user);
  } catch (thrown) {
    const error = coerceError(thrown);
    if (error.code !== 'LOGIN_FAILED') attempt.undecided();
    throw error;
  }
}
