import { AppError } from '../../core/errors.ts';
import { FairQueue, type QueuePlace } from '../../core/fair-queue.ts';

/** Somebody who waits for a lane. */
interface Waiter<W, T> extends QueuePlace {
  readonly want: W;
  /** `performance.now()` when the waiting began. */
  readonly since: number;
  readonly resolve: (value: T) => void;
  readonly reject: (error: AppError) => void;
  readonly stopWaiting: () => void;
}

/** Those who wait for a lane, in fair turns (core/fair-queue.ts). Leaving by signal or time is always possible. */
export class WaitLine<W extends QueuePlace, T> {
  readonly #queue = new FairQueue<Waiter<W, T>>();

  get length(): number {
    return this.#queue.length;
  }

  waitingOf(tenant: string): number {
    return this.#queue.waitingOf(tenant);
  }

  /** Tenants that wait. */
  tenants(): string[] {
    return this.#queue.tenants();
  }

  /** @throws AppError V8_EXECUTION_QUEUE_TIMEOUT after `waitMs`; DRAINING when `signal` aborts. */
  join(want: W, options: { waitMs?: number; signal?: AbortSignal }): Promise<T> {
    return new Promise((resolve, reject) => {
      const { waitMs, signal } = options;
      const leave = (error: AppError): void => {
        this.#remove(waiter);
        reject(error);
      };
      const onAbort = (): void => leave(new AppError('DRAINING'));
      const onTime = (): void => leave(new AppError('V8_EXECUTION_QUEUE_TIMEOUT', { limit: waitMs ?? 0 }));
      const timer = waitMs === undefined ? undefined : setTimeout(onTime, waitMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      const stopWaiting = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const { tenant, engine } = want;
      const waiter = { tenant, engine, want, since: performance.now(), resolve, reject, stopWaiting };
      this.#queue.push(waiter);
    });
  }

  /**
   * Serves one: the first in turn for whom `grant` has something.
   * @param grant is given the want and for how many milliseconds it has waited.
   * @returns false when nobody can be served now.
   */
  serveOne(grant: (want: W, waitedMs: number) => T | undefined): boolean {
    const now = performance.now();
    let granted: T | undefined;
    const waiter = this.#queue.take(({ want, since }) => {
      granted = grant(want, now - since);
      return granted !== undefined;
    });
    if (waiter === undefined) return false;
    waiter.stopWaiting();
    waiter.resolve(granted as T);
    return true;
  }

  /** Sends everybody away. */
  refuseAll(error: AppError): void {
    for (const waiter of this.#queue.items()) {
      this.#remove(waiter);
      waiter.reject(error);
    }
  }

  #remove(waiter: Waiter<W, T>): void {
    this.#queue.remove(waiter);
    waiter.stopWaiting();
  }
}
