import type { ErrorRecord } from '../../core/errors.ts';
import type { RunLimits } from '../../core/run-limits.ts';
import type { RunOutcome } from '../../core/run-outcome.ts';
import type { Frame } from '../../protocol/frames.ts';

/** A run or a compilation, as its lane drives it. */
export interface Conversation {
  readonly runId: number;
  readonly waitsForHost: boolean;
  readonly ending: boolean;
  /** @returns true when this frame was the end. @throws ProtocolBreach */
  accept(frame: Frame): boolean;
  abort(reason: ErrorRecord): void;
  end(outcome: RunOutcome): void;
}

/** What is measured of the conversation under way. */
export interface Stopwatch {
  readonly limits: RunLimits;
  /** True once the lane has said something of the run, or has used the processor for it. */
  begun: boolean;
  /** True once the lane has said that the run begins, or something else of it. */
  heard: boolean;
  startedAt: number;
  readonly cpuAtStart: number;
}
