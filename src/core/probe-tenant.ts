import { ulidTime } from './ulid-time.ts';

/** `selftest-{ULID}-a`: nobody else's tenant is called so, and the ULID says since when there is one. */
const PROBE = /^selftest-([0-9a-z]{26})-[ab]$/i;

/** A check of the isolation takes seconds. A pair that is older was left by one that was killed. Milliseconds. */
const LIFE_MS = 15 * 60_000;

/** Names of the two tenants that one check of the isolation makes and removes again. @param id a ULID. */
export function probeTenants(id: string): readonly [string, string] {
  const name = `selftest-${id.toLowerCase()}`;
  return [`${name}-a`, `${name}-b`];
}

/** True for a tenant that a check made for itself. */
export function isProbeTenant(tenant: string): boolean {
  return madeAt(tenant) !== undefined;
}

/** Until when a check has its tenants. @param id a ULID. Milliseconds UTC; undefined when the text is none. */
export function probeEnd(id: string): number | undefined {
  const at = ulidTime(id);
  return at === undefined ? undefined : at + LIFE_MS;
}

/** True when the check that made the tenant is gone and the tenant may be removed. @param now milliseconds UTC. */
export function isLeftProbe(tenant: string, now: number): boolean {
  const at = madeAt(tenant);
  return at !== undefined && at + LIFE_MS < now;
}

function madeAt(tenant: string): number | undefined {
  const [, id = ''] = PROBE.exec(tenant) ?? [];
  return ulidTime(id);
}
