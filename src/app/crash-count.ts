import type { ReceivedMessage } from './received-message.ts';

/** Starts after which a redelivered message is taken for the cause (F3). */
const MAX_CRASHES = 5;

/**
 * Counts the start of a redelivered message: its earlier delivery never reached a verdict, so the host may have died
 * of it. Counted when the run begins, not when the delivery comes: whoever only waited for a lane or a writer while
 * the host died of another message is innocent. Nothing is written for a first delivery.
 */
export class CrashCount {
  readonly #message: ReceivedMessage;
  #counted = false;

  constructor(message: ReceivedMessage) {
    this.#message = message;
  }

  /** True when this delivery was counted; its verdict clears the event's count. */
  get counted(): boolean {
    return this.#counted;
  }

  /** Counts, once for all tries of a delivery. @returns false when the host died of the event too often to run it. */
  async start(): Promise<boolean> {
    if (!this.#message.delivery.redelivered || this.#counted) return true;
    const starts = await this.#message.store.crashes.count(this.#message.key);
    this.#counted = true;
    return starts < MAX_CRASHES;
  }

  /** The run reached a verdict. Its effects are committed, so a failure to forget the count must not undo that. */
  async end(): Promise<void> {
    if (this.#counted) await this.#message.store.crashes.clear(this.#message.key).catch(() => undefined);
  }

  /**
   * The host lives and gives the message back: it did not die of it. Where the database is away the count stays; what
   * the message is given back for, an unknown commit perhaps, must not be hidden by that.
   */
  async takeBack(): Promise<void> {
    if (!this.#counted) return;
    this.#counted = false;
    await this.#message.store.crashes.uncount(this.#message.key).catch(() => undefined);
  }
}
