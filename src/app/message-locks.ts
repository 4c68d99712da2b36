import type { TenantStore } from '../ports/tenant-store.ts';
import { KeyedLock } from './keyed-lock.ts';
import type { ReceivedMessage } from './received-message.ts';

/** Who may go on with an event or a tenant's writer in this process. Waiters hold no lane and no connection. */
export class MessageLocks {
  readonly #events = new KeyedLock();
  readonly #writers = new KeyedLock();

  /** True when another delivery of the event is under way here. */
  isRunning(message: ReceivedMessage): boolean {
    return this.#events.isHeld(eventKey(message));
  }

  /** Waits for the event until `limit` resolves. @returns the release, or undefined. */
  event(message: ReceivedMessage, limit: (over: AbortSignal) => Promise<void>): Promise<(() => void) | undefined> {
    return this.#events.acquire(eventKey(message), limit);
  }

  /** A single-writer store runs one inbox message at a time. @returns the release, or undefined when draining. */
  writer(store: TenantStore, draining: AbortSignal): Promise<(() => void) | undefined> {
    return this.#writers.acquire(store.tenant.toLowerCase(), (over) => aborted(draining, over));
  }
}

function eventKey(message: ReceivedMessage): string {
  return JSON.stringify([message.store.tenant.toLowerCase(), message.key.queue, message.key.eventId]);
}

/** Resolves when the signal aborts; leaves no listener behind once `over` aborts. */
function aborted(signal: AbortSignal, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true, signal: over });
  });
}
