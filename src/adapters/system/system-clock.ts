import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.ts';

/** Node turns a longer timer into one of 1 ms. Milliseconds, about 24.8 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The machine's clock.
 * @param timezone IANA name, such as `Asia/Shanghai`. @throws RangeError for an unknown one.
 */
export function systemClock(timezone: string): Clock {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return {
    now: () => Date.now(),
    sleep: (ms, signal) => sleep(ms, signal),
    // Swedish local format is `yyyy-MM-dd HH:mm:ss` already.
    localText: (ms) => format.format(ms),
  };
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const wait = Math.min(Math.max(ms, 0), LONGEST_TIMER_MS);
  try {
    await delay(wait, undefined, signal === undefined ? {} : { signal });
  } catch {
    // Aborted: waking early is what the caller asked for.
  }
}
