/** Rows waiting to be written. Bounded: an audit must not take the host's memory when its database is away. */
export class RowBuffer<Row> {
  readonly #capacity: number;
  #rows: Row[] = [];
  #dropped = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#rows.length;
  }

  /** Adds a row; the oldest one makes room. */
  add(row: Row): void {
    this.#rows.push(row);
    this.#trim();
  }

  /** Takes up to `limit` of the oldest rows. */
  take(limit: number): Row[] {
    return this.#rows.splice(0, limit);
  }

  /** Puts rows back that could not be written. */
  putBack(rows: readonly Row[]): void {
    this.#rows = [...rows, ...this.#rows];
    this.#trim();
  }

  /** Rows dropped since this was asked last. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  #trim(): void {
    const excess = this.#rows.length - this.#capacity;
    if (excess <= 0) return;
    this.#rows.splice(0, excess);
    this.#dropped += excess;
  }
}
