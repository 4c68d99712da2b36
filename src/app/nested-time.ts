import { AppError } from '../core/errors.ts';
import type { Clock } from '../ports/clock.ts';

/** Why the calls of a nested engine that is over are aborted. Made once, as exceptions are dear. */
const LEVEL_ENDED = new AppError('V8_TIMEOUT');

/** The time of one engine nested in a run: it ends with its run, and may end before. */
export class NestedTime {
  readonly #clock: Clock;
  readonly #deadline: number;
  readonly #abort = new AbortController();

  /** @param wallMs from now on. */
  constructor(clock: Clock, wallMs: number) {
    this.#clock = clock;
    this.#deadline = clock.now() + wallMs;
  }

  remainingMs(): number {
    return Math.max(0, this.#deadline - this.#clock.now());
  }

  /** Aborted when this engine or its run ends. */
  signalWithin(run: AbortSignal): AbortSignal {
    return AbortSignal.any([run, this.#abort.signal]);
  }

  /** Calls that are under way give up: whoever runs beside or after this engine does not wait for them. */
  end(): void {
    this.#abort.abort(LEVEL_ENDED);
  }
}
