import type { Frame } from '../protocol/frames.ts';
import { type CompileStart, HOST_FRAME, LANE_FRAME, type LaneDone, type RunStart } from '../protocol/messages.ts';
import { compileOnly } from './compile-only.ts';
import { endProcess, type HostChannel } from './host-channel.ts';
import { type RunningLane, ScriptRun } from './script-run.ts';
import type { TenantIsolates } from './tenant-isolates.ts';

/**
 * The lane's side of the conversation: takes one run at a time and answers with its end. Nested runs arrive while
 * their caller waits inside a host call, and end before it goes on.
 */
export class Lane implements RunningLane {
  readonly channel: HostChannel;
  readonly isolates: TenantIsolates;
  #aborting: number | undefined;

  constructor(channel: HostChannel, isolates: TenantIsolates) {
    this.channel = channel;
    this.isolates = isolates;
  }

  get aborting(): number | undefined {
    return this.#aborting;
  }

  abort(runId: number): void {
    this.#aborting = runId;
  }

  /** Serves one frame of the host. @returns false when the host is gone. */
  serve(): boolean {
    const frame = this.channel.receive();
    if (frame === undefined) return false;
    if (frame.type === HOST_FRAME.run) {
      this.channel.send(LANE_FRAME.began, frame.runId, '');
      const { tenant, limits } = this.#run(frame, 1);
      // The host has its answer; until it sends the next run there is nothing else to do.
      this.isolates.makeSpare(tenant, 1, limits.heapMb);
    } else if (frame.type === HOST_FRAME.compile) {
      const { engineKey, source } = JSON.parse(frame.text) as CompileStart;
      this.#done(frame.runId, { outcome: compileOnly(this.isolates, engineKey, source), warnings: [] });
    } else {
      endProcess();
    }
    return true;
  }

  runNested(frame: Frame, depth: number): void {
    this.#run(frame, depth);
  }

  #run(frame: Frame, depth: number): RunStart {
    const start = JSON.parse(frame.text) as RunStart;
    const done = new ScriptRun(this, start, frame.runId, depth).execute();
    if (this.#aborting === undefined || this.#aborting === frame.runId) {
      this.#aborting = undefined;
      this.#done(frame.runId, done);
    }
    return start;
  }

  #done(runId: number, done: LaneDone): void {
    this.channel.send(LANE_FRAME.done, runId, JSON.stringify(done));
  }
}
