/** First hold of a delivery that cannot be decided now, and the longest one (delivery.md 3.1 step 8). Milliseconds. */
const FIRST_HOLD_MS = 300;
const LONGEST_HOLD_MS = 15_000;

/** Events remembered; a forgotten one begins at the first hold again, which only costs a try. */
const MAX_EVENTS = 10_000;

/**
 * How long each event is held before its delivery is given back: a requeued message returns to the head of its queue
 * at once, so giving back without holding is a busy loop.
 */
export class DeferralLedger {
  readonly #counts = new Map<string, number>();

  /** The next hold for this event: doubling, with jitter between 50 % and 100 %. */
  nextHoldMs(event: string, jitter: number): number {
    const count = this.#counts.get(event) ?? 0;
    if (this.#counts.size >= MAX_EVENTS) this.#counts.clear();
    this.#counts.set(event, count + 1);
    const step = Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** (count + 1));
    return step / 2 + (step / 2) * jitter;
  }

  settled(event: string): void {
    this.#counts.delete(event);
  }
}
