import { AppError, coerceError, describeError } from '../../core/errors.ts';
import type { MysqlConnection } from './connection-mysql.ts';

export interface PoolOptions {
  /** Connections at most. */
  readonly size: number;
  /** An unused one is closed after this; below the server's own patience. Milliseconds. */
  readonly idleMs: number;
  /** Opens a connection. Rejects with AppError. */
  readonly open: () => Promise<MysqlConnection>;
}

interface Waiter {
  grant(connection: MysqlConnection): void;
  refuse(error: AppError): void;
}

/**
 * Connections of one kind to one schema. A connection comes back only clean, that is with an answered COMMIT or
 * ROLLBACK behind it; any other is cut (delivery.md 3.1 step 9). Who waits, waits in line and for a limited time.
 */
export class ConnectionPool {
  readonly #options: PoolOptions;
  readonly #idle: { connection: MysqlConnection; timer: NodeJS.Timeout }[] = [];
  readonly #used = new Set<MysqlConnection>();
  readonly #waiters: Waiter[] = [];
  #opening = 0;
  #closed = false;
  #onReturn: (() => void) | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Connections in use. */
  get used(): number {
    return this.#used.size;
  }

  /** What operators see of it. */
  get use(): { readonly used: number; readonly size: number; readonly waiting: number } {
    return { used: this.#used.size + this.#opening, size: this.#options.size, waiting: this.#waiters.length };
  }

  /** @throws AppError DB_BUSY after `waitMs`, DB_UNAVAILABLE when none can be opened or the pool is closed. */
  async acquire(waitMs: number): Promise<{ connection: MysqlConnection; reused: boolean }> {
    if (this.#closed) throw closedError();
    const idle = this.#takeIdle();
    if (idle !== undefined) return { connection: idle, reused: true };
    if (this.#used.size + this.#opening < this.#options.size) return { connection: await this.#open(), reused: false };
    return { connection: await this.#wait(waitMs), reused: true };
  }

  /** Gives a connection back. One that is not clean is cut. */
  release(connection: MysqlConnection): void {
    if (!this.#used.has(connection)) return;
    const isClean = !connection.isLost && !connection.isBusy && !connection.inTransaction;
    const waiter = isClean ? this.#waiters.shift() : undefined;
    if (waiter !== undefined) waiter.grant(connection);
    else if (isClean) this.#putAway(connection);
    else this.discard(connection);
  }

  /** Cuts a connection in use and opens another one for the next in line. */
  discard(connection: MysqlConnection): void {
    if (!this.#used.delete(connection)) return;
    connection.destroy();
    this.#onReturn?.();
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) void this.#open().then(waiter.grant, (e: unknown) => waiter.refuse(coerceError(e)));
  }

  /** Refuses who waits and who comes later, and waits at most `waitMs` for the connections in use. */
  async close(waitMs: number): Promise<void> {
    this.#closed = true;
    for (const waiter of this.#waiters.splice(0)) waiter.refuse(closedError());
    for (const { connection, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      connection.end();
    }
    await this.#whenReturned(waitMs);
    for (const connection of [...this.#used]) this.discard(connection);
  }

  #takeIdle(): MysqlConnection | undefined {
    for (let entry = this.#idle.pop(); entry !== undefined; entry = this.#idle.pop()) {
      clearTimeout(entry.timer);
      if (entry.connection.isLost) continue;
      this.#used.add(entry.connection);
      return entry.connection;
    }
    return undefined;
  }

  async #open(): Promise<MysqlConnection> {
    this.#opening += 1;
    try {
      const connection = await this.#options.open();
      if (this.#closed) {
        connection.end();
        throw closedError();
      }
      this.#used.add(connection);
      return connection;
    } catch (error: unknown) {
      const failure = asUnavailable(coerceError(error));
      // One that cannot be opened now cannot be opened for the others, either: they need not find out one by one.
      for (const waiter of this.#waiters.splice(0)) waiter.refuse(failure);
      throw failure;
    } finally {
      this.#opening -= 1;
    }
  }

  #wait(waitMs: number): Promise<MysqlConnection> {
    return new Promise((resolve, reject) => {
      let waiting = true;
      const settle = (act: () => void) => {
        waiting = false;
        clearTimeout(timer);
        act();
      };
      const waiter: Waiter = {
        // Also when it gave up while a connection was being opened for it.
        grant: (connection) => (waiting ? settle(() => resolve(connection)) : this.release(connection)),
        refuse: (error) => settle(() => reject(error)),
      };
      const timer = setTimeout(() => {
        const place = this.#waiters.indexOf(waiter);
        if (place >= 0) this.#waiters.splice(place, 1);
        waiter.refuse(new AppError('DB_BUSY'));
      }, waitMs);
      this.#waiters.push(waiter);
    });
  }

  #putAway(connection: MysqlConnection): void {
    this.#used.delete(connection);
    if (this.#closed) connection.end();
    else this.#keep(connection);
    this.#onReturn?.();
  }

  #keep(connection: MysqlConnection): void {
    const entry = {
      connection,
      timer: setTimeout(() => {
        this.#idle.splice(this.#idle.indexOf(entry), 1);
        connection.end();
      }, this.#options.idleMs).unref(),
    };
    this.#idle.push(entry);
  }

  async #whenReturned(waitMs: number): Promise<void> {
    if (this.#used.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.#onReturn = () => {
        if (this.#used.size > 0) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** While the host runs, a login that fails is an outage like any other; its sentence stays as the reason. */
function asUnavailable(error: AppError): AppError {
  if (error.code === 'DB_UNAVAILABLE' || error.code === 'INTERNAL') return error;
  return new AppError('DB_UNAVAILABLE', { reason: describeError(error.toRecord(), 'en') }, { cause: error });
}

function closedError(): AppError {
  return new AppError('DB_UNAVAILABLE', { reason: 'the database was closed' });
}
