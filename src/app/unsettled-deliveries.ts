import type { Delivery } from '../ports/queue.ts';

interface Watched {
  readonly delivery: Delivery;
  readonly since: number;
  told: boolean;
}

/**
 * Deliveries of a binding that were not settled yet. Each ends in a settlement whatever happens to it; one that does not
 * would cost the binding a place for ever, so the reconcile loop looks after them.
 */
export class UnsettledDeliveries {
  readonly #watched = new Set<Watched>();

  /** @returns the delivery with settlements that end the watch. */
  watch(delivery: Delivery, now: number): Delivery {
    const watched: Watched = { delivery, since: now, told: false };
    this.#watched.add(watched);
    const ending = (settle: () => Promise<void>) => async () => {
      await settle();
      this.#watched.delete(watched);
    };
    return {
      ...delivery,
      ack: ending(() => delivery.ack()),
      requeue: ending(() => delivery.requeue()),
    };
  }

  /** Age of the oldest, milliseconds; 0 when there is none. */
  oldestMs(now: number): number {
    return Math.max(0, ...[...this.#watched].map(({ since }) => now - since));
  }

  /** Those that are older than `ageMs` and were not told before. */
  overdue(now: number, ageMs: number): readonly Delivery[] {
    const late = [...this.#watched].filter(({ since, told }) => !told && now - since > ageMs);
    for (const watched of late) watched.told = true;
    return late.map(({ delivery }) => delivery);
  }

  /** They were given back to the queue all together. */
  clear(): void {
    this.#watched.clear();
  }
}
