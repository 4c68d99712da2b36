import { AppError, type ErrorCode } from '../../core/errors.ts';

/** What `node:sqlite` throws: `errcode` is SQLite's extended result code. */
interface SqliteError extends Error {
  readonly errcode: number;
  readonly errstr: string;
}

/** Primary result codes (low byte) that are not the statement's fault. Busy covers 517, a stale snapshot. */
const INFRASTRUCTURE: Readonly<Record<number, ErrorCode>> = {
  5: 'DB_BUSY',
  6: 'DB_BUSY',
  7: 'DB_UNAVAILABLE', // out of memory
  8: 'DB_UNAVAILABLE', // read-only file
  10: 'DB_UNAVAILABLE', // input/output error
  11: 'DB_UNAVAILABLE', // damaged file
  13: 'DB_UNAVAILABLE', // disk full
  14: 'DB_UNAVAILABLE', // cannot open
  26: 'DB_UNAVAILABLE', // not a database
};

const UNIQUE_CODES: readonly number[] = [1555, 2067, 2579];
const MAX_MESSAGE_LENGTH = 200;

/** Translates an error of the driver. Values are bound, so SQLite's texts hold names only, never values. */
export function fromSqliteError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (isClosed(thrown)) return new AppError('DB_UNAVAILABLE', { reason: 'the database was closed' }, { cause: thrown });
  if (!isSqliteError(thrown)) return new AppError('INTERNAL', {}, { cause: thrown });
  const infrastructure = INFRASTRUCTURE[thrown.errcode & 0xff];
  if (infrastructure !== undefined) return new AppError(infrastructure, { reason: thrown.errstr }, { cause: thrown });
  if (UNIQUE_CODES.includes(thrown.errcode)) return notUnique(thrown);
  return new AppError('DB_STATEMENT', { message: thrown.message.slice(0, MAX_MESSAGE_LENGTH) }, { cause: thrown });
}

/** True when the file could not be written to its end: whether a COMMIT reached the disk is then unknown. */
export function isInputOutputError(error: AppError): boolean {
  return isSqliteError(error.cause) && (error.cause.errcode & 0xff) === 10;
}

/** SQLite says `UNIQUE constraint failed: table.a, table.b`. */
function notUnique(error: SqliteError): AppError {
  const names = error.message.slice(error.message.indexOf(': ') + 2).split(', ');
  const [table = ''] = names[0]?.split('.') ?? [];
  const field = names.map((name) => name.slice(name.indexOf('.') + 1)).join(', ');
  return new AppError('ROW_NOT_UNIQUE', { table, field }, { cause: error });
}

/** `node:sqlite` says so of a connection that was closed while somebody still used it. */
function isClosed(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_INVALID_STATE';
}

function isSqliteError(thrown: unknown): thrown is SqliteError {
  return thrown instanceof Error && 'errcode' in thrown && typeof thrown.errcode === 'number';
}
