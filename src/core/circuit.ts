/**
 * A circuit: watches how runs end and stops them for a while when too many go wrong in the same way. Used twice, for
 * the messages of a binding and for engines that lose their sandbox.
 *
 *   closed --trouble at a high rate--> open --pause over--> probing --good run--> closed
 *                                        ^------bad run, longer pause------'
 */

/**
 * How one run speaks for or against the circuit.
 *
 * - `good`: the script reached a verdict of its own, also an explicit refusal of bad data.
 * - `trouble`: something outside the message went wrong: a time-out, a dependency that did not answer.
 * - `fault`: the script failed by itself; that may be the message's fault or the script's.
 */
export type CircuitSample = 'good' | 'trouble' | 'fault';

export interface CircuitPolicy {
  /** How far back runs count. Milliseconds. */
  readonly windowMs: number;
  /** Runs in the window before anything is judged. */
  readonly minRuns: number;
  /** Percentage of trouble that opens the circuit; 0: never. */
  readonly troublePercent: number;
  /** Percentage of trouble and faults together that opens it; 0: never. */
  readonly faultPercent: number;
  /** First pause; each failed probe doubles it, up to the longest. Milliseconds. */
  readonly pauseMs: number;
  readonly maxPauseMs: number;
}

/** Runs that ended in one slice of the window. */
interface Slice {
  readonly from: number;
  readonly good: number;
  readonly trouble: number;
  readonly fault: number;
}

export type Circuit =
  | { readonly phase: 'closed'; readonly slices: readonly Slice[] }
  | {
      readonly phase: 'open';
      /** When a probe may run. Milliseconds UTC. */
      readonly until: number;
      /** Pauses in a row, this one included. */
      readonly pauses: number;
      /** When it opened first. Milliseconds UTC. */
      readonly since: number;
    }
  | {
      readonly phase: 'probing';
      readonly pauses: number;
      readonly since: number;
      /** When the probe under way began; undefined while none is. */
      readonly probeAt: number | undefined;
    };

export const CLOSED_CIRCUIT: Circuit = Object.freeze({ phase: 'closed', slices: Object.freeze([]) });

/** Slices of a window: the memory of a circuit does not grow with its runs. */
const SLICES = 10;

/** A probe that did not end within this time is forgotten: its message was held, or its end was lost. */
const PROBE_LOST_MS = 900_000;

/** May a run begin? A probe is given to one at a time. */
export type CircuitTurn =
  | { readonly pass: true; readonly circuit: Circuit }
  | { readonly pass: false; readonly circuit: Circuit; readonly waitMs: number };

export function askTurn(circuit: Circuit, now: number): CircuitTurn {
  if (circuit.phase === 'closed') return { pass: true, circuit };
  if (circuit.phase === 'open') {
    // A clock that was set back must not prolong the pause for ever, so the pause is never longer than it was set.
    if (now < circuit.until) return { pass: false, circuit, waitMs: circuit.until - now };
    const { pauses, since } = circuit;
    return { pass: true, circuit: { phase: 'probing', pauses, since, probeAt: now } };
  }
  const { probeAt } = circuit;
  const busy = probeAt !== undefined && now - probeAt < PROBE_LOST_MS && now >= probeAt;
  if (busy) return { pass: false, circuit, waitMs: PROBE_WAIT_MS };
  return { pass: true, circuit: { ...circuit, probeAt: now } };
}

/** When to ask again while another one probes. Milliseconds. */
const PROBE_WAIT_MS = 1_000;

/** The run that had its turn ended without a verdict: another one may probe. */
export function forgoTurn(circuit: Circuit): Circuit {
  return circuit.phase === 'probing' ? { ...circuit, probeAt: undefined } : circuit;
}

/** Takes in how a run ended. A run that began before the circuit opened changes nothing any more. */
export function recordSample(circuit: Circuit, policy: CircuitPolicy, sample: CircuitSample, now: number): Circuit {
  switch (circuit.phase) {
    case 'open':
      return circuit;
    case 'probing':
      if (sample === 'good' || !counts(policy, sample)) return CLOSED_CIRCUIT;
      return opened(policy, circuit.pauses + 1, circuit.since, now);
    case 'closed': {
      const slices = addSample(circuit.slices, policy, sample, now);
      // What went well opens nothing, even where it makes enough runs to judge.
      return sample !== 'good' && trips(slices, policy) ? opened(policy, 1, now, now) : { phase: 'closed', slices };
    }
  }
}

/** A share of the runs in the window, in percent, and how many there were. */
export function ratesOf(circuit: Circuit, policy: CircuitPolicy, now: number) {
  const slices = circuit.phase === 'closed' ? recent(circuit.slices, policy, now) : [];
  const { good, trouble, fault } = total(slices);
  const runs = good + trouble + fault;
  return { runs, troublePercent: percent(trouble, runs), faultPercent: percent(fault, runs) };
}

/** A fault that no rate can make open the circuit says nothing against it when it is probed. */
function counts(policy: CircuitPolicy, sample: CircuitSample): boolean {
  return sample === 'fault' ? policy.faultPercent > 0 : true;
}

function opened(policy: CircuitPolicy, pauses: number, since: number, now: number): Circuit {
  const pauseMs = Math.min(policy.maxPauseMs, policy.pauseMs * 2 ** Math.min(pauses - 1, 30));
  return { phase: 'open', until: now + pauseMs, pauses, since };
}

function trips(slices: readonly Slice[], policy: CircuitPolicy): boolean {
  const { good, trouble, fault } = total(slices);
  const runs = good + trouble + fault;
  if (runs < policy.minRuns) return false;
  return reaches(trouble, runs, policy.troublePercent) || reaches(trouble + fault, runs, policy.faultPercent);
}

function reaches(part: number, runs: number, threshold: number): boolean {
  return threshold > 0 && part * 100 >= threshold * runs;
}

function addSample(slices: readonly Slice[], policy: CircuitPolicy, sample: CircuitSample, now: number): Slice[] {
  const kept = recent(slices, policy, now);
  const last = kept.at(-1);
  const current = last !== undefined && now - last.from < policy.windowMs / SLICES ? last : undefined;
  const slice = current ?? { from: now, good: 0, trouble: 0, fault: 0 };
  return [...(current === undefined ? kept : kept.slice(0, -1)), { ...slice, [sample]: slice[sample] + 1 }];
}

/** Slices of the window; those of a clock that was set back since are from the future and do not count. */
function recent(slices: readonly Slice[], policy: CircuitPolicy, now: number): Slice[] {
  return slices.filter(({ from }) => from <= now && now - from < policy.windowMs);
}

function total(slices: readonly Slice[]) {
  const sum = { good: 0, trouble: 0, fault: 0 };
  for (const slice of slices) {
    sum.good += slice.good;
    sum.trouble += slice.trouble;
    sum.fault += slice.fault;
  }
  return sum;
}

function percent(part: number, runs: number): number {
  return runs === 0 ? 0 : Math.round((part / runs) * 100);
}
