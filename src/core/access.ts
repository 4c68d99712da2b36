import type { ErrorRecord } from './errors.ts';
import { sameTenant } from './tenant.ts';

/** What a person or program may be in one tenant. */
export const ROLES = ['admin', 'developer', 'designer', 'operator', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/**
 * From this level on the platform takes a user for an administrator of the tenant (v8-surface.md 8.3). Users of the
 * host keep to it both ways: an admin has at least this level, and nobody else does.
 */
export const ADMIN_LEVEL = 9999;

/** Who may do what in their own tenant. An empty row is for callers of the whole host only. */
export const PERMISSIONS = Object.freeze({
  'identity.read': ROLES,
  'session.own': ROLES,
  'tenant.list': ROLES,
  'record.read': ROLES,
  'engine.read': ['admin', 'developer', 'designer', 'operator'],
  'content.read': ['admin', 'developer', 'designer', 'operator'],
  'engine.push': ['admin', 'developer'],
  'engine.switch': ['admin', 'developer', 'operator'],
  'engine.run': ['admin', 'developer', 'designer'],
  'binding.change': ['admin', 'developer', 'designer'],
  'table.read': ['admin', 'developer', 'designer', 'operator'],
  'table.write': ['admin', 'developer', 'designer'],
  'message.send': ['admin', 'developer', 'designer', 'operator'],
  'message.try': ['admin', 'developer', 'operator'],
  'dead-letter.change': ['admin', 'operator'],
  'outbox.change': ['admin', 'operator'],
  'mqtt.change': ['admin', 'operator'],
  'settings.read': ['admin', 'operator'],
  'settings.change': ['admin'],
  'tenant.reload': ['admin', 'operator'],
  'user.manage': ['admin'],
  'key.manage': ['admin'],
  'audit.read': ['admin'],
  'tenant.manage': [],
  'host.read': [],
  'host.backup': [],
  'host.manage': [],
} as const satisfies Record<string, readonly Role[]>);
export type Permission = keyof typeof PERMISSIONS;

/** What a key that is not a person's may never do: else one that leaked could make itself others. */
const PEOPLE_ONLY: ReadonlySet<Permission> = new Set<Permission>(['session.own', 'user.manage', 'key.manage']);

/** What a key of the role may be narrowed to. */
export function keyPermissions(role: Role): readonly Permission[] {
  const all = Object.keys(PERMISSIONS) as Permission[];
  return all.filter((each) => (PERMISSIONS[each] as readonly Role[]).includes(role) && !PEOPLE_ONLY.has(each));
}

/** By whom something is done: for the log of changes, and for what scripts see of their user. */
export interface Actor {
  /** `host` and `config-key` are tokens of the configuration, `api-key` one made through the API. */
  readonly kind: 'host' | 'config-key' | 'api-key' | 'user';
  /** Empty for tokens of the configuration. */
  readonly id: string;
  /** Account of a user, name of a key. */
  readonly name: string;
  /** What people call a user; absent or empty where nobody said it. */
  readonly personName?: string;
  /** Of users only; others have 0. */
  readonly level: number;
}

/** Whoever brought a valid token: of the whole host, or of one tenant in one role. */
export type Caller =
  | { readonly kind: 'host'; readonly by: Actor }
  | {
      readonly kind: 'tenant';
      readonly tenant: string;
      readonly role: Role;
      readonly by: Actor;
      /** A key that may do less than its role; undefined: all of it. */
      readonly scopes?: readonly Permission[] | undefined;
    };

/**
 * Why this caller may not do this, or undefined. `tenant` is the tenant it would be done in. Another tenant is refused
 * in the same words whether it exists or not. Refusals: TOKEN_FOREIGN, ROLE_DENIED, SCOPE_DENIED, USER_NEEDED.
 */
export function refusalOf(caller: Caller, permission: Permission, tenant?: string): ErrorRecord | undefined {
  if (permission === 'session.own' && caller.by.kind !== 'user') return { code: 'USER_NEEDED', params: { permission } };
  if (caller.kind === 'host') return undefined;
  if (tenant !== undefined && !maySee(caller, tenant)) {
    return { code: 'TOKEN_FOREIGN', params: { tenant: caller.tenant } };
  }
  const roles: readonly Role[] = PERMISSIONS[permission];
  if (!roles.includes(caller.role)) return { code: 'ROLE_DENIED', params: { role: caller.role, permission } };
  if (PEOPLE_ONLY.has(permission) && caller.by.kind !== 'user') return { code: 'USER_NEEDED', params: { permission } };
  if (caller.scopes !== undefined && !caller.scopes.includes(permission)) {
    return { code: 'SCOPE_DENIED', params: { permission } };
  }
  return undefined;
}

/** True when the caller may do this in the tenant. */
export function isAllowed(caller: Caller, permission: Permission, tenant?: string): boolean {
  return refusalOf(caller, permission, tenant) === undefined;
}

/** True when a list for this caller may name the tenant. */
export function maySee(caller: Caller, tenant: string): boolean {
  return caller.kind === 'host' || sameTenant(caller.tenant, tenant);
}

/**
 * True for what the platform calls a platform administrator: a person of the tenant, logged in, with `Level` 9999 or
 * more. Keys are refused, whatever their role (mq-mqtt.md 8).
 */
export function isPlatformAdmin(caller: Caller): boolean {
  return caller.by.kind === 'user' && caller.by.level >= ADMIN_LEVEL;
}
