import type { Clock } from '../../src/ports/clock.ts';

/** A clock that runs `factor` times faster, so that long pauses of the use cases pass quickly. Stores keep their own. */
export function fastClock(clock: Clock, factor: number): Clock {
  const startedAt = clock.now();
  return {
    now: () => startedAt + (clock.now() - startedAt) * factor,
    sleep: (ms, signal) => clock.sleep(ms / factor, signal),
    localText: (ms) => clock.localText(ms),
  };
}
