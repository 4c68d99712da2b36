/** Work that a drain waits for. */
export class InFlight {
  readonly #running = new Set<Promise<unknown>>();

  get size(): number {
    return this.#running.size;
  }

  /** Follows a promise until it settles, and gives it back. */
  track<T>(work: Promise<T>): Promise<T> {
    const tracked: Promise<unknown> = work.finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
    return work;
  }

  /** Resolves when nothing is under way, work begun meanwhile included. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}
