import process from 'node:process';

/** Age at which the last reading no longer serves as the start of a run. */
const STALE_MS = 20;

/**
 * CPU time of the lane's runs. A reading is a system call, dear beside a short run, so runs that follow each other
 * closely share one: what a run has used may come out too large by the CPU time of 20 ms.
 */
export class CpuClock {
  #reading = process.cpuUsage();
  #readAt = performance.now();

  /** A run begins. */
  start(): void {
    const now = performance.now();
    if (now - this.#readAt < STALE_MS) return;
    this.#reading = process.cpuUsage();
    this.#readAt = now;
  }

  /** Milliseconds of CPU since the run under way began. */
  usedMs(): number {
    const used = process.cpuUsage(this.#reading);
    return (used.user + used.system) / 1000;
  }
}
