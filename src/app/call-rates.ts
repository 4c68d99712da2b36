import { type CallAllowance, fullAllowance, takeCall } from '../core/call-rate.ts';
import { AppError } from '../core/errors.ts';
import { hostCallRateOf, type LimitPolicy } from '../core/limit-policy.ts';
import { tenantKey } from '../core/tenant.ts';
import type { Clock } from '../ports/clock.ts';

/** Holds each tenant's host calls to its rate, over all its runs, so that one tenant's flood leaves the host free. */
export class CallRates {
  readonly #policy: LimitPolicy;
  readonly #clock: Clock;
  readonly #allowances = new Map<string, CallAllowance>();

  constructor(policy: LimitPolicy, clock: Clock) {
    this.#policy = policy;
    this.#clock = clock;
  }

  /**
   * Takes a call's turn, after a wait where the tenant is ahead of its rate.
   * @param run whose end ends the wait.
   * @returns true when it waited. @throws AppError V8_HOST_CALL_RATE when it would wait too long.
   */
  async take(tenant: string, run: { readonly signal: AbortSignal }): Promise<boolean> {
    const key = tenantKey(tenant);
    const rate = hostCallRateOf(this.#policy, tenant);
    const now = this.#clock.now();
    const turn = takeCall(this.#allowances.get(key) ?? fullAllowance(rate, now), rate, now);
    this.#allowances.set(key, turn.allowance);
    if (turn.refused) throw new AppError('V8_HOST_CALL_RATE', { limit: rate });
    if (turn.waitMs === 0) return false;
    await this.#clock.sleep(turn.waitMs, run.signal);
    return true;
  }
}
