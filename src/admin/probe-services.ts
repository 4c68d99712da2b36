import type { TenantProbes } from '../app/tenant-probes.ts';
import { probeTenants } from '../core/probe-tenant.ts';
import type { TenantDirectory } from '../ports/tenant-store.ts';
import { noteHostChange } from './note-change.ts';
import type { AdminServices } from './services.ts';

export interface ProbeServicesParts {
  readonly directory: Pick<TenantDirectory, 'open'>;
  readonly probes: Pick<TenantProbes, 'open' | 'close'>;
}

/** Two tenants for a check of the isolation, and their end. */
export function probeServices({
  directory,
  probes,
}: ProbeServicesParts): Pick<AdminServices, 'openProbes' | 'closeProbes'> {
  return {
    openProbes: async (origin) => {
      const pair = await probes.open();
      const after = { tenants: pair.accounts.map(({ tenant }) => tenant) };
      await noteHostChange(directory, origin, { action: 'isolation-check.begun', target: pair.id, after });
      return pair;
    },
    closeProbes: async (id, origin) => {
      await probes.close(id);
      const before = { tenants: [...probeTenants(id)] };
      await noteHostChange(directory, origin, { action: 'isolation-check.ended', target: id, before });
    },
  };
}
