import type { QueueStore } from './queue-store.ts';

/** What a settlement writes: an acknowledged message goes, a returned one loses its delivered mark. */
export interface Settlement {
  readonly act: 'remove' | 'unmark';
  readonly queue: string;
  readonly seq: number;
}

interface Entry extends Settlement {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Settlements that are decided and not yet written. A write that fails is owed, not forgotten: its promise rejects,
 * and it is written with the next turn that works, so an acknowledged message is not handed out again by this process.
 */
export class SettlementBook {
  #entries: Entry[] = [];

  /** Adds a settlement; resolves when it is written. */
  add(settlement: Settlement): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#entries.push({ ...settlement, resolve, reject });
    });
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Acknowledged messages of a queue that are still in the file. */
  removals(queue: string): number {
    return this.#entries.filter((entry) => entry.act === 'remove' && entry.queue === queue).length;
  }

  /** Writes all entries inside the caller's transaction, in the order they were decided. */
  write(store: QueueStore): void {
    for (const { act, seq } of this.#entries) {
      if (act === 'remove') store.remove(seq);
      else store.setDelivered(seq, false);
    }
  }

  /** The transaction committed. */
  written(): void {
    const entries = this.#entries;
    this.#entries = [];
    for (const entry of entries) entry.resolve();
  }

  /** The transaction failed: callers learn it, the entries stay owed. */
  failed(error: unknown): void {
    for (const entry of this.#entries) entry.reject(error);
  }
}
