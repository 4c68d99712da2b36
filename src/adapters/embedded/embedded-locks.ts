import { tenantKey } from '../../core/tenant.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LockName, Locks } from '../../ports/locks.ts';

interface Lease {
  readonly owner: string;
  /** Milliseconds UTC. */
  readonly endsAt: number;
}

/**
 * Leases of a host that is alone with its data: in memory, because they end with the process that holds them, and one
 * process at a time has the data directory.
 */
export class EmbeddedLocks implements Locks {
  readonly #clock: Clock;
  readonly #leases = new Map<string, Lease>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async take(lock: LockName, owner: string, leaseMs: number): Promise<boolean> {
    const current = this.#current(keyOf(lock));
    if (current !== undefined && current.owner !== owner) return false;
    this.#leases.set(keyOf(lock), { owner, endsAt: this.#clock.now() + leaseMs });
    return true;
  }

  async extend(lock: LockName, owner: string, leaseMs: number): Promise<boolean> {
    return this.#current(keyOf(lock))?.owner === owner && this.take(lock, owner, leaseMs);
  }

  async drop(lock: LockName, owner: string): Promise<void> {
    const key = keyOf(lock);
    if (this.#current(key)?.owner === owner) this.#leases.delete(key);
  }

  /** The lease that has not run out. */
  #current(key: string): Lease | undefined {
    const lease = this.#leases.get(key);
    if (lease === undefined || lease.endsAt > this.#clock.now()) return lease;
    this.#leases.delete(key);
    return undefined;
  }
}

function keyOf({ tenant, name }: LockName): string {
  return `${tenantKey(tenant)}:${name}`;
}
