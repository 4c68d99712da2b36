import { coerceError } from './core/errors.ts';
import type { Log } from './ports/log.ts';

type Release = () => Promise<void> | void;

/**
 * Releases what was acquired, last first. Each acquisition registers its release on the next line; a failing release
 * is logged and does not keep the others from running.
 */
export class Releasers {
  readonly #stack: { name: string; release: Release }[] = [];

  add(name: string, release: Release): void {
    this.#stack.push({ name, release });
  }

  async releaseAll(log: Log): Promise<void> {
    for (let entry = this.#stack.pop(); entry !== undefined; entry = this.#stack.pop()) {
      try {
        await entry.release();
      } catch (e) {
        log.error('task.failed', { task: `release ${entry.name}`, err: coerceError(e) });
      }
    }
  }
}

/** How a drain ended: everything in flight settled, or its deadline passed first. */
export type DrainResult = 'drained' | 'deadline';

/**
 * Waits for what is in flight, at most `seconds`. `hurry` shortens the wait to `hurrySeconds` when it resolves
 * (a second signal).
 */
export async function drainWithin(
  inFlight: Promise<unknown>,
  seconds: number,
  hurry: Promise<void>,
  hurrySeconds: number,
): Promise<DrainResult> {
  const timers: NodeJS.Timeout[] = [];
  const after = (s: number): Promise<'deadline'> =>
    new Promise((resolve) => timers.push(setTimeout(() => resolve('deadline'), s * 1000)));
  try {
    return await Promise.race([
      inFlight.then((): DrainResult => 'drained'),
      after(seconds),
      hurry.then(() => after(Math.min(hurrySeconds, seconds))),
    ]);
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}
