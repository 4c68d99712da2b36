import type { CompiledQuery, QueryResult } from 'kysely';
import { AppError, coerceError } from '../../core/errors.ts';
import type { Doom } from '../../ports/tenant-store.ts';
import { goesAsText, packetsOf } from './commit-packet-mysql.ts';
import type { MysqlConnection, Statement } from './connection-mysql.ts';
import { isGuardFailure, isSessionLost } from './errors-mysql.ts';
import { kyselyOver } from './kysely-session.ts';
import type { ConnectionPool } from './pool-mysql.ts';
import { assertRowStatement } from './script-statement.ts';
import type { PacketStatement, TxSession } from './sql-database.ts';
import type { SqlDialect } from './sql-dialect.ts';
import { timeOf, withinTime } from './statement-time.ts';
import type { ScriptDb, SystemDb, SystemTables } from './system-tables.ts';
import type { UniqueKeys } from './unique-keys-mysql.ts';

/** What transactions of one schema share. */
export interface TransactionParts {
  readonly dialect: SqlDialect;
  readonly uniqueKeys: UniqueKeys;
  /** Ends a session from another one; rejects when that does not work in a short time. */
  readonly kill: (sessionId: number) => Promise<void>;
  /** Ends the statement a session is at, from another one. */
  readonly interrupt: (sessionId: number) => Promise<void>;
}

export interface TransactionOptions {
  readonly pool: ConnectionPool;
  /** How long to wait for a connection. Milliseconds. */
  readonly waitMs: number;
  /** Statement that begins the transaction, on connections that otherwise commit by themselves. */
  readonly opening: 'start transaction' | undefined;
}

type Authority = 'host' | 'script';

const DOOMING: readonly string[] = ['DB_BUSY', 'DB_TX_LOST', 'DB_TORN', 'DB_UNAVAILABLE'] satisfies Doom[];

/** A server that hangs must not hang the host. A script's statements end with their run instead. Milliseconds. */
const HOST_STATEMENT_MS = 15_000;
const ROLLBACK_MS = 3_000;
/** A third of the server's patience with an idle transaction (delivery.md F10). */
const PING_EVERY_MS = 5_000;

/**
 * A transaction on MySQL or MariaDB. It is doomed by everything after which the server may have ended it: a deadlock,
 * a lock wait that ran out, a changed snapshot, a lost session, and any answer that says there is no transaction
 * although there was one (delivery.md F1).
 */
export class MysqlTransaction implements TxSession {
  readonly #parts: TransactionParts;
  readonly #options: TransactionOptions;
  #connection: MysqlConnection;
  /** The connection served others before, so the server may have closed it meanwhile. */
  #mayBeStale: boolean;
  #used = false;
  #wasOpen = false;
  #doom: Doom | undefined;
  #ended = false;
  /** Groups of statements that are open: a table's event may write one inside of another. */
  #groups = 0;
  readonly #heartbeat: NodeJS.Timeout;
  #system: SystemDb | undefined;
  #script: ScriptDb | undefined;

  private constructor(
    parts: TransactionParts,
    options: TransactionOptions,
    acquired: { connection: MysqlConnection; reused: boolean },
  ) {
    this.#parts = parts;
    this.#options = options;
    this.#connection = acquired.connection;
    this.#mayBeStale = acquired.reused;
    this.#heartbeat = setInterval(() => void this.#ping(), PING_EVERY_MS).unref();
  }

  /** @throws AppError DB_BUSY, DB_UNAVAILABLE. */
  static async begin(parts: TransactionParts, options: TransactionOptions): Promise<MysqlTransaction> {
    const transaction = new MysqlTransaction(parts, options, await options.pool.acquire(options.waitMs));
    try {
      if (options.opening !== undefined) await transaction.#control(options.opening);
      return transaction;
    } catch (error: unknown) {
      await transaction.rollback();
      throw error;
    }
  }

  get system(): SystemDb {
    this.#system ??= kyselyOver<SystemTables>(this.#parts.dialect, (query) => this.#execute(query, 'host'));
    return this.#system;
  }

  get script(): ScriptDb {
    this.#script ??= kyselyOver(this.#parts.dialect, (query) => this.#execute(query, 'script'));
    return this.#script;
  }

  get doom(): Doom | undefined {
    return this.#doom;
  }

  async allOrNothing<T>(work: () => Promise<T>): Promise<T> {
    this.#assertUsable();
    const name = `batch${this.#groups}`;
    this.#groups += 1;
    try {
      await this.#control(`savepoint ${name}`);
      return await this.#undoneOnFailure(name, work);
    } finally {
      this.#groups -= 1;
    }
  }

