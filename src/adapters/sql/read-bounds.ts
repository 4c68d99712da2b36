import { AppError } from '../../core/errors.ts';
import { DEFAULT_RUN_LIMITS, MAX_ROWS_PER_READ } from '../../core/run-limits.ts';

/** Counts what a script's statement gives, row by row, so that no result fills the host's memory. */
export class ReadBounds {
  #rows = 0;
  #bytes = 0;

  /** Counts one row. @returns TOO_MANY_ROWS or V8_RESULT_TOO_LARGE once there are too many. */
  refuse(row: Readonly<Record<string, unknown>>): AppError | undefined {
    this.#rows += 1;
    for (const name in row) this.#bytes += sizeOf(row[name]);
    // One above: whoever asked for fewer tells it in his own words.
    if (this.#rows > MAX_ROWS_PER_READ + 1) return new AppError('TOO_MANY_ROWS', { limit: MAX_ROWS_PER_READ });
    const limit = DEFAULT_RUN_LIMITS.replyBytes;
    if (this.#bytes <= limit) return undefined;
    return new AppError('V8_RESULT_TOO_LARGE', { what: 'SELECT', size: this.#bytes, limit });
  }
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return value instanceof Uint8Array ? value.byteLength : 8;
}
