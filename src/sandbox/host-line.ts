import { fail } from '../core/dos-result.ts';
import type { ErrorCode, ErrorParams } from '../core/errors.ts';
import type { Frame } from '../protocol/frames.ts';
import { HOST_FRAME, isRun, LANE_FRAME } from '../protocol/messages.ts';
import { endProcess, type HostChannel } from './host-channel.ts';

/** The lane, as one of its runs sees it. */
export interface RunningLane {
  readonly channel: HostChannel;
  /** The run that the host is ending, while the runs nested in it unwind; they end without a word of their own. */
  readonly aborting: number | undefined;
  abort(runId: number): void;
  /** Runs an engine that a waiting run's host call asked for, to its end. */
  runNested(frame: Frame, depth: number): void;
  /** Keeps a run that was sent ahead until the one under way has ended. */
  holdBack(frame: Frame): void;
}

/** What one run says to the host and hears from it. */
export class HostLine {
  readonly #lane: RunningLane;
  readonly #runId: number;
  readonly #depth: number;
  #spoke = false;
  #announced = false;

  constructor(lane: RunningLane, runId: number, depth: number) {
    this.#lane = lane;
    this.#runId = runId;
    this.#depth = depth;
  }

  /** True when the host has heard of the run: it cannot be begun again. */
  get spoke(): boolean {
    return this.#spoke;
  }

  /** True when the host is ending this run, or one that it is nested in. */
  get aborted(): boolean {
    return this.#lane.aborting !== undefined;
  }

  say(type: number, text: string): void {
    this.#spoke = true;
    this.#lane.channel.send(type, this.#runId, text);
  }

  /** Says once that the run has begun. It leaves no trace of the script's. */
  announce(): void {
    if (this.#announced || this.#depth > 1) return;
    this.#announced = true;
    this.#lane.channel.send(LANE_FRAME.began, this.#runId, '');
  }

  /** The source of the run's engine. Asking leaves no trace: it is not yet the script that speaks. */
  fetchSource(): string {
    this.#lane.channel.send(LANE_FRAME.wantSource, this.#runId, '');
    return this.hear(HOST_FRAME.source) ?? '';
  }

  /** Waits for a frame of this type and runs nested engines meanwhile. @returns undefined when the run is ended. */
  hear(type: number): string | undefined {
    for (;;) {
      const frame = this.#lane.channel.receive() ?? endProcess();
      if (frame.type === type && frame.runId === this.#runId) return frame.text;
      if (frame.type === HOST_FRAME.nested) this.#lane.runNested(frame, this.#depth + 1);
      else if (frame.type === HOST_FRAME.abort) this.#lane.abort(frame.runId);
      else if (isRun(frame)) this.#lane.holdBack(frame);
      else endProcess();
      if (this.aborted) return undefined;
    }
  }
}

/** JSON of the DosResult that a script gets when its call cannot even be sent. */
export function refusal(code: ErrorCode, params: ErrorParams, lang: 'zh' | 'en'): string {
  return JSON.stringify(fail({ code, params }, lang));
}
