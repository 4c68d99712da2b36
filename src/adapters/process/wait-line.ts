import { AppError } from '../../core/errors.ts';

/** Somebody who waits for a lane. */
interface Waiter<T> {
  readonly tenant: string;
  readonly resolve: (value: T) => void;
  readonly reject: (error: AppError) => void;
  readonly stopWaiting: () => void;
}

/** Those who wait for a lane, first come, first served. Leaving by signal or time is always possible. */
export class WaitLine<T> {
  readonly #waiters = new Set<Waiter<T>>();

  get length(): number {
    return this.#waiters.size;
  }

  /** The tenant of who is next. */
  get nextTenant(): string | undefined {
    return this.#first()?.tenant;
  }

  /** @throws AppError V8_EXECUTION_QUEUE_TIMEOUT after `waitMs`; DRAINING when `signal` aborts. */
  join(tenant: string, options: { waitMs?: number; signal?: AbortSignal }): Promise<T> {
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
      const waiter: Waiter<T> = { tenant, resolve, reject, stopWaiting };
      this.#waiters.add(waiter);
    });
  }

  /** Serves who is next. */
  serveNext(value: T): void {
    const waiter = this.#first();
    if (waiter === undefined) return;
    this.#remove(waiter);
    waiter.resolve(value);
  }

  /** Sends everybody away. */
  refuseAll(error: AppError): void {
    for (const waiter of [...this.#waiters]) {
      this.#remove(waiter);
      waiter.reject(error);
    }
  }

  #first(): Waiter<T> | undefined {
    const [first] = this.#waiters;
    return first;
  }

  #remove(waiter: Waiter<T>): void {
    this.#waiters.delete(waiter);
    waiter.stopWaiting();
  }
}
