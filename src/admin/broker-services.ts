import { type BrokerSetupServices, setUpBroker } from '../app/set-up-broker.ts';
import { AppError } from '../core/errors.ts';
import type { Log } from '../ports/log.ts';
import type { Queue } from '../ports/queue.ts';
import type { AdminServices } from './services.ts';

export interface BrokerServicesParts extends BrokerSetupServices {
  readonly queue: Queue;
  readonly log: Log;
  /** Attaches what the bindings ask for, with the account as it is now. */
  readonly reconcile: () => Promise<void>;
}

/** What an operator does to a tenant's connections. */
export function brokerServices(parts: BrokerServicesParts): Pick<AdminServices, 'reloadTenant' | 'setUpBroker'> {
  const reload = async (tenant: string): Promise<void> => {
    if (parts.directory.get(tenant) === undefined) throw new AppError('TENANT_UNKNOWN', { tenant });
    await parts.queue.refreshTenant(tenant, true);
    parts.log.info('tenant.reloaded', { tenantId: tenant });
    await parts.reconcile();
  };
  return {
    reloadTenant: reload,
    async setUpBroker(tenant, access) {
      const account = await setUpBroker(parts, tenant, access);
      parts.log.info('tenant.broker_account_set', { tenantId: tenant });
      await reload(tenant);
      return account;
    },
  };
}
