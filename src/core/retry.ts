import { backoffDelayMs } from './backoff.ts';
import type { Binding } from './binding.ts';
import type { DeadReason } from './parked.ts';

/** What happens to a message whose run failed (mq-mqtt.md 4.5, delivery.md 3.2). */
export type RetryDecision =
  | { readonly act: 'retry'; readonly attempt: number; readonly delayMs: number }
  | { readonly act: 'dead'; readonly reason: DeadReason };

/**
 * Decides by the budget of the binding. `attempt` counts from 1 and is the run that just failed; only failure
 * verdicts raise it, never a redelivery (F3).
 * @param jitter a number in [0, 1).
 */
export function decideRetry(
  binding: Pick<Binding, 'retries' | 'retryCount' | 'backoff'>,
  attempt: number,
  jitter: number,
  deadReason: DeadReason | undefined,
): RetryDecision {
  if (binding.retries && attempt - 1 < binding.retryCount) {
    return { act: 'retry', attempt: attempt + 1, delayMs: backoffDelayMs(binding.backoff, attempt, jitter) };
  }
  return { act: 'dead', reason: deadReason ?? (binding.retries ? 'budget-exhausted' : 'rejected') };
}
