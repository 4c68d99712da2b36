import type { ChildProcess } from 'node:child_process';
import process from 'node:process';
import type { Duplex, Readable } from 'node:stream';
import type { ErrorRecord } from '../../core/errors.ts';
import { DEFAULT_RUN_LIMITS, type RunLimits } from '../../core/run-limits.ts';
import type { RunOutcome } from '../../core/run-outcome.ts';
import type { CompileResult, HostCallSink } from '../../ports/engine-runner.ts';
import { encodeFrame, type Frame } from '../../protocol/frames.ts';
import { type CompileStart, isRun, LANE_FRAME, type RunStart } from '../../protocol/messages.ts';
import { CompileConversation } from './compile-conversation.ts';
import { FrameReader } from './frame-reader.ts';
import { LaneBrake } from './lane-brake.ts';
import type { LaneCommand } from './lane-command.ts';
import { LaneTurn, type TurnListener } from './lane-turn.ts';
import { type CpuAccounts, LaneUsage } from './lane-usage.ts';
import { ProtocolBreach } from './protocol-breach.ts';
import { type ConversationPeer, RunConversation } from './run-conversation.ts';
import { spawnLane } from './spawn-lane.ts';
import { decideWatch, type Watchdog, type Watched } from './watchdog.ts';

/** Longest that a process may take from its start to its first frame. */
const START_TIMEOUT_MS = 30_000;

/** Longest that an idle lane may take to go after its socket was closed. */
const CLOSE_TIMEOUT_MS = 1_000;

/** What is kept of a lane's stderr: a crash's first lines. */
const STDERR_BYTES = 4096;

/**
 * Part of its CPU limit that a run may be held still for its tenant's debt. The lane's own soft timeout is wall time, a
 * quarter longer than the limit: held longer, a run would be ended by it before it has used what it may.
 */
const MOST_HELD = 0.2;

/** Part of its ceiling that an idle lane may hold. */
export const MOST_IDLE_MEMORY = 0.65;

/** Limits of a compilation. Only CPU, wall and memory matter for it. */
const COMPILE_LIMITS: RunLimits = { ...DEFAULT_RUN_LIMITS, wallMs: 10_000 };

/** How a lane's process ended. */
export interface LaneEnd {
  /** Why the host killed it; undefined when it ended by itself or was killed from outside. */
  readonly killed: ErrorRecord | undefined;
  /** The lane broke the protocol; said for the log. */
  readonly breach: string | undefined;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Its first bytes on stderr. */
  readonly stderr: string;
}

/**
 * One lane process and the one conversation it has at a time. Others may be sent behind it, whose turns follow.
 *
 * Modes: `starting` until its first frame; `idle` waiting for a run; `busy` from a run's frame to the end of the last
 * one that was sent; `ended` for good, entered by a kill at once and by an exit when its last bytes were read. A turn
 * begins when the one before it has ended, and ends with `busy` at the latest.
 */
export class LaneProcess implements Watched, ConversationPeer {
  /** Resolves when the lane is idle for the first time; rejects with LaneEnd when it ends before. */
  readonly ready: Promise<void>;
  /** Resolves when the process is gone. */
  readonly ended: Promise<LaneEnd>;
  readonly #child: ChildProcess;
  readonly #socket: Duplex;
  readonly #watchdog: Watchdog;
  readonly #rssMb: number;
  readonly #usage: LaneUsage;
  readonly #brake: LaneBrake;
  readonly #reader = new FrameReader();
  #mode: 'starting' | 'idle' | 'busy' | 'ended' = 'starting';
  /** The conversation under way. */
  #turn: LaneTurn | undefined;
  /** Those that were sent behind it. */
  readonly #behind: LaneTurn[] = [];
  #lastRunId = 0;
  #gathering = false;
  #killed: ErrorRecord | undefined;
  #breach: string | undefined;
  #stderr = '';
  #onReady: () => void = () => undefined;

  constructor(command: LaneCommand, watchdog: Watchdog, rssMb: number, accounts: CpuAccounts) {
    this.#watchdog = watchdog;
    this.#rssMb = rssMb;
    this.#child = spawnLane(command);
    this.#socket = this.#child.stdio[3] as Duplex;
    this.#usage = new LaneUsage(this.#child.pid, accounts);
    this.#brake = new LaneBrake((signal) => this.#child.kill(signal));
    this.ended = this.#followExit();
    this.ready = this.#awaitReady();
    this.#listen();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get idle(): boolean {
    return this.#mode === 'idle';
  }

