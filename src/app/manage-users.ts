import type { Caller, Role } from '../core/access.ts';
import { auditEntry } from '../core/audit-entry.ts';
import type { ChangeOrigin } from '../core/change-origin.ts';
import { AppError, orThrow } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { sameTenant } from '../core/tenant.ts';
import { checkPassword, levelOf, parseAccount, type User } from '../core/user.ts';
import { type IdentityServices, identityOf } from './identity-services.ts';

export interface UserDraft {
  readonly account: string;
  readonly name: string;
  readonly password: string;
  readonly role: Role;
  readonly level?: number | undefined;
  /** An administrator of the whole host: in the main tenant, made by one, and always `admin`. */
  readonly isHostAdmin: boolean;
}

export interface UserEdit {
  readonly name?: string | undefined;
  readonly role?: Role | undefined;
  readonly level?: number | undefined;
  readonly isEnabled?: boolean | undefined;
  readonly isHostAdmin?: boolean | undefined;
  readonly password?: string | undefined;
}

/** Who changes what in which tenant. */
export interface UserPlace extends ChangeOrigin {
  readonly tenant: string;
  readonly caller: Caller;
}

/** @throws AppError REQUEST_INVALID, USER_EXISTS, ROLE_DENIED. */
export async function addUser(services: IdentityServices, place: UserPlace, draft: UserDraft): Promise<User> {
  const account = orThrow(parseAccount(draft.account));
  orThrow(checkPassword(draft.password, account));
  const level = orThrow(levelOf(draft.role, draft.level));
  if (draft.isHostAdmin) refuseHostAdmin(services, place, draft.role);
  const user = {
    id: services.ids.ulid(),
    account,
    name: draft.name,
    role: draft.role,
    level,
    isHostAdmin: draft.isHostAdmin,
    isEnabled: true,
  };
  const passwordHash = await services.limits.queue(() => services.hasher.hash(draft.password));
  const entry = auditEntry(place, 'user.added', account, { after: shown(user) });
  return identityOf(services, place.tenant).users.add({ ...user, passwordHash }, entry);
}

/**
 * Changes a user. A new role, level, password or switching off ends the user's logins.
 * @throws AppError NOT_FOUND, REQUEST_INVALID, LAST_ADMIN, ROLE_DENIED.
 */
export async function changeUser(
  services: IdentityServices,
  place: UserPlace,
  id: string,
  edit: UserEdit,
): Promise<User> {
  const { users } = identityOf(services, place.tenant);
  const before = await findUser(services, place.tenant, id);
  refuseAboveSelf(place.caller, before);
  const role = edit.role ?? before.role;
  const keepsLevel = edit.level === undefined && edit.role === undefined;
  const level = keepsLevel ? before.level : orThrow(levelOf(role, edit.level));
  const isHostAdmin = edit.isHostAdmin ?? (before.isHostAdmin && role === 'admin');
  if (isHostAdmin && !before.isHostAdmin) refuseHostAdmin(services, place, role);
  if (edit.password !== undefined) orThrow(checkPassword(edit.password, before.account));
  const { password } = edit;
  const passwordHash =
    password === undefined ? undefined : await services.limits.queue(() => services.hasher.hash(password));
  const after = { ...before, name: edit.name ?? before.name, isEnabled: edit.isEnabled ?? before.isEnabled };
  const changed = { ...after, role, level, isHostAdmin };
  const { name, isEnabled } = changed;
  const entry = auditEntry(place, 'user.changed', before.account, {
    before: shown(before),
    after: { ...shown(changed), ...(password === undefined ? {} : { password: '***' }) },
  });
  const change = { name, role, level, isEnabled, isHostAdmin, ...(passwordHash === undefined ? {} : { passwordHash }) };
  const endSessions = password !== undefined || !isEnabled || role !== before.role || level !== before.level;
  const user = await users.change(id, change, { endSessions }, entry);
  services.cache.forget(place.tenant);
  return user;
}

/** Removes a user; its logins end. @throws AppError NOT_FOUND, LAST_ADMIN, ROLE_DENIED. */
export async function removeUser(services: IdentityServices, place: UserPlace, id: string): Promise<void> {
  const before = await findUser(services, place.tenant, id);
  refuseAboveSelf(place.caller, before);
  const entry = auditEntry(place, 'user.removed', before.account, { before: shown(before) });
  await identityOf(services, place.tenant).users.remove(id, entry);
  services.cache.forget(place.tenant);
}

/** Ends every login of a user. @returns how many. @throws AppError NOT_FOUND, ROLE_DENIED. */
export async function endLogins(services: IdentityServices, place: UserPlace, id: string): Promise<number> {
  const user = await findUser(services, place.tenant, id);
  refuseAboveSelf(place.caller, user);
  const identity = identityOf(services, place.tenant);
  const ended = await identity.sessions.removeOfUser(id);
  await identity.audit.write(auditEntry(place, 'user.logins-ended', user.account, { after: { ended } }));
  services.cache.forget(place.tenant);
  return ended;
}

/** @throws AppError NOT_FOUND. */
export async function findUser(services: IdentityServices, tenant: string, id: string): Promise<User> {
  const user = await identityOf(services, tenant).users.find(id);
  if (user === undefined) throw new AppError('NOT_FOUND', { what: id });
  return user;
}

/** Only who may do everything gives that right, and only to an admin of the main tenant. */
function refuseHostAdmin({ directory }: IdentityServices, { caller, tenant }: UserPlace, role: Role): void {
  if (caller.kind !== 'host') throw new AppError('ROLE_DENIED', { role: caller.role, permission: 'host.manage' });
  const [main] = directory.open();
  if (main !== undefined && sameTenant(main.tenant, tenant) && role === 'admin') return;
  throw new AppError('REQUEST_INVALID', {
    field: 'body.isHostAdmin',
    rule: '只能用于主租户的 admin / for an admin of the main tenant only',
  });
}

/** An admin of the main tenant must not take over an administrator of the host by setting his password. */
function refuseAboveSelf(caller: Caller, user: User): void {
  if (!user.isHostAdmin || caller.kind === 'host') return;
  throw new AppError('ROLE_DENIED', { role: caller.role, permission: 'host.manage' });
}

/** A user as the log of changes shows it. */
function shown({ name, role, level, isHostAdmin, isEnabled }: Omit<User, 'createdAt' | 'lastLoginAt'>): JsonObject {
  return { name, role, level, isHostAdmin, isEnabled };
}
