import { matchRoute, type RoutedEngine, type RouteMatch } from '../core/api-route.ts';
import { tenantKey } from '../core/tenant.ts';
import type { Clock } from '../ports/clock.ts';
import type { Invalidation } from '../ports/invalidation.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { ENGINE_EVENT } from './engine-cache.ts';

/** An `ApiAddress` changed by hand in SQL is seen after this at the latest; a new one sooner. Milliseconds. */
const TTL_MS = 5_000;
const MISS_TTL_MS = 500;

/** Addresses remembered, over all tenants. */
const MAX_ENTRIES = 2_000;

interface Entry {
  readonly askedAt: number;
  readonly found: RouteMatch | undefined;
}

/** The routes of a tenant. */
interface Routes {
  readonly askedAt: number;
  readonly engines: readonly RoutedEngine[];
}

/** Engines by `ApiAddress` and `ApiRoutes`, remembered for a moment: strangers may ask for any path as often as they like. */
export class EngineAddresses {
  readonly #clock: Pick<Clock, 'now'>;
  /** In the order they were asked for. */
  readonly #entries = new Map<string, Entry>();
  readonly #routes = new Map<string, Routes>();
  readonly #stopListening: () => void;

  /** A change of an engine, here or on another host, forgets the addresses of its tenant. */
  constructor(clock: Pick<Clock, 'now'>, invalidation: Pick<Invalidation, 'listen'>) {
    this.#clock = clock;
    this.#stopListening = invalidation.listen({
      changed: (tenant, name) => {
        if (name.startsWith(ENGINE_EVENT)) this.#forget(tenantKey(tenant));
      },
      missed: () => {
        this.#entries.clear();
        this.#routes.clear();
      },
    });
  }

  close(): void {
    this.#stopListening();
  }

  #forget(tenant: string): void {
    this.#routes.delete(tenant);
    for (const place of this.#entries.keys()) if (place.startsWith(`${tenant}:`)) this.#entries.delete(place);
  }

  /** The engine at a path: an `ApiAddress` comes before any route. @throws what the store throws. */
  async find(store: Pick<TenantStore, 'tenant' | 'engines'>, address: string): Promise<RouteMatch | undefined> {
    const place = `${tenantKey(store.tenant)}:${address.toLowerCase()}`;
    const known = this.#entries.get(place);
    const now = this.#clock.now();
    if (known !== undefined && isFresh(known.askedAt, now, known.found === undefined ? MISS_TTL_MS : TTL_MS)) {
      return known.found;
    }
    const key = await store.engines.keyAtAddress(address);
    const found = key === undefined ? matchRoute(await this.#routesOf(store, now), address) : { key, params: {} };
    this.#entries.delete(place);
    this.#entries.set(place, { askedAt: now, found });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ENTRIES) break;
      this.#entries.delete(oldest);
    }
    return found;
  }

  async #routesOf(store: Pick<TenantStore, 'tenant' | 'engines'>, now: number): Promise<readonly RoutedEngine[]> {
    const tenant = tenantKey(store.tenant);
    const known = this.#routes.get(tenant);
    if (known !== undefined && isFresh(known.askedAt, now, TTL_MS)) return known.engines;
    const engines = await store.engines.routed();
    this.#routes.set(tenant, { askedAt: now, engines });
    return engines;
  }
}

/** Not so when the clock was set back. */
function isFresh(askedAt: number, now: number, ttlMs: number): boolean {
  const age = now - askedAt;
  return age >= 0 && age < ttlMs;
}
