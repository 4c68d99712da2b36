import { writeDoneText } from '../protocol/done-text.ts';
import type { Frame } from '../protocol/frames.ts';
import { type CompileStart, HOST_FRAME, isRun, LANE_FRAME, type LaneDone, type RunHead } from '../protocol/messages.ts';
import { splitRunText } from '../protocol/run-text.ts';
import { compileOnly } from './compile-only.ts';
import { CpuClock } from './cpu-clock.ts';
import { endProcess, type HostChannel } from './host-channel.ts';
import { HostLine, type RunningLane } from './host-line.ts';
import { LeastRecentlyUsed } from './least-recently-used.ts';
import { ScriptRun } from './script-run.ts';
import type { TenantIsolates } from './tenant-isolates.ts';

/** Heads kept in parsed form: those of an engine's runs are the same text. */
const MAX_HEADS = 256;

/**
 * The lane's side of the conversation: takes one run at a time and answers with its end. Nested runs arrive while
 * their caller waits inside a host call, and end before it goes on.
 */
export class Lane implements RunningLane {
  readonly channel: HostChannel;
  readonly #isolates: TenantIsolates;
  readonly #cpu = new CpuClock();
  readonly #heads = new LeastRecentlyUsed<RunHead>(MAX_HEADS, () => undefined);
  readonly #heldBack: Frame[] = [];
  #aborting: number | undefined;

  constructor(channel: HostChannel, isolates: TenantIsolates) {
    this.channel = channel;
    this.#isolates = isolates;
  }

  get aborting(): number | undefined {
    return this.#aborting;
  }

  abort(runId: number): void {
    this.#aborting = runId;
  }

  holdBack(frame: Frame): void {
    this.#heldBack.push(frame);
  }

  /** Serves one frame of the host. @returns false when the host is gone. */
  serve(): boolean {
    const frame = this.#heldBack.shift() ?? this.channel.receive();
    if (frame === undefined) return false;
    if (isRun(frame)) {
      const { limits } = this.#run(frame, 1);
      // The host has its answer. Unless the next run is here already there is nothing else to do.
      if (this.#heldBack.length === 0 && !this.channel.holdsMore) this.#isolates.useIdleMoment(limits.heapMb);
    } else if (frame.type === HOST_FRAME.compile) {
      const { engineKey, source } = JSON.parse(frame.text) as CompileStart;
      this.#done(frame.runId, { outcome: compileOnly(this.#isolates, engineKey, source), warnings: [] });
    } else {
      endProcess();
    }
    return true;
  }

  runNested(frame: Frame, depth: number): void {
    this.#run(frame, depth);
  }

  #run(frame: Frame, depth: number): RunHead {
    const { headJson, inputJson } = splitRunText(frame.text);
    const head = this.#readHead(headJson);
    const line = new HostLine(this, frame.runId, depth);
    const services = { line, isolates: this.#isolates, cpu: this.#cpu };
    const done = new ScriptRun(services, head, inputJson, depth).execute();
    if (this.#aborting === undefined || this.#aborting === frame.runId) {
      this.#aborting = undefined;
      if (frame.type === HOST_FRAME.runOfSeveral) this.channel.hold(LANE_FRAME.done, frame.runId, writeDoneText(done));
      else this.#done(frame.runId, done);
    }
    return head;
  }

  #readHead(json: string): RunHead {
    const known = this.#heads.get(json);
    if (known !== undefined) return known;
    const head = JSON.parse(json) as RunHead;
    this.#heads.set(json, head);
    return head;
  }

  #done(runId: number, done: LaneDone): void {
    this.channel.send(LANE_FRAME.done, runId, writeDoneText(done));
  }
}