  async #undoneOnFailure<T>(savepoint: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error: unknown) {
      if (!this.#ended && this.#doom === undefined) await this.#undo(`rollback to savepoint ${savepoint}`);
      throw error;
    }
  }

  async commit(packet: readonly PacketStatement[] = []): Promise<readonly QueryResult<unknown>[]> {
    try {
      this.#assertUsable();
      const results = await this.#sendPacket(packet);
      this.#end(() => this.#options.pool.release(this.#connection));
      return results;
    } catch (error: unknown) {
      const failure = coerceError(error);
      await this.rollback();
      throw isGuardFailure(failure) ? new AppError('DB_TORN', {}, { cause: failure }) : failure;
    }
  }

  async rollback(): Promise<void> {
    if (this.#ended) return;
    if (!this.#used) return this.#end(() => this.#options.pool.release(this.#connection));
    // A ROLLBACK would queue behind the statement under way, which may never answer.
    if (this.#connection.isBusy) return this.abort();
    await this.#connection.run([ROLLBACK], ROLLBACK_MS).catch(() => this.#connection.destroy());
    this.#end(() => this.#options.pool.release(this.#connection));
  }

  /** KILL first: it frees the locks at once, where a server notices a cut socket only after the statement. */
  async abort(): Promise<void> {
    if (this.#ended) return;
    if (!this.#connection.isBusy) return this.rollback();
    const connection = this.#connection;
    this.#end(() => undefined);
    if (!connection.isLost) await this.#parts.kill(connection.id).catch(() => undefined);
    this.#options.pool.discard(connection);
  }

  async #execute(query: CompiledQuery, authority: Authority): Promise<QueryResult<unknown>> {
    this.#assertUsable();
    if (authority === 'script') assertRowStatement(query.sql);
    try {
      const result = await this.#send(query, authority);
      this.#assertStillOpen();
      return result;
    } catch (error: unknown) {
      const failure = await this.#judge(coerceError(error));
      const explain = authority === 'script' && failure.code === 'ROW_NOT_UNIQUE';
      throw explain ? await this.#parts.uniqueKeys.explain(failure, query.query) : failure;
    }
  }

  async #send(query: CompiledQuery, authority: Authority): Promise<QueryResult<unknown>> {
    if (authority === 'host' && goesAsText(query)) {
      const results = await this.#first((connection) => connection.run([query], HOST_STATEMENT_MS));
      return results.at(-1) ?? { rows: [] };
    }
    return this.#first((connection) =>
      authority === 'host'
        ? connection.execute(query, HOST_STATEMENT_MS)
        : withinTime(timeOf(query), connection.executeBounded(query), {
            interrupt: () => this.#parts.interrupt(connection.id),
            abandon: () => connection.destroy(),
          }),
    );
  }

  /**
   * A pooled connection that the server has closed meanwhile shows at its first use. Nothing happened on it yet, so
   * the first statement is sent once more on a new one (delivery.md 3.1 step 4).
   */
  async #first<T>(send: (connection: MysqlConnection) => Promise<T>): Promise<T> {
    try {
      return await send(this.#connection);
    } catch (error: unknown) {
      if (this.#used || !this.#mayBeStale || !isSessionLost(coerceError(error)) || this.#ended) throw error;
      this.#mayBeStale = false;
      await this.#replaceConnection();
      return await send(this.#connection);
    } finally {
      this.#used = true;
    }
  }

  async #replaceConnection(): Promise<void> {
    const { pool, waitMs } = this.#options;
    pool.discard(this.#connection);
    const { connection } = await pool.acquire(waitMs);
    if (this.#ended) {
      pool.release(connection);
      throw new AppError('DB_TX_LOST');
    }
    this.#connection = connection;
  }

  async #undo(statement: string): Promise<void> {
    try {
      await this.#control(statement);
    } catch (error: unknown) {
      this.#doom ??= 'DB_TX_LOST';
      throw new AppError('DB_TX_LOST', {}, { cause: error });
    }
  }

  async #control(statement: string): Promise<void> {
    await this.#first((connection) => connection.run([{ sql: statement, parameters: [] }], HOST_STATEMENT_MS)).catch(
      async (error: unknown) => {
        throw await this.#judge(coerceError(error));
      },
    );
    this.#assertStillOpen();
  }

  /** Only the packet with the COMMIT in it can leave the outcome open. */
  async #sendPacket(statements: readonly PacketStatement[]): Promise<readonly QueryResult<unknown>[]> {
    const results: QueryResult<unknown>[] = [];
    const packets = packetsOf(statements);
    for (const [index, packet] of packets.entries()) {
      const isLast = index === packets.length - 1;
      try {
        this.#used = true;
        results.push(...(await packet.send(this.#connection, isLast, HOST_STATEMENT_MS)));
      } catch (error: unknown) {
        const failure = coerceError(error);
        if (isLast && isSessionLost(failure)) throw new AppError('DB_COMMIT_UNKNOWN', {}, { cause: failure });
        throw failure;
      }
    }
    return results;
  }

  #assertStillOpen(): void {
    const isOpen = this.#connection.inTransaction;
    if (this.#wasOpen && !isOpen) throw new AppError('DB_TORN');
    this.#wasOpen = isOpen;
  }

  /** Decides whether a failed statement has taken the transaction with it. */
  async #judge(error: AppError): Promise<AppError> {
    if (DOOMING.includes(error.code)) {
      this.#doom ??= error.code as Doom;
      return error;
    }
    // The one failure that every run may meet, and of which the server keeps the transaction.
    if (error.code === 'ROW_NOT_UNIQUE' || !this.#wasOpen) return error;
    await this.#connection.run([NOTHING], HOST_STATEMENT_MS).catch(() => undefined);
    if (!this.#connection.isLost && this.#connection.inTransaction) return error;
    this.#doom = 'DB_TX_LOST';
    return new AppError('DB_TX_LOST', {}, { cause: error });
  }

  async #ping(): Promise<void> {
    if (this.#ended || this.#connection.isBusy) return;
    await this.#connection.ping(PING_EVERY_MS).catch(() => {
      this.#doom ??= 'DB_UNAVAILABLE';
    });
  }

  #assertUsable(): void {
    if (this.#ended) throw new AppError('DB_TX_LOST');
    if (this.#doom !== undefined) throw new AppError(this.#doom, { reason: 'the transaction was lost earlier' });
  }

  #end(giveBack: () => void): void {
    this.#ended = true;
    clearInterval(this.#heartbeat);
    giveBack();
  }
}

const text = (sql: string): Statement => ({ sql, parameters: [] });

const ROLLBACK = text('rollback');
/** Its answer says whether the session is in a transaction, and changes nothing. */
const NOTHING = text('do 0');
