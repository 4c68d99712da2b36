import type { ErrorRecord } from '../../core/errors.ts';
import type { RunLimits } from '../../core/run-limits.ts';

/** Time between two looks at the busy lanes. At 20 ms memory overshoots its ceiling by 1 to 5 MB. */
const TICK_MS = 20;

/** CPU beyond the limit that the lane's own softer end gets first: `1.25 x cpuMs + 250 ms`. */
const CPU_GRACE = { factor: 1.25, extraMs: 250 } as const;

/** Wall time beyond the limit for a run that is told to end while it waits for the host. */
const WALL_GRACE_MS = 300;

/** Wall time for a lane to read its run. A lane that does not is not serving. */
const BEGIN_GRACE_MS = 5_000;

/** What is known of a busy lane. CPU and memory are undefined where the kernel does not tell. */
export interface LaneObservation {
  /** False until there is a sign that the lane has taken the run: a frame, or processor time. */
  readonly begun: boolean;
  /** Since the run was sent. */
  readonly wallMs: number;
  readonly cpuMs: number | undefined;
  readonly rssBytes: number | undefined;
  /** True when the lane waits inside a host call. */
  readonly waitsForHost: boolean;
  /** True when it was told to end the run. */
  readonly ending: boolean;
}

export type WatchDecision =
  | { readonly act: 'leave' }
  | { readonly act: 'abort'; readonly error: ErrorRecord }
  | { readonly act: 'kill'; readonly error: ErrorRecord };

const LEAVE: WatchDecision = Object.freeze({ act: 'leave' });

/**
 * Decides about a busy lane (sandbox.md 5). SIGKILL is the only end that is certain; where the lane waits for the
 * host, it is asked first, which spares the process.
 */
export function decideWatch(seen: LaneObservation, limits: RunLimits): WatchDecision {
  if (seen.rssBytes !== undefined && seen.rssBytes > limits.rssMb * 1024 * 1024) {
    return kill('V8_PROCESS_MEMORY', limits.rssMb);
  }
  if (!seen.begun) {
    if (seen.wallMs <= BEGIN_GRACE_MS) return LEAVE;
    return {
      act: 'kill',
      error: { code: 'SANDBOX_UNAVAILABLE', params: { reason: 'the lane did not take its run' } },
    };
  }
  if (seen.cpuMs !== undefined && seen.cpuMs > limits.cpuMs * CPU_GRACE.factor + CPU_GRACE.extraMs) {
    return kill('V8_CPU_LIMIT', limits.cpuMs);
  }
  if (seen.wallMs > limits.wallMs + WALL_GRACE_MS) return kill('V8_TIMEOUT', limits.wallMs);
  if (seen.wallMs > limits.wallMs && seen.waitsForHost && !seen.ending) {
    return { act: 'abort', error: { code: 'V8_TIMEOUT', params: { limit: limits.wallMs } } };
  }
  return LEAVE;
}

function kill(code: ErrorRecord['code'], limit: number): WatchDecision {
  return { act: 'kill', error: { code, params: { limit } } };
}

/** A lane that can be looked at. */
export interface Watched {
  /** Looks at the lane's run and ends it when a limit was passed. */
  inspect(): void;
}

/** Looks at the busy lanes, and only at them: an idle host has no timer. */
export class Watchdog {
  readonly #busy = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;

  watch(lane: Watched): void {
    this.#busy.add(lane);
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
  }

  unwatch(lane: Watched): void {
    this.#busy.delete(lane);
    if (this.#busy.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    for (const lane of [...this.#busy]) lane.inspect();
  }
}
