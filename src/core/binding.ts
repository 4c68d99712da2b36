import type { Backoff } from './backoff.ts';
import type { ErrorRecord } from './errors.ts';

/** A row of `diy_queue_receive`, checked and with every default filled in. */
export interface Binding {
  /** Row Id; empty for a binding not stored yet. */
  readonly id: string;
  readonly logicalQueue: string;
  readonly physicalQueue: string;
  readonly engineKey: string;
  /** FailToReject is exactly `是`. */
  readonly retries: boolean;
  /** Requeues at most; the handler runs at most `retryCount + 1` times. */
  readonly retryCount: number;
  readonly inbox: boolean;
  readonly legacyAck: boolean;
  /** Runs at once. */
  readonly prefetch: number;
  /** Undefined: the host's default. */
  readonly timeoutSeconds: number | undefined;
  readonly backoff: Backoff;
}

/** A row that cannot be bound, and why. */
export interface BindingRefusal {
  readonly id: string;
  readonly queue: string;
  readonly error: ErrorRecord;
}
