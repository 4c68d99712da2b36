/** The sandbox as the host sees it. Implementation: adapters/process over lanes. */
import type { RunOutcome, SourcePosition } from '../core/run-outcome.ts';
import type { ConsoleLevel, RunStart } from '../protocol/messages.ts';

/** Answer to a host call: its JSON text, or an engine to run first in another isolate of the same lane. */
export type HostCallAnswer =
  | { readonly kind: 'reply'; readonly json: string }
  | { readonly kind: 'nested'; readonly run: RunStart; readonly calls: HostCallSink; readonly finish: NestedFinish };

/** Turns the outcome of a nested run into the reply of the call that started it. */
export type NestedFinish = (outcome: RunOutcome) => Promise<string>;

/** The host side of one run. Calls come one at a time. `call` must not reject; a failure is a reply. */
export interface HostCallSink {
  call(name: string, argsJson: string): Promise<HostCallAnswer>;
  log(level: ConsoleLevel, line: string): void;
  /** What went wrong beside the outcome, for the author. */
  warn(text: string): void;
}

/** A right to run one script at a time: a lane reserved before any transaction is opened. */
export interface RunSlot {
  /** Runs a script to its end. Never rejects: every end is an outcome. */
  run(start: RunStart, calls: HostCallSink): Promise<RunOutcome>;
  release(): void;
}

export type CompileResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly at: SourcePosition; readonly message: string };

export interface EngineRunner {
  /**
   * Waits for a lane. @param waitMs undefined waits until `signal` aborts.
   * @throws AppError V8_EXECUTION_QUEUE_TIMEOUT, SANDBOX_UNAVAILABLE, DRAINING.
   */
  acquire(tenant: string, options: { waitMs?: number; signal?: AbortSignal }): Promise<RunSlot>;
  /** Compiles without running. */
  compile(engineKey: string, source: string): Promise<CompileResult>;
  status(): { lanes: number; busy: number; waiting: number };
  close(): Promise<void>;
}
