import { type CallAllowance, fullAllowance, takeCall } from '../core/call-rate.ts';
import { AppError } from '../core/errors.ts';
import { tenantKey } from '../core/tenant.ts';
import type { Clock } from '../ports/clock.ts';

/** Callers remembered. A forgotten one begins with a full allowance. */
const MAX_CALLERS = 10_000;

/** Holds each caller of a tenant's engines over HTTP to a rate, so that a flood of one leaves the others served. */
export class EntryRates {
  readonly #perSecond: number;
  readonly #clock: Clock;
  readonly #allowances = new Map<string, CallAllowance>();

  constructor(perSecond: number, clock: Clock) {
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  /**
   * Takes a call's turn, after a wait of up to a second where the caller is ahead of its rate.
   * @param caller a user's id, or the address of one who is not logged in.
   * @throws AppError ENTRY_RATE when it would wait longer; DRAINING when the host stops meanwhile.
   */
  async take(tenant: string, caller: string, stop: AbortSignal): Promise<void> {
    const key = `${tenantKey(tenant)}:${caller}`;
    const now = this.#clock.now();
    const rate = this.#perSecond;
    const turn = takeCall(this.#allowances.get(key) ?? fullAllowance(rate, now), rate, now);
    this.#allowances.delete(key);
    this.#allowances.set(key, turn.allowance);
    for (const oldest of this.#allowances.keys()) {
      if (this.#allowances.size <= MAX_CALLERS) break;
      this.#allowances.delete(oldest);
    }
    if (turn.refused) throw new AppError('ENTRY_RATE', { limit: rate });
    if (turn.waitMs > 0) await this.#clock.sleep(turn.waitMs, stop);
    if (stop.aborted) throw new AppError('DRAINING');
  }
}
