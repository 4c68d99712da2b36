/** Tenants whose home is remembered; the one that was not heard of for longest may get another. */
const REMEMBERED_TENANTS = 10_000;

/** Tenants that a lane may have more than the one with the fewest. */
const MOST_MORE = 3;

/**
 * Which lane a tenant is at home in. Every lane has about as many tenants as the others: one that had more than it
 * keeps isolates for would make one anew for every run.
 */
export class TenantHomes {
  readonly #homes = new Map<string, number>();
  readonly #tenants: number[];

  constructor(lanes: number) {
    this.#tenants = new Array<number>(lanes).fill(0);
  }

  /** Number of the tenant's lane. */
  of(tenant: string): number {
    const home = this.#homes.get(tenant) ?? this.#assign(tenant);
    // Named last again, so that the Map's first is the one to forget.
    this.#homes.delete(tenant);
    this.#homes.set(tenant, home);
    return home;
  }

  /** Where its name points to, unless that lane has MOST_MORE tenants more than another. */
  #assign(tenant: string): number {
    const named = spread(tenant, this.#tenants.length);
    const fewest = Math.min(...this.#tenants);
    const home = this.#countOf(named) < fewest + MOST_MORE ? named : this.#tenants.indexOf(fewest);
    this.#tenants[home] = this.#countOf(home) + 1;
    this.#forgetOne();
    return home;
  }

  #forgetOne(): void {
    const [oldest] = this.#homes;
    if (oldest === undefined || this.#homes.size < REMEMBERED_TENANTS) return;
    const [tenant, home] = oldest;
    this.#homes.delete(tenant);
    this.#tenants[home] = this.#countOf(home) - 1;
  }

  #countOf(lane: number): number {
    return this.#tenants[lane] ?? 0;
  }
}

/** FNV-1a over the tenant's name: any spread will do. */
function spread(tenant: string, lanes: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < tenant.length; i++) hash = Math.imul(hash ^ tenant.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % lanes;
}
