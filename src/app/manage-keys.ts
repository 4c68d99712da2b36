import { PERMISSIONS, type Permission, type Role } from '../core/access.ts';
import { auditEntry } from '../core/audit-entry.ts';
import { bilingual } from '../core/bilingual.ts';
import type { ChangeOrigin } from '../core/change-origin.ts';
import { AppError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { StoredKey } from '../ports/identity.ts';
import { makeKeyText } from './identify.ts';
import { type IdentityServices, identityOf } from './identity-services.ts';

export interface KeyDraft {
  readonly name: string;
  readonly role: Role;
  /** Undefined: everything the role may do. */
  readonly scopes: readonly Permission[] | undefined;
  /** Milliseconds UTC. */
  readonly expiresAt: number | undefined;
}

/** Who changes keys of which tenant. */
export interface KeyPlace extends ChangeOrigin {
  readonly tenant: string;
}

/** Makes a key. @returns it, and its text, which nobody can read again. @throws AppError REQUEST_INVALID. */
export async function addKey(
  services: IdentityServices,
  place: KeyPlace,
  { name, role, scopes, expiresAt }: KeyDraft,
): Promise<{ readonly key: StoredKey; readonly text: string }> {
  const { ids, clock, directory } = services;
  const identity = identityOf(services, place.tenant);
  const createdAt = clock.now();
  refuseUseless({ role, scopes, expiresAt }, createdAt);
  const text = makeKeyText(directory.get(place.tenant)?.tenant ?? place.tenant, ids.secret());
  const key = { id: ids.ulid(), name, role, scopes, expiresAt, createdAt, createdBy: place.by.name };
  const entry = auditEntry(place, 'key.added', name, { after: shown(key) });
  const stored: StoredKey = { ...key, lastUsedAt: undefined };
  await identity.keys.add(stored, ids.sha256Hex(text), entry);
  return { key: stored, text };
}

/** Withdraws a key: it is refused from now on. @throws AppError NOT_FOUND. */
export async function removeKey(services: IdentityServices, place: KeyPlace, id: string): Promise<void> {
  const identity = identityOf(services, place.tenant);
  const key = (await identity.keys.list()).find((each) => each.id === id);
  if (key === undefined) throw new AppError('NOT_FOUND', { what: id });
  await identity.keys.remove(id, auditEntry(place, 'key.removed', key.name, { before: shown(key) }));
  services.cache.forget(place.tenant);
}

/** A scope beyond the role would promise what is refused later. */
function refuseUseless({ role, scopes, expiresAt }: Omit<KeyDraft, 'name'>, now: number): void {
  const beyond = scopes?.find((scope) => !(PERMISSIONS[scope] as readonly Role[]).includes(role));
  if (beyond !== undefined) {
    const rule = bilingual(`角色 ${role} 没有 ${beyond}`, `role ${role} does not have ${beyond}`);
    throw new AppError('REQUEST_INVALID', { field: 'body.scopes', rule });
  }
  if (expiresAt !== undefined && expiresAt <= now) {
    throw new AppError('REQUEST_INVALID', { field: 'body.expiresAt', rule: bilingual('须在将来', 'in the future') });
  }
}

function shown({
  id,
  name,
  role,
  scopes,
  expiresAt,
}: Pick<StoredKey, 'id' | 'name' | 'role' | 'scopes' | 'expiresAt'>): JsonObject {
  return { id, name, role, scopes: scopes === undefined ? null : [...scopes], expiresAt: expiresAt ?? null };
}
