import { ADMIN_LEVEL, type Caller, type Role } from './access.ts';
import type { EngineEntry } from './engine-entry.ts';
import type { ErrorRecord } from './errors.ts';
import type { JsonObject } from './json.ts';

/** Whoever calls an engine over HTTP and is logged in. */
export interface EntryUser {
  readonly id: string;
  readonly name: string;
  /** `V8.CurrentUser`: what scripts read of them. */
  readonly current: JsonObject;
  readonly level: number;
  readonly roleIds: readonly string[];
  /** May only look: engines must name one of the roles. */
  readonly onlyGet: boolean;
}

/**
 * The caller of a token as a user: the one who logged in, or the token itself. A role is the id of its only role; the
 * host's own token is an administrator.
 */
export function entryUserOf(caller: Caller): EntryUser {
  const { by } = caller;
  const role = caller.kind === 'host' ? 'admin' : caller.role;
  const ofToken = caller.kind === 'host' ? 'host' : `token-${role}`;
  const id = by.id === '' ? ofToken : by.id;
  const account = by.id === '' ? ofToken : by.name;
  const name = by.personName || account;
  const level = by.kind === 'user' ? by.level : levelOfToken(role);
  const current = {
    Id: id,
    Account: account,
    Name: name,
    Level: level,
    RoleIds: [role],
    RoleName: role,
    _Roles: [{ Id: role, Name: role }],
    _IsAdmin: level >= ADMIN_LEVEL,
  };
  return { id, name, current, level, roleIds: [role], onlyGet: role === 'viewer' };
}

function levelOfToken(role: Role): number {
  return role === 'admin' ? ADMIN_LEVEL : 0;
}

/**
 * Why this user may not call this engine over HTTP, or undefined (v8-surface.md 5.5, 8.3). Refusals: ENTRY_LOGIN,
 * ENTRY_ROLE, ENTRY_QUERY_ONLY.
 */
export function entryRefusal(entry: EngineEntry, engine: string, user: EntryUser | undefined): ErrorRecord | undefined {
  if (entry.allowAnonymous) return undefined;
  if (user === undefined) return { code: 'ENTRY_LOGIN', params: {} };
  if (user.level >= ADMIN_LEVEL) return undefined;
  const { roles } = entry;
  if (roles.kind === 'any') return user.onlyGet ? { code: 'ENTRY_QUERY_ONLY', params: { engine } } : undefined;
  if (roles.kind === 'listed' && user.roleIds.some((id) => roles.ids.includes(id))) return undefined;
  return { code: 'ENTRY_ROLE', params: { engine } };
}
