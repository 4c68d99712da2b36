import type { Actor, Caller } from '../core/access.ts';
import { AppError } from '../core/errors.ts';
import { parseTenantId } from '../core/tenant.ts';
import type { User } from '../core/user.ts';
import type { Session, StoredKey } from '../ports/identity.ts';
import { type IdentityServices, storeForStranger } from './identity-services.ts';
import { issueToken } from './log-in.ts';

/** Somebody who was recognised. */
export interface Identified {
  readonly caller: Caller;
  /** Of a login only. */
  readonly login?: { readonly tenant: string; readonly session: Session; readonly user: User };
  /** A newer token for the same login: the one that was brought is past half of its life. */
  readonly renewed?: { readonly token: string; readonly expiresAt: number };
}

/** How keys made through the API begin; the tenant follows, which tells in whose database the key is. */
const KEY_PREFIX = 'v8k.';
/** Uses of a key are written down at most so often. Milliseconds. */
const USE_NOTED_MS = 60_000;

/** A new key of a tenant. It is shown once. */
export function makeKeyText(tenant: string, secret: string): string {
  return `${KEY_PREFIX}${tenant}.${secret}`;
}

/**
 * Recognises a key made through the API or the token of a login.
 * @throws AppError UNAUTHORIZED, TOKEN_EXPIRED, SESSION_ENDED, TENANT_UNAVAILABLE.
 */
export async function identify(services: IdentityServices, token: string): Promise<Identified> {
  if (token.startsWith(KEY_PREFIX)) return identifyKey(services, token);
  if (services.signer.isToken(token)) return identifyLogin(services, token);
  throw new AppError('UNAUTHORIZED');
}

async function identifyKey(services: IdentityServices, text: string): Promise<Identified> {
  const { directory, ids, clock, cache } = services;
  const tenant = parseTenantId(text.slice(KEY_PREFIX.length).split('.')[0]);
  const store = tenant.ok ? storeForStranger(directory, tenant.value) : undefined;
  if (store === undefined) throw new AppError('UNAUTHORIZED');
  const hash = ids.sha256Hex(text);
  const key = await cache.get(store.tenant, `key ${hash}`, () => findKey(services, store.identity.keys, hash));
  if (key === undefined) throw new AppError('UNAUTHORIZED');
  if (key.expiresAt !== undefined && clock.now() >= key.expiresAt) throw new AppError('TOKEN_EXPIRED');
  return { caller: { kind: 'tenant', tenant: store.tenant, role: key.role, scopes: key.scopes, by: keyActor(key) } };
}

async function findKey(
  { clock }: IdentityServices,
  keys: { findByHash(hash: string): Promise<StoredKey | undefined>; noteUse(id: string, at: number): Promise<void> },
  hash: string,
): Promise<StoredKey | undefined> {
  const key = await keys.findByHash(hash);
  const now = clock.now();
  if (key !== undefined && now - (key.lastUsedAt ?? 0) > USE_NOTED_MS) {
    // For people only: a request does not wait for it or fail with it.
    keys.noteUse(key.id, now).catch(() => undefined);
  }
  return key;
}

async function identifyLogin(services: IdentityServices, token: string): Promise<Identified> {
  const { directory, signer, clock, cache, times } = services;
  const claims = await signer.read(token);
  const store = directory.get(claims.tenant);
  if (store === undefined) throw new AppError('UNAUTHORIZED');
  const found = await cache.get(store.tenant, `session ${claims.sessionId}`, () =>
    store.identity.sessions.find(claims.sessionId),
  );
  if (found === undefined || found.user.id !== claims.userId || !found.user.isEnabled)
    throw new AppError('SESSION_ENDED');
  const now = clock.now();
  const { session, user } = found;
  if (now >= session.expiresAt) throw new AppError('TOKEN_EXPIRED');
  const isOld = now - claims.issuedAt > times.tokenMs / 2 && claims.expiresAt < session.expiresAt;
  const identified = {
    caller: callerOf(store.tenant, user, directory.open()[0] === store),
    login: { tenant: store.tenant, session, user },
  };
  return isOld ? { ...identified, renewed: await issueToken(services, store.tenant, session) } : identified;
}

/** @param inMain only there is a user's `isHostAdmin` believed: the database of another tenant may be in its own hands. */
function callerOf(tenant: string, user: User, inMain: boolean): Caller {
  const by: Actor = { kind: 'user', id: user.id, name: user.account, personName: user.name, level: user.level };
  return user.isHostAdmin && inMain ? { kind: 'host', by } : { kind: 'tenant', tenant, role: user.role, by };
}

function keyActor({ id, name }: StoredKey): Actor {
  return { kind: 'api-key', id, name, level: 0 };
}
