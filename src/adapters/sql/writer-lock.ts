import { AppError } from '../../core/errors.ts';

/** Gives the lock back; a second call does nothing. */
export type ReleaseLock = () => void;

interface Waiter {
  grant(): void;
  refuse(error: AppError): void;
}

/**
 * First come, first served right to write one SQLite file. SQLite's own wait is synchronous and would freeze the
 * event loop, and with it the transaction that is waited for (delivery.md F11).
 */
export class WriterLock {
  readonly #waiters: Waiter[] = [];
  #held = false;
  #closed = false;

  get held(): boolean {
    return this.#held;
  }

  /** @throws AppError DB_BUSY after `waitMs` or when `signal` aborts, DB_UNAVAILABLE once closed. */
  acquire(waitMs: number, signal?: AbortSignal): Promise<ReleaseLock> {
    if (this.#closed) return Promise.reject(closedError());
    if (!this.#held) {
      this.#held = true;
      return Promise.resolve(this.#makeRelease());
    }
    return this.#wait(waitMs, signal);
  }

  /** Refuses every waiter and all who come later, and waits at most `waitMs` for the holder to give the lock back. */
  async close(waitMs: number): Promise<void> {
    this.#closed = true;
    for (const waiter of this.#waiters.splice(0)) waiter.refuse(closedError());
    if (!this.#held) return;
    const release = await this.#wait(waitMs, undefined).catch(() => undefined);
    release?.();
  }

  #wait(waitMs: number, signal: AbortSignal | undefined): Promise<ReleaseLock> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        waiter.refuse(new AppError('DB_BUSY'));
      };
      const timer = setTimeout(giveUp, waitMs);
      const stopWaiting = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      };
      const waiter: Waiter = {
        grant: () => {
          stopWaiting();
          resolve(this.#makeRelease());
        },
        refuse: (error) => {
          stopWaiting();
          reject(error);
        },
      };
      this.#waiters.push(waiter);
      if (signal?.aborted) giveUp();
      else signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  #makeRelease(): ReleaseLock {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = this.#waiters.shift();
      if (next === undefined) this.#held = false;
      else next.grant();
    };
  }
}

function closedError(): AppError {
  return new AppError('DB_UNAVAILABLE', { reason: 'the database was closed' });
}
