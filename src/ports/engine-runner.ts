/** The sandbox as the host sees it. Implementation: adapters/process over lanes. */
import type { RunOutcome, SourcePosition } from '../core/run-outcome.ts';
import type { ConsoleLevel, RunStart } from '../protocol/messages.ts';

/** Answer to a host call: its JSON text, or an engine to run first in another isolate of the same lane. */
export type HostCallAnswer =
  | { readonly kind: 'reply'; readonly json: string }
  | { readonly kind: 'nested'; readonly run: RunStart; readonly calls: HostCallSink; readonly finish: NestedFinish };

/** Turns the outcome of a nested run into the reply of the call that started it, or gives what runs next for it. */
export type NestedFinish = (outcome: RunOutcome) => Promise<string | HostCallAnswer>;

/** The host side of one run. Calls come one at a time, except those that touch no
 * transaction (`parallel` in protocol/host-call-names.ts). `call` must not reject; a failure is a reply. */
export interface HostCallSink {
  call(name: string, argsJson: string): Promise<HostCallAnswer>;
  log(level: ConsoleLevel, line: string): void;
  /** What went wrong beside the outcome, for the author. */
  warn(text: string): void;
  /** The script is over, or is about to be ended: its calls under way give up. At a nested engine's sink only. */
  end?(): void;
}

/** A script with its input, and the host side of its run. */
export interface SlotRun {
  readonly start: RunStart;
  readonly calls: HostCallSink;
}

/** A right to run one script at a time: a lane reserved before any transaction is opened. */
export interface RunSlot {
  /** Runs a script to its end. Never rejects: every end is an outcome. */
  run(start: RunStart, calls: HostCallSink): Promise<RunOutcome>;
  /**
   * Runs scripts one after the other, handed to the lane at once, so that each begins when the one before it has
   * ended. @returns their outcomes, in order. When the lane is lost those that had not begun are `unstarted`.
   * @param decidedTogether nobody waits for one end alone, so it may be told when the next run speaks.
   */
  runAll(runs: readonly SlotRun[], decidedTogether?: boolean): readonly Promise<RunOutcome>[];
  release(): void;
}

export type CompileResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly at: SourcePosition; readonly message: string };

/** What a lane is wanted for, beside the tenant. */
export interface LaneRequest {
  /** The engine that will run; absent for what is no engine's run. */
  readonly engine?: { readonly key: string; readonly version: string };
  /** Runs at once, where they differ from the host's own caps. */
  readonly maxRuns?: { readonly tenant?: number; readonly engine?: number };
  /**
   * True when the caller runs the engine at once and holds nothing that another run may wait for: its run may be sent
   * behind a quick one of the same engine that is at work in a lane.
   */
  readonly mayFollow?: boolean;
  /** Longest wait for a lane. Milliseconds; undefined waits until `signal` aborts. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

/** The sandbox at this moment. */
export interface SandboxStatus {
  /** Runs that the shared lanes take at once. */
  readonly lanes: number;
  /** Slots held, the one in the lane apart included. */
  readonly busy: number;
  /** Runs that wait for a lane. */
  readonly waiting: number;
}

/** One tenant's part of the sandbox at this moment. Tenants at rest with a full balance have none. */
export interface TenantLoad {
  readonly tenant: string;
  readonly running: number;
  readonly waiting: number;
  /** CPU time it may still use; below zero it is slowed down while it has neighbours. Milliseconds. */
  readonly cpuBalanceMs: number;
  /** True while its runs go to the lane apart, because one of them cost a lane. */
  readonly quarantined: boolean;
}

export interface EngineRunner {
  /**
   * Waits for a lane. Tenants take turns, and inside a tenant engines do; caps on runs at once are kept.
   * @throws AppError V8_EXECUTION_QUEUE_TIMEOUT, SANDBOX_UNAVAILABLE, DRAINING.
   */
  acquire(tenant: string, request: LaneRequest): Promise<RunSlot>;
  /** Compiles without running. @throws AppError as `acquire`, and V8_* when it broke a limit. */
  compile(tenant: string, engineKey: string, source: string): Promise<CompileResult>;
  status(): SandboxStatus;
  /** Tenants that run, wait, are quarantined or have used CPU time lately, by name. */
  load(): readonly TenantLoad[];
  close(): Promise<void>;
}
