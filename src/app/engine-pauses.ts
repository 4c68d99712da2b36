import { AppError } from '../core/errors.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import type { Clock } from '../ports/clock.ts';
import type { CircuitBook } from './circuit-book.ts';

/**
 * Engines that keep getting their sandbox killed are paused, longer each time, until a probe ends well: each kill
 * costs everybody a lane. Messages of a paused engine wait uncounted, calls of it are refused at once.
 */
export class EnginePauses {
  readonly book: CircuitBook;
  readonly #clock: Clock;

  constructor(book: CircuitBook, clock: Clock) {
    this.book = book;
    this.#clock = clock;
  }

  /** True when the engine runs freely: it is neither paused nor probed. */
  isFree(tenant: string, engineKey: string): boolean {
    return this.book.isClosed({ tenant, subject: engineKey });
  }

  /** A run of the engine wants to begin. Afterwards `record` or `forgo`. @throws AppError ENGINE_PAUSED. */
  admit(tenant: string, engineKey: string): void {
    const waitMs = this.book.ask({ tenant, subject: engineKey });
    if (waitMs === undefined) return;
    const again = this.#clock.localText(this.#clock.now() + waitMs);
    throw new AppError('ENGINE_PAUSED', { engine: engineKey, seconds: Math.ceil(waitMs / 1000), again });
  }

  /** The run that was admitted did not begin, or its end says nothing. */
  forgo(tenant: string, engineKey: string): void {
    this.book.forgo({ tenant, subject: engineKey });
  }

  /** Takes in how a run ended. */
  record(tenant: string, engineKey: string, outcome: RunOutcome): void {
    if (outcome.kind === 'unstarted') return;
    this.book.record({ tenant, subject: engineKey }, isLaneLost(outcome) ? 'trouble' : 'good');
  }
}

/** True when the run cost its lane process. */
function isLaneLost(outcome: RunOutcome): boolean {
  return outcome.kind === 'crashed' || (outcome.kind === 'limit' && outcome.laneLost === true);
}
