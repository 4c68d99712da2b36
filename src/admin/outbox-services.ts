import { discardOutbox, findOutboxRow, retryOutbox } from '../app/manage-outbox.ts';
import type { HostServicesParts } from './host-services.ts';
import type { AdminServices } from './services.ts';
import { storeOf } from './tenant-store-of.ts';

type OutboxMethods = Pick<AdminServices, 'outbox' | 'outboxRow' | 'retryOutbox' | 'discardOutbox'>;

/** What people do with the outbox, over the tenant's own store. */
export function outboxServices(parts: Pick<HostServicesParts, 'directory' | 'relay'>): OutboxMethods {
  const { directory } = parts;
  return {
    outbox: async (tenant, filter) => storeOf(directory, tenant).outbox.list(filter),
    outboxRow: async (tenant, seq) => findOutboxRow(storeOf(directory, tenant), seq),
    retryOutbox: async (tenant, origin, choice) =>
      retryOutbox(parts, { store: storeOf(directory, tenant), origin }, choice),
    discardOutbox: async (tenant, origin, choice) =>
      discardOutbox({ store: storeOf(directory, tenant), origin }, choice),
  };
}
