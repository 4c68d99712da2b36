/** Values by name, at most so many. The one that was used least recently makes room, and is given to `close`. */
export class LeastRecentlyUsed<T> {
  readonly #most: number;
  readonly #close: (value: T) => void;
  readonly #values = new Map<string, T>();
  /** Name of the value that was used last; it need not be moved. */
  #newest: string | undefined;

  constructor(most: number, close: (value: T) => void) {
    this.#most = most;
    this.#close = close;
  }

  /** The value, without counting as a use. */
  peek(name: string): T | undefined {
    return this.#values.get(name);
  }

  /** The value, which is now the one used last. */
  get(name: string): T | undefined {
    const value = this.#values.get(name);
    if (value !== undefined && name !== this.#newest) this.#moveToEnd(name, value);
    return value;
  }

  set(name: string, value: T): void {
    this.#moveToEnd(name, value);
    if (this.#values.size <= this.#most) return;
    const [oldest] = this.#values.keys();
    if (oldest !== undefined) this.delete(oldest);
  }

  delete(name: string): void {
    const value = this.take(name);
    if (value !== undefined) this.#close(value);
  }

  /** Takes a value out without closing it. */
  take(name: string): T | undefined {
    const value = this.#values.get(name);
    this.#values.delete(name);
    return value;
  }

  #moveToEnd(name: string, value: T): void {
    this.#values.delete(name);
    this.#values.set(name, value);
    this.#newest = name;
  }
}
