/** Which rows of a list are read, and how many at most. */
import { AppError } from '../core/errors.ts';
import { DEFAULT_ROWS_PER_READ, MAX_ROWS_PER_READ } from '../core/run-limits.ts';
import { type CallParam, readPositiveInteger } from './param-values.ts';

/** Page size when a page is asked for without one (v8-surface.md 2.3). */
const DEFAULT_PAGE_SIZE = 1000;

/** A stretch of the matching rows. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/**
 * The stretch that `_PageIndex` (from 1), `_PageSize` and `_Top` name out of `total` matching rows. Without any of
 * them all rows are read: cutting a list silently would let a script work on a part of it and think it was all.
 * @throws AppError PARAM_INVALID, and TOO_MANY_ROWS where rows beyond the limit would be missing.
 */
export function readPage(param: CallParam, total: number): Page {
  const index = readPositiveInteger(param, '_PageIndex');
  const top = readPositiveInteger(param, '_Top');
  const size = readPositiveInteger(param, '_PageSize') ?? (index === undefined ? undefined : DEFAULT_PAGE_SIZE);
  const offset = index === undefined || size === undefined ? 0 : (index - 1) * size;
  const last = Math.min(total, top ?? total, size === undefined ? total : offset + size);
  const rows = Math.max(0, last - offset);
  const limit = size === undefined && top === undefined ? DEFAULT_ROWS_PER_READ : MAX_ROWS_PER_READ;
  if (rows > limit) throw new AppError('TOO_MANY_ROWS', { limit });
  return { offset, limit: rows };
}
