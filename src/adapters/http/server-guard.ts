import { lookup } from 'node:dns/promises';
import { AppError } from '../../core/errors.ts';
import { isAddress, isPublicAddress } from '../../core/net-address.ts';
import { type AllowedTarget, canonicalHost, isAllowedTarget } from '../../core/outbound-target.ts';
import { tenantKey } from '../../core/tenant.ts';
import type { ServerGuard } from '../../ports/server-guard.ts';

export interface ServerGuardOptions {
  /** Open to every tenant. */
  readonly allow: readonly AllowedTarget[];
  /** What single tenants have beside that, by `tenantKey`. */
  readonly tenants: ReadonlyMap<string, { readonly allow: readonly AllowedTarget[] }>;
  /** All addresses of a name; the machine's own resolution unless a test gives one. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

/** The rules of outbound requests (guarded-connector.ts) for connections that are no HTTP. */
export function createServerGuard({ allow, tenants, resolve = resolveName }: ServerGuardOptions): ServerGuard {
  const isListed = (tenant: string, host: string, port: number) =>
    isAllowedTarget([...allow, ...(tenants.get(tenantKey(tenant))?.allow ?? [])], host, port);
  return {
    isListed,
    async addressOf(tenant, host, port) {
      const name = canonicalHost(host);
      const addresses = isAddress(name) ? [name] : await resolve(name);
      const chosen = isListed(tenant, host, port) ? addresses[0] : addresses.find(isPublicAddress);
      if (chosen === undefined) throw new AppError('HTTP_TARGET_DENIED', { target: `${name}:${port}` });
      return chosen;
    },
  };
}

async function resolveName(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