  /** True when it takes runs: at once when it is idle, else behind those that it has. */
  get serving(): boolean {
    return this.#mode === 'idle' || this.#mode === 'busy';
  }

  /** For how long the run under way has had its turn; 0 without one. Milliseconds. */
  get turnMs(): number {
    return this.#turn?.heldMs ?? 0;
  }

  /** True while the run waits inside a host call. */
  get blocked(): boolean {
    return this.#turn?.blocked === true;
  }

  get alive(): boolean {
    return this.#mode !== 'ended';
  }

  /** True when an idle lane holds so much memory that the next run would pay for it. */
  get bloated(): boolean {
    const rss = this.#usage.readRecent()?.rssBytes ?? 0;
    return this.#mode === 'idle' && rss > this.#rssMb * 1024 * 1024 * MOST_IDLE_MEMORY;
  }

  /**
   * Runs a script to its end: at once on an idle lane, else behind the runs that it has.
   * @param listener follows the run's turn. @param hasNext another of the same transaction is sent right behind it.
   */
  run(start: RunStart, sink: HostCallSink, listener?: TurnListener, hasNext = false): Promise<RunOutcome> {
    this.#assertServing();
    const limits = { ...start.limits, rssMb: Math.min(start.limits.rssMb, this.#rssMb) };
    const conversation = new RunConversation(this, start, sink, hasNext);
    this.#add(new LaneTurn(start.tenant, conversation, limits, listener));
    return conversation.outcome;
  }

  /** Compiles a source. @throws AppError when the lane ended or a limit was broken. */
  compile(tenant: string, start: CompileStart): Promise<CompileResult> {
    this.#assertServing();
    const conversation = new CompileConversation(this, start);
    const turn = new LaneTurn(tenant, conversation, { ...COMPILE_LIMITS, rssMb: this.#rssMb });
    turn.hear();
    this.#add(turn);
    return conversation.result;
  }

  send(type: number, runId: number, text: string): void {
    if (this.#mode === 'ended') return;
    // What the lane waits for goes at once.
    if (isRun({ type }) && this.#mode === 'busy') this.#gather();
    this.#socket.write(encodeFrame({ type, runId, text }));
    this.#turn?.noteBlocked();
  }

  /** Runs that are sent behind others before the host turns to something else go in one packet. */
  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    this.#socket.cork();
    process.nextTick(() => {
      this.#gathering = false;
      this.#socket.uncork();
    });
  }

  nextRunId(): number {
    this.#lastRunId = (this.#lastRunId + 1) >>> 0 || 1;
    return this.#lastRunId;
  }

  /** Looks at the run under way and ends it when a limit was passed. */
  inspect(): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    const now = performance.now();
    const seen = turn.measure(now, this.#brake.stoodMs(now), this.#usage.read());
    const decision = decideWatch(seen, turn.limits);
    if (decision.act === 'kill') this.kill(decision.error);
    if (decision.act === 'abort') turn.conversation.abort(decision.error);
    this.#slowDown(turn, now);
  }

  /** A lane that waits for the host uses nothing and is let go; one that has not begun yet is not slowed. */
  #slowDown(turn: LaneTurn, now: number): void {
    const mayBeHeld = this.#brake.stoodMs(now) < turn.limits.cpuMs * MOST_HELD;
    const isAtWork = this.#mode === 'busy' && turn.begun && !turn.conversation.waitsForHost;
    this.#brake.update(isAtWork && mayBeHeld && this.#usage.inDebt, now);
  }

  /**
   * Ends the process at once. The run under way ends with `reason`: as its own limit, or uncounted when it never began,
   * as those behind it.
   */
  kill(reason: ErrorRecord): void {
    if (this.#mode === 'ended') return;
    this.#killed = reason;
    this.#child.kill('SIGKILL');
    const unstarted = this.#turn?.begun === false || reason.code === 'DRAINING';
    this.#enterEnded(
      unstarted ? { kind: 'unstarted', error: reason } : { kind: 'limit', error: reason, laneLost: true },
    );
  }

  /** Lets an idle lane go by closing its socket; kills a busy one. Resolves when the process is gone. */
  async close(): Promise<void> {
    if (this.#mode !== 'idle') this.kill({ code: 'DRAINING', params: {} });
    this.#mode = 'ended';
    this.#socket.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), CLOSE_TIMEOUT_MS);
    await this.ended;
    clearTimeout(timer);
  }

  #listen(): void {
    this.#socket.on('data', (chunk: Uint8Array) => this.#onData(chunk));
    // A lane that dies leaves a broken pipe behind; its exit says all there is to say.
    this.#socket.on('error', () => undefined);
    const stderr = this.#child.stderr as Readable;
    stderr.on('data', (chunk: Buffer) => {
      if (this.#stderr.length < STDERR_BYTES) this.#stderr += chunk.toString('latin1').slice(0, STDERR_BYTES);
    });
  }

  #onData(chunk: Uint8Array): void {
    try {
      for (const frame of this.#reader.push(chunk)) this.#onFrame(frame);
    } catch (error) {
      if (!(error instanceof ProtocolBreach)) throw error;
      this.#breach = error.message;
      this.#child.kill('SIGKILL');
      this.#enterEnded(CRASHED);
    }
  }

  #onFrame(frame: Frame): void {
    if (this.#mode === 'ended') return;
    if (this.#mode === 'starting' && frame.type === LANE_FRAME.ready) {
      this.#mode = 'idle';
      this.#onReady();
      return;
    }
    const turn = this.#turn;
    if (turn === undefined) throw new ProtocolBreach('a frame outside a run');
    if (frame.type === LANE_FRAME.began) {
      turn.announce(frame);
      return;
    }
    turn.hear();
    if (turn.conversation.accept(frame)) this.#enterNext();
    else turn.noteBlocked();
  }

  #assertServing(): void {
    if (!this.serving) throw new Error(`a lane that is ${this.#mode} takes no run`);
  }

  #add(turn: LaneTurn): void {
    if (this.#mode === 'idle') {
      this.#mode = 'busy';
      this.#watchdog.watch(this);
      this.#begin(turn);
    } else {
      this.#behind.push(turn);
    }
  }

  #begin(turn: LaneTurn): void {
    this.#turn = turn;
    turn.start(this.#usage.beginRun(turn.tenant));
  }

  /** The turn is over: the next one begins, or the lane is idle. */
  #enterNext(): void {
    this.#endTurn();
    const next = this.#behind.shift();
    if (next === undefined) {
      this.#mode = 'idle';
      this.#watchdog.unwatch(this);
    } else {
      this.#begin(next);
    }
  }

  #enterEnded(outcome: RunOutcome): void {
    this.#mode = 'ended';
    const turn = this.#turn;
    this.#endTurn();
    this.#watchdog.unwatch(this);
    this.#socket.destroy();
    turn?.conversation.end(outcome);
    for (const { conversation } of this.#behind.splice(0)) conversation.end(LOST);
  }

  #endTurn(): void {
    this.#brake.release(performance.now());
    this.#turn?.end();
    this.#turn = undefined;
  }

  /** `close` and not `exit`: by then the last frames were read, and a run that ended in them has ended. */
  #followExit(): Promise<LaneEnd> {
    return new Promise((resolve) => {
      const finish = (exitCode: number | null, signal: NodeJS.Signals | null): void => {
        if (this.#mode !== 'ended') this.#enterEnded(this.#turn?.hadBegun(exitCode, signal) === true ? CRASHED : LOST);
        this.#usage.close();
        resolve({ killed: this.#killed, breach: this.#breach, exitCode, signal, stderr: this.#stderr });
      };
      this.#child.once('close', finish);
      // Without a process there is no `close`.
      this.#child.once('error', (error) => {
        if (this.#child.pid !== undefined) return;
        this.#stderr ||= error.message;
        finish(null, null);
      });
    });
  }

  #awaitReady(): Promise<void> {
    const ready = new Promise<void>((resolve, reject) => {
      const error: ErrorRecord = { code: 'SANDBOX_UNAVAILABLE', params: { reason: 'no answer after its start' } };
      const timer = setTimeout(() => this.kill(error), START_TIMEOUT_MS);
      this.#onReady = () => {
        clearTimeout(timer);
        resolve();
      };
      void this.ended.then((end) => {
        clearTimeout(timer);
        reject(end);
      });
    });
    // A lane that dies later rejects nothing any more; one that dies first is heard by whoever awaits `ready`.
    ready.catch(() => undefined);
    return ready;
  }
}

const CRASHED: RunOutcome = { kind: 'crashed', error: { code: 'V8_PROCESS_CRASH', params: {} } };
const LOST: RunOutcome = {
  kind: 'unstarted',
  error: { code: 'SANDBOX_UNAVAILABLE', params: { reason: 'the lane ended before the run began' } },
};
