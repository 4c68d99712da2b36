import { accept, type Parsed, refuse } from './errors.ts';

const TENANT = /^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/;

/**
 * A tenant's name as somebody wrote it: trimmed, 1 to 50 ASCII letters, digits, `_` and `-`, the first a letter or
 * digit. The case is kept (mq-mqtt.md 1.1); there is no fallback to any tenant. Refusal: TENANT_INVALID.
 */
export function parseTenantId(raw: unknown): Parsed<string> {
  const text = typeof raw === 'string' ? raw.trim() : '';
  return TENANT.test(text) ? accept(text) : refuse('TENANT_INVALID');
}

/** True when two names mean the same tenant: they differ in the case of ASCII letters at most. */
export function sameTenant(a: string, b: string): boolean {
  return tenantKey(a) === tenantKey(b);
}

/**
 * The name as keys and prefixes use it. Only ASCII letters change: full Unicode folding would make the Kelvin sign a
 * `k` and so give a tenant a second spelling.
 */
export function tenantKey(tenant: string): string {
  return /[A-Z]/.test(tenant) ? tenant.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : tenant;
}
