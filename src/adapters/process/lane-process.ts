import type { ChildProcess } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import type { ErrorRecord } from '../../core/errors.ts';
import { DEFAULT_RUN_LIMITS, type RunLimits } from '../../core/run-limits.ts';
import type { RunOutcome } from '../../core/run-outcome.ts';
import type { CompileResult, HostCallSink } from '../../ports/engine-runner.ts';
import { encodeFrame, type Frame } from '../../protocol/frames.ts';
import { type CompileStart, LANE_FRAME, type RunStart } from '../../protocol/messages.ts';
import { CompileConversation } from './compile-conversation.ts';
import { FrameReader } from './frame-reader.ts';
import { LaneBrake } from './lane-brake.ts';
import type { LaneCommand } from './lane-command.ts';
import type { Conversation, Stopwatch } from './lane-conversation.ts';
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

/** What a lane may still use for itself when it already has its next run: the making of an isolate. */
const SURELY_BEGUN_CPU_MS = 100;

/** Signals by which a process ends itself: a fault in native code, an assertion, no memory. */
const CRASH_SIGNALS: ReadonlySet<string> = new Set(['SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGTRAP', 'SIGFPE']);

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
 * One lane process and the one conversation it may have.
 *
 * Modes: `starting` until its first frame; `idle` waiting for a run; `busy` from the run's frame to its end; `ended`
 * for good, entered by a kill at once and by an exit when its last bytes were read. A conversation begins only in
 * `idle` and ends with `busy`, whichever way that ends.
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
  #conversation: Conversation | undefined;
  #stopwatch: Stopwatch | undefined;
  #lastRunId = 0;
  #killed: ErrorRecord | undefined;
  #breach: string | undefined;
  #stderr = '';
  #onReady: () => void = () => undefined;
  #blocked = false;
  #onBlocked: (blocked: boolean) => void = IGNORE_BLOCKED;

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

  /** True while the run waits inside a host call. */
  get blocked(): boolean {
    return this.#blocked;
  }

  get alive(): boolean {
    return this.#mode !== 'ended';
  }

  /** True when an idle lane holds so much memory that the next run would pay for it. */
  get bloated(): boolean {
    const rss = this.#usage.read()?.rssBytes ?? 0;
    return this.#mode === 'idle' && rss > this.#rssMb * 1024 * 1024 * 0.6;
  }

  /**
   * Runs a script to its end. The lane must be idle.
   * @param onBlocked told when the run begins or ends to wait inside a host call.
   */
  run(start: RunStart, sink: HostCallSink, onBlocked = IGNORE_BLOCKED): Promise<RunOutcome> {
    this.#onBlocked = onBlocked;
    this.#enterBusy(start.tenant, { ...start.limits, rssMb: Math.min(start.limits.rssMb, this.#rssMb) }, false);
    const conversation = new RunConversation(this, start, sink);
    this.#conversation = conversation;
    return conversation.outcome;
  }

  /** Compiles a source. The lane must be idle. @throws AppError when the lane ended or a limit was broken. */
  compile(tenant: string, start: CompileStart): Promise<CompileResult> {
    this.#enterBusy(tenant, { ...COMPILE_LIMITS, rssMb: this.#rssMb }, true);
    const conversation = new CompileConversation(this, start);
    this.#conversation = conversation;
    return conversation.result;
  }

  send(type: number, runId: number, text: string): void {
    if (this.#mode === 'ended') return;
    this.#socket.write(encodeFrame({ type, runId, text }));
    this.#noteBlocked();
  }

  nextRunId(): number {
    this.#lastRunId = (this.#lastRunId + 1) >>> 0 || 1;
    return this.#lastRunId;
  }

  /** Looks at the run under way and ends it when a limit was passed. */
  inspect(): void {
    const watch = this.#stopwatch;
    const conversation = this.#conversation;
    if (watch === undefined || conversation === undefined) return;
    const usage = this.#usage.read();
    const now = performance.now();
    if ((usage?.cpuMs ?? 0) > watch.cpuAtStart + SURELY_BEGUN_CPU_MS) watch.begun = true;
    const decision = decideWatch(
      {
        begun: watch.begun,
        wallMs: now - watch.startedAt - this.#brake.stoodMs(now),
        cpuMs: usage === undefined ? undefined : usage.cpuMs - watch.cpuAtStart,
        rssBytes: usage?.rssBytes,
        waitsForHost: conversation.waitsForHost,
        ending: conversation.ending,
      },
      watch.limits,
    );
    if (decision.act === 'kill') this.kill(decision.error);
    if (decision.act === 'abort') conversation.abort(decision.error);
    this.#slowDown(watch, conversation.waitsForHost, now);
  }

  /** A lane that waits for the host uses nothing and is let go; one that has not begun yet is not slowed. */
  #slowDown(watch: Stopwatch, waitsForHost: boolean, now: number): void {
    const mayBeHeld = this.#brake.stoodMs(now) < watch.limits.cpuMs * MOST_HELD;
    const isAtWork = this.#mode === 'busy' && watch.begun && !waitsForHost;
    this.#brake.update(isAtWork && mayBeHeld && this.#usage.inDebt, now);
  }

  /** Ends the process at once. A run under way ends with `reason`: as its own limit, or uncounted when it never began. */
  kill(reason: ErrorRecord): void {
    if (this.#mode === 'ended') return;
    this.#killed = reason;
    this.#child.kill('SIGKILL');
    const unstarted = this.#stopwatch?.begun === false || reason.code === 'DRAINING';
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
    const conversation = this.#conversation;
    if (this.#mode !== 'busy' || conversation === undefined) throw new ProtocolBreach('a frame outside a run');
    if (frame.type === LANE_FRAME.began) {
      this.#begin(frame, conversation);
      return;
    }
    if (this.#stopwatch !== undefined) {
      this.#stopwatch.begun = true;
      this.#stopwatch.heard = true;
    }
    if (conversation.accept(frame)) this.#enterIdle();
    else this.#noteBlocked();
  }

  /** A conversation waits for the host from a frame of its lane until a frame to it. */
  #noteBlocked(): void {
    const blocked = this.#conversation?.waitsForHost === true;
    if (blocked === this.#blocked) return;
    this.#blocked = blocked;
    this.#onBlocked(blocked);
  }

  #begin(frame: Frame, conversation: Conversation): void {
    const watch = this.#stopwatch;
    if (watch === undefined || watch.heard || frame.runId !== conversation.runId) {
      throw new ProtocolBreach('a run begins twice');
    }
    watch.begun = true;
    watch.heard = true;
    watch.startedAt = performance.now();
  }

  #enterBusy(tenant: string, limits: RunLimits, begun: boolean): void {
    if (this.#mode !== 'idle') throw new Error(`a lane that is ${this.#mode} cannot take a run`);
    this.#mode = 'busy';
    const cpuAtStart = this.#usage.beginRun(tenant);
    this.#stopwatch = { limits, begun, heard: begun, startedAt: performance.now(), cpuAtStart };
    this.#watchdog.watch(this);
  }

  #enterIdle(): void {
    this.#mode = 'idle';
    this.#leaveBusy();
  }

  #enterEnded(outcome: RunOutcome): void {
    this.#mode = 'ended';
    const conversation = this.#conversation;
    this.#leaveBusy();
    this.#socket.destroy();
    conversation?.end(outcome);
  }

  #leaveBusy(): void {
    this.#watchdog.unwatch(this);
    this.#brake.release(performance.now());
    this.#conversation = undefined;
    this.#stopwatch = undefined;
    this.#blocked = false;
    this.#onBlocked = IGNORE_BLOCKED;
  }

  /** `close` and not `exit`: by then the last frames were read, and a run that ended in them has ended. */
  #followExit(): Promise<LaneEnd> {
    return new Promise((resolve) => {
      const finish = (exitCode: number | null, signal: NodeJS.Signals | null): void => {
        if (this.#mode !== 'ended') this.#enterEnded(this.#hasBegun(exitCode, signal) ? CRASHED : LOST);
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

  /** Whether a lane that is gone had begun its run: it said so, it computed, or it crashed by itself. */
  #hasBegun(exitCode: number | null, signal: NodeJS.Signals | null): boolean {
    const watch = this.#stopwatch;
    if (watch === undefined) return false;
    const crashed = signal === null ? exitCode !== 0 : CRASH_SIGNALS.has(signal);
    return watch.begun || crashed;
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

const IGNORE_BLOCKED = (_blocked: boolean): void => undefined;

const CRASHED: RunOutcome = { kind: 'crashed', error: { code: 'V8_PROCESS_CRASH', params: {} } };
const LOST: RunOutcome = {
  kind: 'unstarted',
  error: { code: 'SANDBOX_UNAVAILABLE', params: { reason: 'the lane ended before the run began' } },
};
