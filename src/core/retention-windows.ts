import type { Backoff } from './backoff.ts';
import type { Binding } from './binding.ts';

/** Ages at which rows are removed. Milliseconds. */
export interface RetentionWindows {
  readonly inboxMs: number;
  readonly attemptsMs: number;
}

/** A window that ends before the last attempt of a message may come. */
export interface ShortWindow {
  readonly setting: 'retention.inboxDays' | 'retention.attemptDays';
  readonly windowMs: number;
  readonly redeliveryMs: number;
}

/**
 * Longest time from the first attempt of a binding's message to its last one, when each waits as long as it may. The
 * runs between are not in it: the longest run is minutes, a window is days.
 * @returns milliseconds.
 */
export function longestRedeliveryMs({ retries, retryCount, backoff }: Retrying): number {
  return retries ? waitsMs(backoff, retryCount) : 0;
}

type Retrying = Pick<Binding, 'retries' | 'retryCount' | 'backoff'>;

/**
 * Windows that are shorter than a binding's longest redelivery (delivery.md F12). A copy that comes when the inbox has
 * forgotten its event runs it again; a message that outlives its attempts has a story without a beginning.
 */
export function shortWindows(binding: Retrying & Pick<Binding, 'inbox'>, windows: RetentionWindows): ShortWindow[] {
  const redeliveryMs = longestRedeliveryMs(binding);
  const all: ShortWindow[] = [
    ...(binding.inbox
      ? [{ setting: 'retention.inboxDays', windowMs: windows.inboxMs, redeliveryMs } satisfies ShortWindow]
      : []),
    { setting: 'retention.attemptDays', windowMs: windows.attemptsMs, redeliveryMs },
  ];
  return all.filter(({ windowMs }) => windowMs < redeliveryMs);
}

/** The sum of the waits after `times` failed attempts, without a loop: a count may be two thousand million. */
function waitsMs(backoff: Backoff, times: number): number {
  if (backoff.kind === 'none') return 0;
  if (backoff.kind === 'fixed') return backoff.delayMs * times;
  const { baseMs, capMs } = backoff;
  const rising = Math.min(times, Math.max(0, Math.ceil(Math.log2(capMs / baseMs))));
  return baseMs * (2 ** rising - 1) + capMs * (times - rising);
}
