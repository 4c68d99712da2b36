import type { OutgoingMessage } from '../../ports/queue.ts';

/** One transaction takes at most so much, so that a burst does not hold the event loop. Bytes and messages. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
const MAX_BATCH_MESSAGES = 1_000;

interface Publication {
  readonly messages: readonly OutgoingMessage[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Stores what was published within one turn of the event loop in one transaction: the disk is waited for once, not
 * once a message. Each publication is resolved after the commit that holds all of it, or rejected with its error.
 */
export class GroupCommit {
  readonly #write: (messages: readonly OutgoingMessage[]) => void;
  #waiting: Publication[] = [];
  #scheduled = false;

  /** @param write stores messages all or none, durably, or throws. */
  constructor(write: (messages: readonly OutgoingMessage[]) => void) {
    this.#write = write;
  }

  add(messages: readonly OutgoingMessage[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ messages, resolve, reject });
      this.#schedule();
    });
  }

  /** Stores everything that waits now. */
  flush(): void {
    while (this.#waiting.length > 0) this.#commitBatch();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#commitBatch();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #commitBatch(): void {
    const batch = this.#takeBatch();
    if (batch.length === 0) return;
    try {
      this.#write(batch.flatMap((publication) => publication.messages));
    } catch (error) {
      for (const publication of batch) publication.reject(error);
      return;
    }
    for (const publication of batch) publication.resolve();
  }

  /** Whole publications only; at least one, whatever its size. */
  #takeBatch(): Publication[] {
    let bytes = 0;
    let messages = 0;
    let end = 0;
    for (const publication of this.#waiting) {
      bytes += publication.messages.reduce((sum, message) => sum + message.body.byteLength, 0);
      messages += publication.messages.length;
      if (end > 0 && (bytes > MAX_BATCH_BYTES || messages > MAX_BATCH_MESSAGES)) break;
      end++;
    }
    return this.#waiting.splice(0, end);
  }
}
