/** Dead letters as people work with them: look, group, replay, edit, purge. Implementation: adapters/sql. */
import type { ParkedState } from '../core/parked.ts';
import type { MessageProps } from './queue.ts';
import type { EventKey, ParkedRow } from './tenant-store.ts';

/** Primary key of a parked row. */
export interface ParkedKey extends EventKey {
  readonly cycle: number;
  readonly attempt: number;
}

/** Which parked rows are meant. Everything given must hold. */
export interface ParkedFilter {
  /** Physical name. */
  readonly queue?: string;
  readonly eventId?: string;
  readonly reason?: string;
  /** Name of an error group (core/error-group.ts). */
  readonly group?: string;
  readonly engineKey?: string;
  /** Failed last before this moment. Milliseconds UTC. */
  readonly before?: number;
}

/** Rows to change. Without `all`, an empty filter means none: nobody changes everything by a forgotten word. */
export interface DeadFilter extends ParkedFilter {
  readonly all?: boolean;
}

/** Where a page ends: the place of its last row. */
export interface ParkedPlace extends ParkedKey {
  readonly lastAt: number;
}

export interface ParkedPage {
  readonly rows: readonly ParkedRow[];
  /** Rows of all pages. */
  readonly total: number;
  /** Where the next page begins; undefined on the last one. */
  readonly next: ParkedPlace | undefined;
}

/** Dead letters with one reason and one cause. */
export interface DeadGroup {
  readonly group: string;
  readonly reason: string;
  readonly rows: number;
  /** How many queues they came from. */
  readonly queues: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** The error of one of them. */
  readonly error: string;
}

/** Why a dead letter was not replayed or replaced. */
export type ReplayRefusal =
  /** Its event is done: the row ended `resolved`. */
  | 'done'
  /** Its EventId was done with another content: it needs an EventId of its own. */
  | 'event-id-reused'
  /** It is not dead any more: somebody else was faster. */
  | 'not-dead'
  | 'missing';

export interface ReplayReport {
  readonly replayed: readonly ParkedKey[];
  readonly refused: readonly { readonly key: ParkedKey; readonly why: ReplayRefusal }[];
}

/** What a dead letter becomes before it is replayed. */
export interface DeadEdit {
  readonly eventId: string;
  readonly messageHash: string;
  readonly body: Uint8Array;
  readonly props: MessageProps;
}

/** Told of each part of a change as soon as it is committed, and how many rows are done; the next part waits for it. */
export type OnCommitted<T> = (part: T, share: { readonly done: number; readonly total: number }) => Promise<void>;

/** Errors are those of TenantStore; what was committed before one was told to `onCommitted`. */
export interface DeadLetterStore {
  /** Rows that failed last first, from `after` on. */
  list(filter: ParkedFilter & { state: ParkedState; limit: number; after?: ParkedPlace }): Promise<ParkedPage>;
  /** Groups of the dead rows, largest first, 200 at most. */
  groups(filter: ParkedFilter): Promise<readonly DeadGroup[]>;
  /** Every row of one event, dead ones first, then those that failed last. */
  find(filter: { eventId: string; queue?: string }): Promise<readonly ParkedRow[]>;
  /** Makes dead rows wait again under their EventId, with a new cycle, attempt 1, due now. */
  replay(filter: DeadFilter, onCommitted?: OnCommitted<ReplayReport>): Promise<ReplayReport>;
  /** Replaces a dead row's message and makes it wait again. @returns why not, when it did not. */
  replace(key: ParkedKey, edit: DeadEdit): Promise<ReplayRefusal | undefined>;
  /** Removes dead rows for good. @returns those removed. */
  purge(filter: DeadFilter, onCommitted?: OnCommitted<readonly ParkedKey[]>): Promise<readonly ParkedKey[]>;
}
