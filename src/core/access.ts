import type { ErrorRecord } from './errors.ts';
import { sameTenant } from './tenant.ts';

/** What a person or program may be in one tenant. */
export const ROLES = ['admin', 'developer', 'designer', 'operator', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** Who may do what in their own tenant. An empty row is for callers of the whole host only. */
export const PERMISSIONS = Object.freeze({
  'tenant.list': ROLES,
  'record.read': ROLES,
  'engine.push': ['admin', 'developer'],
  'engine.run': ['admin', 'developer', 'designer'],
  'message.send': ['admin', 'developer', 'designer', 'operator'],
  'message.try': ['admin', 'developer', 'operator'],
  'dead-letter.change': ['admin', 'operator'],
  'mqtt.change': ['admin', 'operator'],
  'tenant.reload': ['admin', 'operator'],
  'tenant.manage': [],
  'host.read': [],
} as const satisfies Record<string, readonly Role[]>);
export type Permission = keyof typeof PERMISSIONS;

/** Whoever brought a valid token: of the whole host, or of one tenant in one role. */
export type Caller =
  | { readonly kind: 'host' }
  | { readonly kind: 'tenant'; readonly tenant: string; readonly role: Role };

/**
 * Why this caller may not do this, or undefined. `tenant` is the tenant it would be done in. Another tenant is refused
 * in the same words whether it exists or not. Refusals: TOKEN_FOREIGN, ROLE_DENIED.
 */
export function refusalOf(caller: Caller, permission: Permission, tenant?: string): ErrorRecord | undefined {
  if (caller.kind === 'host') return undefined;
  if (tenant !== undefined && !maySee(caller, tenant)) {
    return { code: 'TOKEN_FOREIGN', params: { tenant: caller.tenant } };
  }
  const roles: readonly Role[] = PERMISSIONS[permission];
  if (roles.includes(caller.role)) return undefined;
  return { code: 'ROLE_DENIED', params: { role: caller.role, permission } };
}

/** True when a list for this caller may name the tenant. */
export function maySee(caller: Caller, tenant: string): boolean {
  return caller.kind === 'host' || sameTenant(caller.tenant, tenant);
}
