import { ROLES, type Role } from './access.ts';
import { bilingual } from './bilingual.ts';
import { accept, type Parsed, refuse } from './errors.ts';
import { parseTenantId } from './tenant.ts';

/** A token of one tenant, for scripts and CI. The token itself is nowhere: its hash is. */
export interface ApiKey {
  readonly tenant: string;
  readonly role: Role;
  /** SHA-256 of the token, 64 lower-case hexadecimal digits. */
  readonly sha256: string;
  /** First moment at which it is no longer valid, in milliseconds UTC; undefined: it does not expire. */
  readonly expiresAt: number | undefined;
}

const KEY = /^([^.]+)\.([a-z]+)=([0-9a-f]{64})(?:@(\d{4}-\d{2}-\d{2}))?$/;
const DAY_MS = 86_400_000;

/**
 * Reads `TENANT.ROLE=SHA256` or `TENANT.ROLE=SHA256@YYYY-MM-DD`; the key is valid through that day UTC.
 * Refusal: PARAM_INVALID with the rule; the text is not quoted.
 */
export function parseApiKey(text: string): Parsed<ApiKey> {
  const [, tenantText, roleText, sha256 = '', day] = KEY.exec(text) ?? [];
  const tenant = parseTenantId(tenantText);
  const role = ROLES.find((name) => name === roleText);
  const expiresAt = day === undefined ? undefined : endOf(day);
  if (!tenant.ok || role === undefined || Number.isNaN(expiresAt)) return refuseKey();
  return accept({ tenant: tenant.value, role, sha256, expiresAt });
}

/** NaN for a day that no month has. */
function endOf(day: string): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const exists = month >= 1 && month <= 12 && date >= 1 && date <= daysIn(year, month);
  return exists ? Date.UTC(year, month - 1, date) + DAY_MS : Number.NaN;
}

/** `month` counts from 1. */
function daysIn(year: number, month: number): number {
  return (Date.UTC(year, month, 1) - Date.UTC(year, month - 1, 1)) / DAY_MS;
}

function refuseKey(): Parsed<never> {
  const roles = ROLES.join(', ');
  const zh = `须为 租户.角色=令牌的SHA-256（64 位小写十六进制），可加 @年-月-日；角色：${roles}`;
  const en = `TENANT.ROLE=SHA-256 of the token (64 lower-case hex digits), @YYYY-MM-DD may follow; roles: ${roles}`;
  return refuse('PARAM_INVALID', { field: 'http.keys', rule: bilingual(zh, en) });
}
