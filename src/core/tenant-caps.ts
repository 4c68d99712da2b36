import { bilingual } from './bilingual.ts';
import { accept, type Parsed, refuse } from './errors.ts';
import type { TenantCaps } from './limit-policy.ts';
import { nearestName } from './nearest-name.ts';
import { parseTenantId, tenantKey } from './tenant.ts';

/** The limits that a cap of a tenant may name, with what one unit of it is and its smallest value. */
const CAPS = {
  wallSeconds: { limit: 'wallMs', unit: 1000, least: 1 },
  cpuSeconds: { limit: 'cpuMs', unit: 1000, least: 1 },
  heapMb: { limit: 'heapMb', unit: 1, least: 16 },
  rssMb: { limit: 'rssMb', unit: 1, least: 128 },
  resultKb: { limit: 'resultBytes', unit: 1024, least: 1 },
  paramKb: { limit: 'paramBytes', unit: 1024, least: 1 },
  argumentKb: { limit: 'argumentBytes', unit: 1024, least: 1 },
  replyKb: { limit: 'replyBytes', unit: 1024, least: 1 },
  hostCalls: { limit: 'hostCalls', unit: 1, least: 1 },
  hostCallsPerSecond: { limit: 'hostCallsPerSecond', unit: 1, least: 10 },
  runs: { limit: 'runs', unit: 1, least: 1 },
  runsPerEngine: { limit: 'runsPerEngine', unit: 1, least: 1 },
  nesting: { limit: 'nesting', unit: 1, least: 1 },
  logLines: { limit: 'logLines', unit: 1, least: 1 },
  logKb: { limit: 'logBytes', unit: 1024, least: 1 },
} as const satisfies Record<string, { limit: keyof TenantCaps; unit: number; least: number }>;

type CapName = keyof typeof CAPS;

/** Names that a cap may have, for messages and the documentation. */
export const CAP_NAMES = Object.keys(CAPS) as readonly CapName[];

/** A cap of one tenant, such as `factory.wallSeconds=30`. */
export interface TenantCap {
  readonly tenant: string;
  readonly limit: keyof TenantCaps;
  readonly value: number;
}

/** Reads `TENANT.NAME=NUMBER`. Refusal: PARAM_INVALID with the rule that was broken. */
export function parseTenantCap(text: string): Parsed<TenantCap> {
  const match = /^\s*([^.=]+?)\s*\.\s*([^.=]+?)\s*=\s*([^=]*?)\s*$/.exec(text);
  const [, tenant, name = '', value = ''] = match ?? [];
  if (match === null) return broken('写成 租户.名称=数值，如 factory.wallSeconds=30', 'write TENANT.NAME=NUMBER');
  const parsed = parseTenantId(tenant);
  if (!parsed.ok) return parsed;
  if (!isCapName(name)) {
    const near = nearestName(name, CAP_NAMES) ?? CAP_NAMES.join(', ');
    return broken(`没有名为 ${name} 的上限，可用：${near}`, `there is no cap ${name}; use ${near}`);
  }
  const { limit, unit, least } = CAPS[name];
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= least))
    return broken(`${name} 须为不小于 ${least} 的整数`, `${name} is a whole number from ${least}`);
  return accept({ tenant: tenantKey(parsed.value), limit, value: number * unit });
}

/** Caps by tenant. Of two for the same limit the lower one counts. */
export function tenantCapsOf(caps: readonly TenantCap[]): ReadonlyMap<string, TenantCaps> {
  const byTenant = new Map<string, Record<string, number>>();
  for (const { tenant, limit, value } of caps) {
    const known = byTenant.get(tenant) ?? {};
    known[limit] = Math.min(value, known[limit] ?? value);
    byTenant.set(tenant, known);
  }
  return byTenant as ReadonlyMap<string, TenantCaps>;
}

function isCapName(name: string): name is CapName {
  return Object.hasOwn(CAPS, name);
}

function broken(zh: string, en: string): ReturnType<typeof refuse> {
  return refuse('PARAM_INVALID', { field: 'limits.tenants', rule: bilingual(zh, en) });
}
