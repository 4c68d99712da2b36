import type { ErrorRecord } from '../../core/errors.ts';
import type { RunLimits } from '../../core/run-limits.ts';
import type { RunOutcome } from '../../core/run-outcome.ts';
import type { Frame } from '../../protocol/frames.ts';
import { ProtocolBreach } from './protocol-breach.ts';
import type { LaneObservation } from './watchdog.ts';

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

/** Who follows a run. */
export interface TurnListener {
  /** Told when the run begins or ends to wait inside a host call. */
  setBlocked(blocked: boolean): void;
  /** Told at the end of the turn how long it was, in milliseconds. */
  took?(ms: number): void;
}

/** What a lane may still use for itself when it already has its next run: the making of an isolate. */
const SURELY_BEGUN_CPU_MS = 100;

/** Signals by which a process ends itself: a fault in native code, an assertion, no memory. */
const CRASH_SIGNALS: ReadonlySet<string> = new Set(['SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGTRAP', 'SIGFPE']);

/** A conversation's turn on its lane, from when the one before it has ended, and what is measured of it. */
export class LaneTurn {
  readonly tenant: string;
  readonly conversation: Conversation;
  readonly limits: RunLimits;
  readonly #listener: TurnListener | undefined;
  #begun = false;
  #heard = false;
  #startedAt = 0;
  #cpuAtStart = 0;
  #blocked = false;

  constructor(tenant: string, conversation: Conversation, limits: RunLimits, listener?: TurnListener) {
    this.tenant = tenant;
    this.conversation = conversation;
    this.limits = limits;
    this.#listener = listener;
  }

  /** True once the lane has said something of the run, or has used the processor for it. */
  get begun(): boolean {
    return this.#begun;
  }

  /** True while the run waits inside a host call. */
  get blocked(): boolean {
    return this.#blocked;
  }

  /** Since when the lane has nothing else to do. Milliseconds. */
  get heldMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** The lane has nothing else to do any more. @param cpuMs processor time that it has used so far. */
  start(cpuMs: number): void {
    this.#startedAt = performance.now();
    this.#cpuAtStart = cpuMs;
  }

  /** The lane said something of the run. */
  hear(): void {
    this.#begun = true;
    this.#heard = true;
  }

  /** The lane says that the run begins now: what it needed until then is not the run's time. @throws ProtocolBreach */
  announce(frame: Frame): void {
    if (this.#heard || frame.runId !== this.conversation.runId) throw new ProtocolBreach('a run begins twice');
    this.hear();
    this.#startedAt = performance.now();
  }

  /** Whether a lane that is gone had begun this run: it said so, it computed, or it crashed by itself. */
  hadBegun(exitCode: number | null, signal: NodeJS.Signals | null): boolean {
    return this.#begun || (signal === null ? exitCode !== 0 : CRASH_SIGNALS.has(signal));
  }

  /** A conversation waits for the host from a frame of its lane until a frame to it. */
  noteBlocked(blocked = this.conversation.waitsForHost): void {
    if (blocked === this.#blocked) return;
    this.#blocked = blocked;
    this.#listener?.setBlocked(blocked);
  }

  /** The turn is over. */
  end(): void {
    this.noteBlocked(false);
    this.#listener?.took?.(this.heldMs);
  }

  /** What the watchdog judges. @param stoodMs how long the lane was held still meanwhile. */
  measure(now: number, stoodMs: number, usage: { cpuMs: number; rssBytes: number } | undefined): LaneObservation {
    const cpuMs = usage === undefined ? undefined : usage.cpuMs - this.#cpuAtStart;
    if ((cpuMs ?? 0) > SURELY_BEGUN_CPU_MS) this.#begun = true;
    return {
      begun: this.#begun,
      wallMs: now - this.#startedAt - stoodMs,
      cpuMs,
      rssBytes: usage?.rssBytes,
      waitsForHost: this.conversation.waitsForHost,
      ending: this.conversation.ending,
    };
  }
}
