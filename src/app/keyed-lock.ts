/**
 * First-in, first-out mutual exclusion by key, inside this process. It orders work before anything scarce is taken:
 * a waiter holds no lane, no connection and no transaction.
 */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<void>>();

  /** True when somebody holds or awaits the key. */
  isHeld(key: string): boolean {
    return this.#tails.has(key);
  }

  /**
   * Waits for the key.
   * @param limit begun only when somebody is before us; gives up when it resolves first. Its signal aborts when the
   * wait is over, so that timers and listeners end with it.
   * @returns the release, or undefined when it gave up.
   */
  async acquire(key: string, limit: (over: AbortSignal) => Promise<void>): Promise<(() => void) | undefined> {
    const previous = this.#tails.get(key);
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const tail = (previous ?? Promise.resolve()).then(() => held);
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    if (previous === undefined) return release;
    const over = new AbortController();
    const granted = await Promise.race([previous.then(() => true), limit(over.signal).then(() => false)]);
    over.abort();
    if (granted) return release;
    // The place in line is given up; who comes after waits for the holder only.
    release();
    return undefined;
  }
}
