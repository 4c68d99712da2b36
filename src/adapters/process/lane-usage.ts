import { ProcessMeter, type ProcessUsage } from './proc-stat.ts';

/** Who keeps the accounts of CPU time. */
export interface CpuAccounts {
  charge(tenant: string, cpuMs: number): void;
  /** True when the tenant must slow down: it owes time, and there are others who want it. */
  isInDebt(tenant: string): boolean;
}

/** The watchdog looks as often. Milliseconds. */
const RECENT_MS = 20;

/**
 * What a lane process uses, charged to whoever ran there last: what a lane does after a run (collecting garbage, the
 * next context) is the run's, too. What it used for its start is nobody's.
 */
export class LaneUsage {
  readonly #meter: ProcessMeter | undefined;
  readonly #accounts: CpuAccounts;
  #tenant: string | undefined;
  #chargedMs = 0;
  #readAt = Number.NEGATIVE_INFINITY;
  #last: ProcessUsage | undefined;

  constructor(pid: number | undefined, accounts: CpuAccounts) {
    this.#meter = pid === undefined ? undefined : ProcessMeter.open(pid);
    this.#accounts = accounts;
  }

  /** Reads the kernel's figures and charges what is new. Undefined where there is no /proc. */
  read(): ProcessUsage | undefined {
    const usage = this.#meter?.read();
    this.#last = usage;
    if (usage === undefined) return undefined;
    this.#readAt = performance.now();
    const used = usage.cpuMs - this.#chargedMs;
    this.#chargedMs = usage.cpuMs;
    if (used > 0 && this.#tenant !== undefined) this.#accounts.charge(this.#tenant, used);
    return usage;
  }

  /** The figures of a moment ago, where there are any: in that time memory grows by a few megabytes at most. */
  readRecent(): ProcessUsage | undefined {
    return this.#isRecent ? this.#last : this.read();
  }

  /**
   * A run of the tenant begins. @returns CPU milliseconds of the process until now; of a moment ago when the tenant ran
   * here just before, since quick runs would be read more often than they are worth.
   */
  beginRun(tenant: string): number {
    const isRecent = tenant === this.#tenant && this.#isRecent;
    const cpuMs = isRecent ? this.#chargedMs : (this.read()?.cpuMs ?? 0);
    this.#tenant = tenant;
    return cpuMs;
  }

  /** The debt of whoever runs here. */
  get inDebt(): boolean {
    return this.#tenant !== undefined && this.#accounts.isInDebt(this.#tenant);
  }

  get #isRecent(): boolean {
    return performance.now() - this.#readAt < RECENT_MS;
  }

  close(): void {
    this.#meter?.close();
  }
}
