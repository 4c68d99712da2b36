import type { QueueStore, StoredMessage } from './queue-store.ts';

/**
 * The place of one queue's reader: which of the stored messages may be handed out next. Everything behind the cursor
 * is ready; before it a message is ready only after it was given back, and then it comes first, in its old place.
 * It lives in memory alone: after a restart nothing is in flight, so every stored message is ready.
 */
export class ReadyMessages {
  readonly #store: QueueStore;
  readonly #queue: string;
  #cursor = 0;
  /** Sequence numbers given back, rising. */
  #returned: number[] = [];

  constructor(store: QueueStore, queue: string) {
    this.#store = store;
    this.#queue = queue;
  }

  /** Takes the next ready message out, oldest first. */
  take(): StoredMessage | undefined {
    for (let seq = this.#returned[0]; seq !== undefined; seq = this.#returned[0]) {
      const message = this.#store.find(seq);
      this.#returned.shift();
      if (message !== undefined) return message;
    }
    const message = this.#store.nextAfter(this.#queue, this.#cursor);
    if (message !== undefined) this.#cursor = message.seq;
    return message;
  }

  /** Puts a taken message back to its place. */
  giveBack(seq: number): void {
    const after = this.#returned.findIndex((other) => other > seq);
    this.#returned.splice(after === -1 ? this.#returned.length : after, 0, seq);
  }
}
