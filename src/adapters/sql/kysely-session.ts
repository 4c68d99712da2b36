import {
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  isCompilable,
  Kysely,
  type KyselyConfig,
  type QueryResult,
} from 'kysely';
import type { SqlDialect } from './sql-dialect.ts';

/** Executes one compiled statement. Rejects with AppError only. */
export type ExecuteStatement = (query: CompiledQuery) => Promise<QueryResult<unknown>>;

/**
 * A query builder whose statements all go through `execute`: one connection, one run, one set of rules. The right to
 * use a connection lies in the session object, so a late statement of an ended run cannot reach another's.
 */
export function kyselyOver<Tables>(dialect: SqlDialect, execute: ExecuteStatement): Kysely<Tables> {
  return new SessionBuilder<Tables>(
    { dialect: { ...dialect.builder, createDriver: () => new SessionDriver(execute) } },
    execute,
  );
}

/** Gives statements that are compiled already to the session at once: the builder's way there is longer than theirs. */
class SessionBuilder<Tables> extends Kysely<Tables> {
  readonly #execute: ExecuteStatement;

  constructor(config: KyselyConfig, execute: ExecuteStatement) {
    super(config);
    this.#execute = execute;
  }

  override executeQuery<R>(query: CompiledQuery<R> | Compilable<R>): Promise<QueryResult<R>> {
    return this.#execute(isCompilable(query) ? query.compile() : query) as Promise<QueryResult<R>>;
  }
}

/** Begin and end of transactions belong to the session; nothing may start them through the builder. */
class SessionDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(execute: ExecuteStatement) {
    this.#connection = {
      executeQuery: <R>(query: CompiledQuery) => execute(query) as Promise<QueryResult<R>>,
      streamQuery: refuseTransaction,
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    refuseTransaction();
  }

  async commitTransaction(): Promise<void> {
    refuseTransaction();
  }

  async rollbackTransaction(): Promise<void> {
    refuseTransaction();
  }

  async destroy(): Promise<void> {}
}

function refuseTransaction(): never {
  throw new Error('transactions and streams are opened by the session, not by the query builder');
}
