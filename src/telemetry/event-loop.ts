import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The timer of the measurement; a turn that is on time is later than this by nothing. Milliseconds. */
const RESOLUTION_MS = 20;

/** How late the turns of the host's event loop were since the last look. Seconds. */
export interface EventLoopLag {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Begins to measure. @returns what reads the lag and begins anew. */
export function measureEventLoop(): () => EventLoopLag {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return () => {
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
    const lag = { p50: late(delay.percentile(50)), p99: late(delay.percentile(99)), max: late(delay.max) };
    delay.reset();
    return lag;
  };
}
