/** Unless measured. Milliseconds. */
const FIRST_MS = 10;

/** A first run that takes longer waits for something else. Milliseconds. */
const LONGEST_MS = 100;

/** Part of the average that a new measurement makes. */
const WEIGHT = 1 / 8;

/**
 * What the first run of a tenant in a lane takes on this machine at the moment. Who waits for less than that before
 * another lane is warmed makes it worse for all: while lanes are busy warming up, everybody would be looking for another.
 */
export class WarmUpCost {
  #averageMs = FIRST_MS;

  get ms(): number {
    return Math.max(FIRST_MS, this.#averageMs);
  }

  /** A first run has held its lane for so long. */
  note(heldMs: number): void {
    this.#averageMs += (Math.min(heldMs, LONGEST_MS) - this.#averageMs) * WEIGHT;
  }
}
