import { AppError, orThrow } from '../core/errors.ts';
import { toPhysicalQueue } from '../core/queue-name.ts';
import type { TenantDirectory, TenantStore } from '../ports/tenant-store.ts';

/** @throws AppError TENANT_UNKNOWN, TENANT_UNAVAILABLE. */
export function storeOf(directory: TenantDirectory, tenant: string): TenantStore {
  const store = directory.get(tenant);
  if (store === undefined) throw new AppError('TENANT_UNKNOWN', { tenant });
  return store;
}

/** The same filter with the physical name of its queue. @throws AppError QUEUE_NAME_INVALID and the like. */
export function withPhysicalQueue<T extends { readonly queue?: string }>(tenant: string, filter: T): T {
  return filter.queue === undefined ? filter : { ...filter, queue: orThrow(toPhysicalQueue(tenant, filter.queue)) };
}
