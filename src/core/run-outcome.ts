import type { ErrorRecord } from './errors.ts';

/** Where in the script's own source something happened. Lines and columns count from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What a script threw, read inside its isolate with every length capped. */
export interface ScriptError {
  readonly name: string;
  readonly message: string;
  /** Stack lines of the script's own source only, innermost first, such as `at save (stock-reserve.js:12:7)`. */
  readonly stack: readonly string[];
  readonly at?: SourcePosition;
}

/**
 * How one run ended, as the sandbox saw it. It says nothing about acknowledging: core/verdict.ts decides that.
 *
 * - `returned`: the script's result written as JSON inside the isolate (`V8.Result` when it returned undefined).
 * - `nothing`: it returned undefined and left `V8.Result` unset.
 * - `unwritable`: JSON refused the result (BigInt, cycle, throwing getter).
 * - `threw`: it threw or its promise rejected.
 * - `syntax`: it did not compile.
 * - `limit`: it broke a limit; `error` is one of the V8_* codes with its limit as parameter. `laneLost` when only the
 *   end of its lane process could end it.
 * - `crashed`: its lane process died under it.
 * - `unstarted`: it never began (its lane died or could not be had); it may run elsewhere, uncounted.
 */
export type RunOutcome =
  | { readonly kind: 'returned'; readonly json: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unwritable'; readonly message: string }
  | { readonly kind: 'threw'; readonly error: ScriptError }
  | { readonly kind: 'syntax'; readonly at: SourcePosition; readonly message: string }
  | { readonly kind: 'limit'; readonly error: ErrorRecord; readonly laneLost?: true }
  | { readonly kind: 'crashed'; readonly error: ErrorRecord }
  | { readonly kind: 'unstarted'; readonly error: ErrorRecord };
