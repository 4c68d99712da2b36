import type { CompiledQuery, QueryResult } from 'kysely';
import { AppError, coerceError, type ErrorCode } from '../../core/errors.ts';
import type { Doom } from '../../ports/tenant-store.ts';
import type { Authority, SavepointStatement, SqliteConnection } from './connection-sqlite.ts';
import { sqliteDialect } from './dialect-sqlite.ts';
import { isInputOutputError } from './errors-sqlite.ts';
import { kyselyOver } from './kysely-session.ts';
import type { PacketStatement, TxSession } from './sql-database.ts';
import type { ScriptDb, SystemDb, SystemTables } from './system-tables.ts';
import type { ReleaseLock } from './writer-lock.ts';

const DOOMING: ReadonlySet<ErrorCode> = new Set(['DB_BUSY', 'DB_UNAVAILABLE', 'DB_TX_LOST', 'DB_TORN']);

/** A transaction of one SQLite file. It holds the writer lock from before BEGIN until its end. */
export class SqliteTransaction implements TxSession {
  readonly system: SystemDb;
  readonly script: ScriptDb;
  readonly #connection: SqliteConnection;
  readonly #release: ReleaseLock;
  #doom: Doom | undefined;
  #ended = false;

  /** @param connection inside BEGIN IMMEDIATE. */
  constructor(connection: SqliteConnection, release: ReleaseLock) {
    this.#connection = connection;
    this.#release = release;
    this.system = kyselyOver<SystemTables>(sqliteDialect, async (query) => this.#execute(query, 'host'));
    this.script = kyselyOver(sqliteDialect, async (query) => this.#execute(query, 'script'));
  }

  get doom(): Doom | undefined {
    return this.#doom;
  }

  async allOrNothing<T>(work: () => Promise<T>): Promise<T> {
    this.#control('SAVEPOINT batch');
    try {
      return await work();
    } catch (error: unknown) {
      if (!this.#ended && this.#doom === undefined) this.#control('ROLLBACK TO batch');
      throw error;
    } finally {
      if (!this.#ended && this.#doom === undefined) this.#control('RELEASE batch');
    }
  }

  async commit(packet: readonly PacketStatement[] = []): Promise<readonly QueryResult<unknown>[]> {
    try {
      this.#assertUsable();
      const results = packet.map((statement) => this.#executeGuarded(statement));
      this.#connection.exec('COMMIT');
      this.#end();
      return results;
    } catch (error: unknown) {
      const failure = coerceError(error);
      await this.rollback();
      throw isInputOutputError(failure) ? new AppError('DB_COMMIT_UNKNOWN', {}, { cause: failure }) : failure;
    }
  }

  async rollback(): Promise<void> {
    if (this.#ended) return;
    try {
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK');
    } catch {
      // A failing ROLLBACK leaves the file's log without a commit; recovery drops it when the file is next opened.
    } finally {
      this.#end();
    }
  }

  /** No statement stands between this one and the end: the connection has one writer, which never waits. */
  abort(): Promise<void> {
    return this.rollback();
  }

  #executeGuarded({ query, matches }: PacketStatement): QueryResult<unknown> {
    const result = this.#execute(query.compile(), 'host');
    if (matches !== undefined && result.numAffectedRows !== BigInt(matches)) throw new AppError('DB_TORN');
    return result;
  }

  #control(statement: SavepointStatement): void {
    this.#assertUsable();
    try {
      this.#connection.exec(statement);
    } catch (error: unknown) {
      this.#doom = 'DB_TX_LOST';
      throw new AppError('DB_TX_LOST', {}, { cause: error });
    }
  }

  #execute(query: CompiledQuery, authority: Authority): QueryResult<unknown> {
    this.#assertUsable();
    try {
      const result = this.#connection.execute(query, authority);
      if (!this.#connection.inTransaction) throw new AppError('DB_TORN');
      return result;
    } catch (error: unknown) {
      throw this.#judge(coerceError(error));
    }
  }

  /** An ended transaction must not be seen as an ordinary failure: the next statement would commit by itself (F1). */
  #judge(error: AppError): AppError {
    if (DOOMING.has(error.code)) this.#doom = error.code as Doom;
    else if (!this.#connection.inTransaction) this.#doom = error.code === 'INTERNAL' ? 'DB_TX_LOST' : 'DB_TORN';
    else return error;
    return error.code === this.#doom ? error : new AppError(this.#doom, {}, { cause: error });
  }

  #assertUsable(): void {
    if (this.#ended) throw new AppError('DB_TX_LOST');
    if (this.#doom !== undefined) throw new AppError(this.#doom, { reason: 'the transaction was lost earlier' });
  }

  #end(): void {
    this.#ended = true;
    this.#release();
  }
}
