/**
 * The wire types between host and lane. One request-response line per lane: the host sends one run, the lane answers
 * with host calls and at last with `done`. A frame of a wrong run id, type or length kills the lane, so a late host
 * call of a finished run has no way to exist. Frame layout: protocol/frames.ts.
 */
import type { JsonValue } from '../core/json.ts';
import type { RunLimits } from '../core/run-limits.ts';
import type { RunOutcome } from '../core/run-outcome.ts';

/** Frames from host to lane. */
export const HOST_FRAME = {
  /** JSON RunStart: run this script. */
  run: 1,
  /** JSON text: the answer to the lane's open host call. */
  reply: 2,
  /** Empty: end the run now (wall time passed while it waited for a host call). */
  abort: 3,
  /** JSON RunStart: before the reply, run this engine in another isolate of the same tenant; answered by `done`. */
  nested: 4,
  /** JSON CompileStart: compile only; answered by `done`. */
  compile: 5,
} as const;

/** Frames from lane to host. */
export const LANE_FRAME = {
  /** Empty, run id 0: the lane is up. */
  ready: 16,
  /** Text: host call name, LF, JSON array of the arguments. */
  call: 17,
  /** Text: console level, LF, line. */
  log: 18,
  /** JSON LaneDone: the run of this id ended. */
  done: 19,
  /** Empty: the lane has read the run of this id and starts it. A lane that dies before this frame left it unstarted. */
  began: 20,
} as const;

/** The context members a script sees (v8-surface.md 5.2). */
export interface ScriptInput {
  readonly Param: JsonValue;
  readonly OsClient: string;
  readonly CurrentUser: JsonValue;
  readonly EventName: string;
  readonly ApiEngineKey: string;
  readonly InvokeType: 'Client' | 'Server';
  readonly Limits: JsonValue;
}

/** Everything a lane needs for one run. */
export interface RunStart {
  readonly tenant: string;
  readonly engineKey: string;
  readonly version: string;
  readonly source: string;
  readonly input: ScriptInput;
  readonly limits: RunLimits;
}

export interface CompileStart {
  readonly engineKey: string;
  readonly source: string;
}

/** Levels of `console` in a script. */
export type ConsoleLevel = 'log' | 'info' | 'warn' | 'error';

/** What a lane says at the end of a run. */
export interface LaneDone {
  /** `compiled` answers a compile frame. */
  readonly outcome: RunOutcome | { readonly kind: 'compiled' };
  /** What went wrong beside the outcome, for the author: a floating rejection, a cut log. */
  readonly warnings: readonly string[];
}
