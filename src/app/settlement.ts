import type { AppError, ErrorRecord } from '../core/errors.ts';
import type { OutboxRow, ParkRequest } from '../ports/tenant-store.ts';
import type { RunTree } from './run-tree.ts';

/**
 * What finally happens to a delivery. All but `defer` acknowledge it, because its effects, its row or an earlier
 * run's effects are stored.
 *
 * - `done`: its run committed; the outbox rows want to be sent.
 * - `duplicate`: the inbox knew it.
 * - `parked`: it failed and waits, or is dead.
 * - `defer`: it is held and given back, uncounted.
 */
export type Settlement =
  | { readonly act: 'done'; readonly tree: RunTree; readonly version: string; readonly outbox: readonly OutboxRow[] }
  | { readonly act: 'duplicate' }
  | {
      readonly act: 'parked';
      readonly request: ParkRequest;
      readonly tree: RunTree | undefined;
      /** Absent when no run failed: the committed state or the envelope refused it. */
      readonly error: ErrorRecord | undefined;
    }
  | { readonly act: 'defer'; readonly error: AppError };
