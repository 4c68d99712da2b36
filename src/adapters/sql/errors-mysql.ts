import { AppError, type ErrorCode } from '../../core/errors.ts';
import type { MysqlAddress } from './address-mysql.ts';

/** What the driver throws: the server's number, or a network error without one. */
interface DriverError extends Error {
  readonly errno?: number;
  readonly code?: string;
  readonly sqlMessage?: string;
}

/** Server errors that are not the statement's fault (delivery.md 3.1). Everything else is DB_STATEMENT. */
const INFRASTRUCTURE: Readonly<Record<number, ErrorCode>> = {
  1205: 'DB_BUSY', // lock wait timeout
  1213: 'DB_TX_LOST', // deadlock: the whole transaction is rolled back
  1020: 'DB_TX_LOST', // record changed since the snapshot: the same
  1180: 'DB_TX_LOST', // error during COMMIT
  1317: 'DB_TX_LOST', // statement was killed
  1040: 'DB_UNAVAILABLE', // too many connections
  1461: 'DB_UNAVAILABLE', // too many prepared statements
  1203: 'DB_UNAVAILABLE', // too many of this user
  1226: 'DB_UNAVAILABLE', // a resource limit of the user
  1021: 'DB_UNAVAILABLE', // disk full
  1037: 'DB_UNAVAILABLE', // out of memory
  1290: 'DB_UNAVAILABLE', // the server is read-only
  1836: 'DB_UNAVAILABLE', // the same, while starting
  1047: 'DB_UNAVAILABLE', // a cluster node that is not ready
  1665: 'DB_UNAVAILABLE', // READ COMMITTED with a statement binary log
};

/** After these the session is over, whatever the driver still believes. */
const LOST_SESSION: ReadonlySet<number> = new Set([1053, 1152, 1158, 1159, 1160, 1161, 1927, 4031]);

const DUPLICATE_KEY = 1062;
const GUARD_FAILED = 1242;
const MAX_MESSAGE_LENGTH = 200;

/** A driver's error without the statement and its values, which may hold a tenant's data. */
class MysqlFault extends Error {
  readonly code: string;
  readonly lost: boolean;

  constructor(message: string, code: string, lost: boolean) {
    super(message);
    this.name = 'MysqlFault';
    this.code = code;
    this.lost = lost;
  }
}

/** Translates an error of the driver. A unique conflict names the key; `unique-keys-mysql.ts` knows its columns. */
export function fromMysqlError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (!isDriverError(thrown)) return new AppError('INTERNAL', {}, { cause: thrown });
  const errno = serverErrno(thrown);
  const message = withoutValues(thrown.sqlMessage ?? thrown.message);
  const lost = errno === undefined || LOST_SESSION.has(errno);
  const cause = new MysqlFault(message, errno === undefined ? String(thrown.code ?? '') : String(errno), lost);
  if (lost) return new AppError('DB_UNAVAILABLE', { reason: message }, { cause });
  if (errno === DUPLICATE_KEY) return new AppError('ROW_NOT_UNIQUE', { table: '', field: keyName(thrown) }, { cause });
  if (errno === GUARD_FAILED) return new AppError('DB_STATEMENT', { message }, { cause });
  const code = INFRASTRUCTURE[errno] ?? 'DB_STATEMENT';
  return new AppError(code, code === 'DB_STATEMENT' ? { message } : { reason: message }, { cause });
}

/** An answer that did not come: the session is given up. */
export function noAnswer(what: string): AppError {
  const cause = new MysqlFault(what, 'NO_ANSWER', true);
  return new AppError('DB_UNAVAILABLE', { reason: what }, { cause });
}

/** True when the session is over: its transaction was or will be rolled back, unless it was committing. */
export function isSessionLost(error: AppError): boolean {
  return error.cause instanceof MysqlFault && error.cause.lost;
}

/** True for the error by which a packet's guard stops the packet. */
export function isGuardFailure(error: AppError): boolean {
  return error.cause instanceof MysqlFault && error.cause.code === String(GUARD_FAILED);
}

/** True for an error of a user's rights: 1044, 1142, 1143 and their like. */
export function isPrivilegeFailure(error: AppError): boolean {
  return error.cause instanceof MysqlFault && PRIVILEGES.has(error.cause.code);
}

const PRIVILEGES: ReadonlySet<string> = new Set(['1044', '1045', '1142', '1143', '1227', '1370', '1410', '1698']);

/** Translates a failure to open a session: one sentence that says what to do. */
export function fromOpenError(thrown: unknown, address: MysqlAddress): AppError {
  const error = fromMysqlError(thrown);
  const { server, user, database } = address;
  const cause = error.cause;
  switch (cause instanceof MysqlFault ? cause.code : '') {
    case '1045':
    case '1698':
      return new AppError('DB_LOGIN_REFUSED', { address: server, user }, { cause });
    case '1049':
      return new AppError('DB_MISSING', { address: server, database }, { cause });
    case '1044':
      return new AppError('DB_PRIVILEGES', { user, database, reason: String(error.params.message) }, { cause });
    default:
      if (!isSessionLost(error)) return error;
      return new AppError('DB_UNREACHABLE', { address: server, reason: reachReason(cause) }, { cause });
  }
}

function reachReason(cause: unknown): string {
  const { code, message } = cause as MysqlFault;
  return code === '' ? message : code;
}

/** Node's own network errors have a negative number. */
function serverErrno(error: DriverError): number | undefined {
  return error.errno !== undefined && error.errno > 0 ? error.errno : undefined;
}

/** Messages quote values as `Incorrect … value: 'x' for column`, `Duplicate entry 'x' for key`. */
function withoutValues(message: string): string {
  const bare = message.replace(/\b(value|entry)(:?) '.*'(?= for | at |$)/s, '$1');
  return bare.slice(0, MAX_MESSAGE_LENGTH);
}

/** MariaDB says `for key 'ux_a'`, MySQL 8 `for key 'table.ux_a'`. */
function keyName(error: DriverError): string {
  const [, name = ''] = /for key '([^']*)'$/.exec(error.sqlMessage ?? error.message) ?? [];
  return name.slice(name.indexOf('.') + 1);
}

function isDriverError(thrown: unknown): thrown is DriverError {
  return thrown instanceof Error && !(thrown instanceof TypeError) && !(thrown instanceof RangeError);
}
