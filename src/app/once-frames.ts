import { AppError } from '../core/errors.ts';
import type { FinishedClaim, InboxClaim, TenantTx } from '../ports/tenant-store.ts';
import { type OpenGroup, openGroup } from '../v8-api/open-group.ts';

/** How work that is to happen once begins. */
export type OnceBegin = 'claimed' | 'duplicate';

interface Frame {
  readonly claim: InboxClaim;
  readonly group: OpenGroup<OnceBegin>;
  /** Claims kept and messages collected when the frame began: an undone frame takes those of its own along. */
  readonly kept: number;
  readonly messages: number;
}

/**
 * The work of `V8.Inbox.Once` in one transaction: each frame is a claim and what follows it, up to a savepoint. Frames
 * nest, and end in the reverse order. A kept claim waits for the commit, which turns it to `done` with the effects.
 */
export class OnceFrames {
  readonly #open: Frame[] = [];
  readonly #kept: InboxClaim[] = [];
  readonly #messages: { length: number };
  readonly #before: OnceFrames | undefined;

  /**
   * @param messages what the transaction sends with its commit; an undone frame shortens it.
   * @param before those of the run before in the same transaction, which commits with this one or not at all.
   */
  constructor(messages: { length: number }, before?: OnceFrames) {
    this.#messages = messages;
    this.#before = before;
  }

  /** Frames under way. */
  get depth(): number {
    return this.#open.length;
  }

  /** Claims to finish with the commit, once no frame is under way. */
  get claims(): readonly FinishedClaim[] {
    return this.#kept.map(({ queue, eventId, messageHash }) => ({ queue, eventId, messageHash, resolveParked: false }));
  }

  /** True when this transaction itself has claimed the key. */
  has(key: Pick<InboxClaim, 'queue' | 'eventId'>): boolean {
    const same = (claim: InboxClaim) => claim.queue === key.queue && claim.eventId === key.eventId;
    return this.#kept.some(same) || this.#open.some(({ claim }) => same(claim)) || this.#before?.has(key) === true;
  }

  /** Claims the key behind a savepoint; after `duplicate` none is left. @throws AppError DB_*. */
  async begin(tx: Pick<TenantTx, 'tables' | 'claim'>, claim: InboxClaim): Promise<OnceBegin> {
    const group = await openGroup(tx.tables, () => tx.claim(claim));
    if (group.value === 'claimed') {
      this.#open.push({ claim, group, kept: this.#kept.length, messages: this.#messages.length });
    } else await group.end(true);
    return group.value;
  }

  /** Ends the innermost frame. @throws AppError DB_*: the transaction is lost. */
  async end(keep: boolean): Promise<void> {
    const frame = this.#open.pop();
    if (frame === undefined) throw new AppError('INTERNAL', { reason: 'nothing of V8.Inbox.Once is under way' });
    if (keep) this.#kept.push(frame.claim);
    else {
      this.#kept.length = frame.kept;
      this.#messages.length = frame.messages;
    }
    await frame.group.end(keep);
  }

  /** Undoes the frames above a depth: those of a script that ended in the middle of them. @throws AppError DB_*. */
  async unwind(depth: number): Promise<void> {
    while (this.#open.length > depth) await this.end(false);
  }
}
