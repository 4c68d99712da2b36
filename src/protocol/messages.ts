/**
 * The wire types between host and lane. One request-response line per lane: the host sends one run, the lane answers
 * with host calls and at last with `done`. A frame of a wrong run id, type or length kills the lane, so a late host
 * call of a finished run has no way to exist. The one exception to the turns: the host may send the next `run` while
 * one is under way; the lane takes it up when that has ended.
 *
 * Frame layout: protocol/frames.ts. Texts: run-text.ts, wait-text.ts, done-text.ts.
 */
import type { JsonObject, JsonValue } from '../core/json.ts';
import type { RunLimits } from '../core/run-limits.ts';
import type { RunOutcome } from '../core/run-outcome.ts';

/** Frames from host to lane. */
export const HOST_FRAME = {
  /** Run text: run this script. */
  run: 1,
  /** JSON text: the answer to the lane's open host call. */
  reply: 2,
  /** Empty: end the run now (wall time passed while it waited for the host). */
  abort: 3,
  /** Run text: before the reply or step, run this engine in another isolate of the tenant; answered by `done`. */
  nested: 4,
  /** JSON CompileStart: compile only; answered by `done`. */
  compile: 5,
  /** Step text: ends the lane's `wait`, because calls were answered or the timer is due. */
  step: 6,
  /** The source that the lane asked for. */
  source: 7,
  /**
   * Run text: as `run`, and the next run of the same transaction is right behind it. Nobody waits for the end of this one
   * alone, so the lane may say it together with its next word.
   */
  runOfSeveral: 8,
} as const;

/** True for a frame that brings a root run, which may come while another is under way. */
export function isRun({ type }: { readonly type: number }): boolean {
  return type === HOST_FRAME.run || type === HOST_FRAME.runOfSeveral;
}

/** Frames from lane to host. */
export const LANE_FRAME = {
  /** Empty, run id 0: the lane is up. */
  ready: 16,
  /** Text: host call name, LF, JSON array of the arguments. */
  call: 17,
  /** Text: console level, LF, line. */
  log: 18,
  /** Done text: the run of this id ended. */
  done: 19,
  /**
   * Empty: the lane has read the run of this id and starts it. Not sent for a script whose last run in this lane was
   * quick: its first frame says the same. A lane that dies before either left the run unstarted.
   */
  began: 20,
  /** Wait text: the script has nothing to do until a call is answered or a timer is due; answered by `step`. */
  wait: 21,
  /** Empty: the lane does not have the source of this run; answered by `source`, before anything else of the run. */
  wantSource: 22,
} as const;

/**
 * Isolates that a lane keeps; the tenant that was not there for longest makes room. Each holds 3.5 MB when it is warm: a
 * lane that is full of them must stay below what is too heavy to keep (LaneProcess.bloated), or it would be replaced and
 * all of its tenants were cold.
 */
export const MAX_LANE_ISOLATES = 30;

/** The context members a script sees (v8-surface.md 5.2). */
export interface ScriptInput {
  readonly Param: JsonValue;
  readonly OsClient: string;
  readonly CurrentUser: JsonValue;
  readonly EventName: string;
  /** Absent outside events of the MQTT broker. */
  readonly MQTT?: JsonValue;
  /** Both absent where no HTTP request called. */
  readonly Header?: JsonValue;
  readonly FilesByteBase64?: JsonValue;
  readonly ApiEngineKey: string;
  readonly InvokeType: 'Client' | 'Server';
  readonly Limits: JsonValue;
  /** Set in an event of a table: the run gives back what became of it (prelude/table-event.js). */
  readonly TableEvent?: TableEventInput;
}

/** What an event of a table finds in `V8` (v8-surface.md 5.7). */
export interface TableEventInput {
  readonly Form?: JsonObject;
  readonly OldForm?: JsonObject;
  readonly FormSubmitAction?: 'Insert' | 'Update' | 'Delete';
  readonly TableModel: JsonObject;
  /** The rows of a read, for the row filter; the script runs once for each. */
  readonly Rows?: readonly JsonObject[];
}

/** Names a source and says within which limits it runs. A lane that has met the version needs no more. */
export interface RunHead {
  readonly tenant: string;
  readonly engineKey: string;
  /** Tells sources of one engine apart: the same version is always the same source. */
  readonly version: string;
  readonly limits: RunLimits;
}

/** Everything a lane needs for one run. */
export interface RunStart extends RunHead {
  readonly source: string;
  /** JSON of a ScriptInput. */
  readonly inputJson: string;
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
