import type { CircuitPolicy } from './circuit.ts';

/** What the two kinds of circuits of a host go by. */
export interface CircuitPolicies {
  /** The breaker of a binding. */
  readonly binding: CircuitPolicy;
  /** The pause of an engine whose runs cost their lanes. */
  readonly engine: CircuitPolicy;
}

/**
 * The breaker judges a minute and at least 20 runs, so that it opens before the thirtieth failure, never for single
 * bad messages, and tries again soon enough to close within ten seconds of a repair.
 */
export const DEFAULT_BINDING_CIRCUIT: CircuitPolicy = Object.freeze({
  windowMs: 60_000,
  minRuns: 20,
  troublePercent: 50,
  faultPercent: 90,
  pauseMs: 2_000,
  maxPauseMs: 8_000,
});

/** A lane is dear: three runs of which most cost one are enough, and the pauses grow to minutes. */
export const DEFAULT_ENGINE_CIRCUIT: CircuitPolicy = Object.freeze({
  windowMs: 600_000,
  minRuns: 3,
  troublePercent: 50,
  faultPercent: 0,
  pauseMs: 10_000,
  maxPauseMs: 300_000,
});
