import { ulidAt, ulidTime } from '../core/ulid-time.ts';
import type { Journal, LogLine } from '../ports/journal.ts';

/** Lines of one look. */
const LOOK_LINES = 500;

/**
 * Hosts write their lines in batches of some hundred milliseconds, each with ids of its own clock: a line may come after
 * one with a higher id. So long back every look looks again. Milliseconds.
 */
const OVERLAP_MS = 3_000;

export interface LogFollowerOptions {
  readonly journal: Pick<Journal, 'logs'>;
  /** Lines of this engine alone. */
  readonly title?: string | undefined;
  /** Id of the line after which to begin; without it with the latest lines. */
  readonly after?: string | undefined;
  /** Of the latest lines. */
  readonly limit: number;
}

/** A tenant's log as it grows: every line once, in the order in which the database shows it. */
export class LogFollower {
  readonly #options: LogFollowerOptions;
  /** Nothing up to here is given out again. */
  #floor: string;
  #last: string | undefined;
  #given = new Set<string>();

  constructor(options: LogFollowerOptions) {
    this.#options = options;
    this.#floor = options.after ?? '';
    this.#last = options.after;
  }

  /** What came since the last look; empty when nothing did. @throws as the store. */
  async look(): Promise<readonly LogLine[]> {
    if (this.#last === undefined) return this.#begin();
    const first = await this.#read({ after: this.#from(this.#last), limit: LOOK_LINES });
    const seen = first.filter(({ id }) => !this.#isNew(id));
    // So much came at once that the look back fills the page: it is given up, or nothing would go on.
    const lines = seen.length === LOOK_LINES ? await this.#read({ after: this.#last, limit: LOOK_LINES }) : first;
    const fresh = lines.filter(({ id }) => this.#isNew(id));
    for (const { id } of fresh) this.#given.add(id);
    for (const { id } of fresh) if (id > this.#last) this.#last = id;
    this.#forget(this.#last);
    return fresh;
  }

  /** The latest lines; what is older than the first of them is not wanted. */
  async #begin(): Promise<readonly LogLine[]> {
    const { limit } = this.#options;
    const lines = await this.#read({ limit: Math.max(limit, 1) });
    const wanted = limit === 0 ? [] : lines;
    this.#last = lines.at(-1)?.id ?? ulidAt(0);
    this.#floor = (wanted[0] ?? lines.at(-1))?.id ?? '';
    this.#given = new Set(lines.map(({ id }) => id));
    return wanted;
  }

  #read(filter: { after?: string; limit: number }): Promise<readonly LogLine[]> {
    const { journal, title } = this.#options;
    return journal.logs({ ...filter, ...(title === undefined ? {} : { title }) });
  }

  #isNew(id: string): boolean {
    return id > this.#floor && !this.#given.has(id);
  }

  /** The last line, or a moment before it; never before the beginning. */
  #from(last: string): string {
    const time = ulidTime(last);
    const back = time === undefined ? last : ulidAt(time - OVERLAP_MS);
    if (back < this.#floor) return this.#floor;
    return back;
  }

  #forget(last: string): void {
    const from = this.#from(last);
    this.#given = new Set([...this.#given].filter((id) => id > from));
  }
}
