import { type BrokerSetupServices, setUpBroker } from '../app/set-up-broker.ts';
import type { ChangeOrigin } from '../core/change-origin.ts';
import type { Log } from '../ports/log.ts';
import type { Queue } from '../ports/queue.ts';
import { noteChange } from './note-change.ts';
import type { AdminServices } from './services.ts';
import { storeOf } from './tenant-store-of.ts';

export interface BrokerServicesParts extends BrokerSetupServices {
  readonly queue: Queue;
  readonly log: Log;
  /** Attaches what the bindings ask for, with the account as it is now. */
  readonly reconcile: () => Promise<void>;
}

/** What an operator does to a tenant's connections. */
export function brokerServices(parts: BrokerServicesParts): Pick<AdminServices, 'reloadTenant' | 'setUpBroker'> {
  const reload = async (tenant: string, origin?: ChangeOrigin): Promise<void> => {
    const store = storeOf(parts.directory, tenant);
    await parts.queue.refreshTenant(tenant, true);
    parts.log.info('tenant.reloaded', { tenantId: tenant });
    await parts.reconcile();
    await noteChange(store, origin, { action: 'tenant.reloaded', target: store.tenant });
  };
  return {
    reloadTenant: reload,
    async setUpBroker(tenant, access, origin) {
      const account = await setUpBroker(parts, tenant, access);
      parts.log.info('tenant.broker_account_set', { tenantId: tenant });
      const after = { user: account.user, vhost: account.vhost, permissions: { ...account.permissions } };
      const change = { action: 'tenant.broker-account-set', target: tenant, after };
      await noteChange(storeOf(parts.directory, tenant), origin, change);
      await reload(tenant, origin);
      return account;
    },
  };
}
