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
    localText: perSecond((ms) => format.format(ms)),
  };
}

/** Keeps the text of the last second: a busy host asks for the same one thousands of times. */
function perSecond(toText: (ms: number) => string): (ms: number) => string {
  let second = Number.NaN;
  let text = '';
  return (ms) => {
    const asked = Math.floor(ms / 1000);
    if (asked !== second) {
      text = toText(ms);
      second = asked;
    }
    return text;
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
