const MASK = '[secret]';

/** A value that must not be printed: every way to make text of it gives `[secret]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself, for the one place that needs it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  /** What `util.inspect` and the console show. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return MASK;
  }
}
