/** A small seeded generator (mulberry32), so that a failing run can be repeated by its seed. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new Error('pick from nothing');
    return item;
  }

  shuffle<T>(items: readonly T[]): T[] {
    const result = [...items];
    for (let i = result.length - 1; i > 0; i -= 1) {
      const j = this.between(0, i);
      const swap = result[i] as T;
      result[i] = result[j] as T;
      result[j] = swap;
    }
    return result;
  }
}

/** The seed of this run: from the environment to repeat one, else a new one. */
export function chaosSeed(): number {
  const given = Number(process.env.CHAOS_SEED);
  return Number.isSafeInteger(given) && given > 0 ? given : Math.floor(Math.random() * 1_000_000) + 1;
}
