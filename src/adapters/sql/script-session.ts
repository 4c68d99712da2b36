import { CompiledQuery, RawNode, TableNode } from 'kysely';
import { AppError, orThrow } from '../../core/errors.ts';
import type { GuardedSql } from '../../core/sql-guard.ts';
import { bindSql, rowLimit, type SqlParameters, withLimit } from '../../core/sql-statement.ts';
import type { SqlAnswer, SqlSession } from '../../ports/sql-session.ts';
import type { Row } from '../../ports/table-store.ts';
import { toScriptRow } from './script-row.ts';
import type { SqlDialect } from './sql-dialect.ts';
import { timed } from './statement-time.ts';
import type { StatementTarget } from './table-store.ts';

/** A script's SQL over one transaction, or over a reader and single writes. */
export class SqlScriptSession implements SqlSession {
  readonly #dialect: SqlDialect;
  readonly #target: StatementTarget;

  constructor(dialect: SqlDialect, target: StatementTarget) {
    this.#dialect = dialect;
    this.#target = target;
  }

  async run(statement: GuardedSql, parameters: SqlParameters, timeoutMs?: number): Promise<SqlAnswer> {
    const limit = rowLimit(statement);
    const { text, values } = orThrow(bindSql(this.#dialect.ownSql(withLimit(statement)), parameters));
    const query = timed(compiled(text, values, statement.tables[0] ?? ''), timeoutMs);
    const isRead = statement.verb === 'select';
    const result = await this.#target[isRead ? 'read' : 'write']((db) => db.executeQuery<Row>(query));
    if (result.rows.length > limit) throw new AppError('TOO_MANY_ROWS', { limit });
    return { rows: result.rows.map(toScriptRow), affected: Number(result.numAffectedRows ?? result.rows.length) };
  }
}

/** With the table, so that a unique conflict can name its columns (unique-keys-mysql.ts). */
function compiled(text: string, values: readonly unknown[], table: string): CompiledQuery<Row> {
  const query = CompiledQuery.raw(text, [...values]);
  const node = { ...RawNode.createWithSql(text), table: TableNode.create(table) };
  return { ...query, query: node } as CompiledQuery<Row>;
}
