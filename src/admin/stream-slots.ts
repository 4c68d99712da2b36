import type { IncomingMessage } from 'node:http';
import type { Actor } from '../core/access.ts';
import { AppError } from '../core/errors.ts';

/** Connections of one caller, and of all, that follow something. Each asks the database twice a second. */
const PER_CALLER = 20;
const IN_ALL = 200;

/** A place among the connections that stay open. */
export interface StreamSlot {
  /** Aborted when the client is gone, stuck, or the server closes. */
  readonly signal: AbortSignal;
  /** The client took what was sent. */
  noteTaken(): void;
  free(): void;
}

/** Bounds connections that stay open, and ends those that nobody reads. */
export class StreamSlots {
  readonly #open = new Map<AbortController, string>();
  readonly #stuckMs: number;

  /** @param stuckMs a client that takes nothing for so long is given up. */
  constructor(stuckMs: number) {
    this.#stuckMs = stuckMs;
  }

  /** Of a client that is gone already nothing is kept: its signal is aborted. @throws AppError LOG_STREAMS_FULL. */
  take(by: Actor, raw: IncomingMessage): StreamSlot {
    const caller = `${by.kind} ${by.id} ${by.name}`;
    const own = [...this.#open.values()].filter((name) => name === caller).length;
    if (own >= PER_CALLER) throw new AppError('LOG_STREAMS_FULL', { limit: PER_CALLER });
    if (this.#open.size >= IN_ALL) throw new AppError('LOG_STREAMS_FULL', { limit: IN_ALL });
    const end = new AbortController();
    this.#open.set(end, caller);
    let takenAt = performance.now();
    const watch = setInterval(() => {
      if (performance.now() - takenAt > this.#stuckMs) raw.socket.destroy();
    }, this.#stuckMs / 4).unref();
    // A stream that is destroyed before anybody read it does not say so: the socket's end frees the place by itself.
    const free = (): void => {
      raw.socket.off('close', free);
      clearInterval(watch);
      this.#open.delete(end);
      end.abort();
    };
    if (raw.socket.destroyed) free();
    else raw.socket.once('close', free);
    return {
      signal: end.signal,
      noteTaken: () => {
        takenAt = performance.now();
      },
      free,
    };
  }

  endAll(): void {
    for (const end of this.#open.keys()) end.abort();
  }
}
