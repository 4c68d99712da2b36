import type { TestContext } from 'node:test';
import type { TenantStore } from '../../src/ports/tenant-store.ts';

/** One empty tenant database of an adapter, with what a test needs to see behind the port. */
export interface TenantStorePlace {
  readonly store: TenantStore;
  /** Closes the store and opens the same database again, as after a restart. */
  reopen(): Promise<TenantStore>;
  /** Moves every due time, lease and age into the past: time passes on the database's clock. */
  elapse(ms: number): Promise<void>;
  /** Holds what a transaction of the store needs (the writer, the connections) until the returned function is called. */
  holdTransactions(): Promise<() => Promise<void>>;
  /** What another program does to the tables: a statement that both dialects understand. */
  outside(statement: string): Promise<void>;
}

/** Opens an empty tenant database; the adapter disposes of it when the test ends. */
export type OpenTenantStore = (t: TestContext) => Promise<TenantStorePlace>;

/** The tenant of every place. */
export const TENANT = 'Tenant_A';
