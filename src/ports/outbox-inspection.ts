/** What people see of the outbox and do about what could not be sent. Implementations: adapters/sql. */

/** `ready` rows are sent by themselves; `failed` ones were refused for good and wait for somebody. */
export type OutboxState = 'ready' | 'failed';

/** A row of the outbox without its message. */
export interface OutboxRowView {
  readonly seq: number;
  readonly runId: string;
  /** Physical name. */
  readonly queue: string;
  readonly eventId: string;
  readonly state: OutboxState;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly bytes: number;
}

export interface OutboxRowWhole extends OutboxRowView {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** One failed row, or all of them. */
export type OutboxChoice = { readonly seq: number } | 'all';

export interface OutboxInspection {
  /** In the order of sending. @param after only rows with a higher number. */
  list(filter: { state?: OutboxState; after?: number; limit: number }): Promise<readonly OutboxRowView[]>;
  find(seq: number): Promise<OutboxRowWhole | undefined>;
  /** Makes failed rows ready again, due now. @returns how many. */
  retry(choice: OutboxChoice): Promise<number>;
  /** Removes failed rows for good: their messages are never sent. @returns how many. */
  discard(choice: OutboxChoice): Promise<number>;
}
