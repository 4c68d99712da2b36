import type { Clock } from '../../src/ports/clock.ts';

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** A clock that stands still until the test moves it. */
export class ManualClock implements Clock {
  #now = 1_000_000;
  readonly #sleepers = new Set<Sleeper>();

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (ms <= 0 || signal?.aborted === true) return resolve();
      const wake = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const sleeper: Sleeper = { until: this.#now + ms, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', wake);
    });
  }

  localText(ms: number): string {
    return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  }

  /** Moves on, or back, at once: as for a process that was stopped meanwhile. */
  set(now: number): void {
    this.#now = now;
  }

  /** Moves on, waking sleepers in their order and letting them act before the time goes on. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    for (;;) {
      await settled();
      const [next] = [...this.#sleepers].filter(({ until }) => until <= target).sort((a, b) => a.until - b.until);
      if (next === undefined) break;
      this.#now = Math.max(this.#now, next.until);
      next.wake();
    }
    this.#now = target;
  }
}

/** Lets everything run that waits for no timer. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
