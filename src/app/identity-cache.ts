import { tenantKey } from '../core/tenant.ts';
import type { Clock } from '../ports/clock.ts';
import type { Invalidation } from '../ports/invalidation.ts';

/** What another host changed is seen after so long at the latest, whether or not its event arrived. Milliseconds. */
const FRESH_MS = 2_000;
const MOST_ENTRIES = 10_000;

/** Name of the event that makes hosts forget who is who in a tenant. */
const CHANGED = 'identity';

interface Entry {
  readonly at: number;
  readonly value: unknown;
}

/**
 * Remembers for two seconds what a session or key stands for, so that a busy caller does not cost a query each time.
 * Changes on this host count at once, those of other hosts when their event arrives.
 */
export class IdentityCache {
  readonly #clock: Clock;
  readonly #invalidation: Invalidation;
  readonly #stopListening: () => void;
  readonly #tenants = new Map<string, Map<string, Entry>>();

  constructor({ clock, invalidation }: { readonly clock: Clock; readonly invalidation: Invalidation }) {
    this.#clock = clock;
    this.#invalidation = invalidation;
    this.#stopListening = invalidation.listen({
      changed: (tenant, name) => {
        if (name === CHANGED) this.#tenants.delete(tenantKey(tenant));
      },
      missed: () => this.#tenants.clear(),
    });
  }

  /** The remembered value, else that of `load`; undefined is not remembered. */
  async get<T>(tenant: string, name: string, load: () => Promise<T | undefined>): Promise<T | undefined> {
    const now = this.#clock.now();
    const known = this.#tenants.get(tenantKey(tenant))?.get(name);
    if (known !== undefined && now - known.at < FRESH_MS) return known.value as T;
    const entries = this.#entriesOf(tenant);
    const value = await load();
    // A change while it was loaded took the map away; what was loaded may be older than the change.
    if (value !== undefined && this.#tenants.get(tenantKey(tenant)) === entries) {
      if (entries.size >= MOST_ENTRIES) entries.clear();
      entries.set(name, { at: now, value });
    }
    return value;
  }

  /** Forgets the tenant's, here at once; other hosts are told. */
  forget(tenant: string): void {
    this.#tenants.delete(tenantKey(tenant));
    // When the others cannot be told, what they remember ends by itself.
    this.#invalidation.announce(tenant, [CHANGED]).catch(() => undefined);
  }

  close(): void {
    this.#stopListening();
  }

  #entriesOf(tenant: string): Map<string, Entry> {
    const key = tenantKey(tenant);
    const entries = this.#tenants.get(key) ?? new Map<string, Entry>();
    this.#tenants.set(key, entries);
    return entries;
  }
}
