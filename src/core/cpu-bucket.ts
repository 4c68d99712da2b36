/** What CPU a tenant may use while it has neighbours. */
export interface CpuShare {
  /** CPU milliseconds that a tenant gains in one second. */
  readonly refillMsPerSecond: number;
  /** Most that it can save, and most that it can owe. CPU milliseconds. */
  readonly burstMs: number;
}

/** What a tenant had at a moment. */
interface Account {
  balanceMs: number;
  atMs: number;
}

/**
 * A bucket of CPU time per tenant: full at first, drained by what its runs use, refilled with time. Below zero the
 * tenant is in debt. Debt is bounded like savings, so one wild run is paid for in a known time. Times come from the
 * caller.
 */
export class CpuBuckets {
  readonly #share: CpuShare;
  readonly #accounts = new Map<string, Account>();

  constructor(share: CpuShare) {
    this.#share = share;
  }

  charge(tenant: string, cpuMs: number, nowMs: number): void {
    const balanceMs = Math.max(-this.#share.burstMs, this.balanceMs(tenant, nowMs) - cpuMs);
    this.#accounts.set(tenant, { balanceMs, atMs: nowMs });
  }

  balanceMs(tenant: string, nowMs: number): number {
    const account = this.#accounts.get(tenant);
    if (account === undefined) return this.#share.burstMs;
    const gained = (Math.max(0, nowMs - account.atMs) * this.#share.refillMsPerSecond) / 1000;
    return Math.min(this.#share.burstMs, account.balanceMs + gained);
  }

  /** Time until the tenant owes nothing; 0 when it does not. */
  debtEndsInMs(tenant: string, nowMs: number): number {
    const balance = this.balanceMs(tenant, nowMs);
    return balance >= 0 ? 0 : (-balance * 1000) / this.#share.refillMsPerSecond;
  }

  /** Tenants whose bucket is not full. A full one is as good as none and is forgotten. */
  tenants(nowMs: number): string[] {
    for (const tenant of [...this.#accounts.keys()]) {
      if (this.balanceMs(tenant, nowMs) >= this.#share.burstMs) this.#accounts.delete(tenant);
    }
    return [...this.#accounts.keys()];
  }
}
