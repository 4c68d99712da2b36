import { type OperationNode, sql, TableNode } from 'kysely';
import { AppError } from '../../core/errors.ts';
import type { SystemDb } from './system-tables.ts';

/**
 * Which columns a unique key has. The server's error names the key and the value; an author needs the columns, and
 * the value must not go into a message.
 */
export class UniqueKeys {
  readonly #db: SystemDb;

  /** @param db committed state, apart from the transaction in which the conflict happened. */
  constructor(db: SystemDb) {
    this.#db = db;
  }

  /** The same conflict with the table and the columns of its key; the key's name where they cannot be read. */
  async explain(conflict: AppError, statement: OperationNode): Promise<AppError> {
    const table = targetOf(statement);
    const key = String(conflict.params.field ?? '');
    const columns = await this.#columnsOf(table, key).catch(() => []);
    const field = columns.length === 0 ? key : columns.join(', ');
    return new AppError('ROW_NOT_UNIQUE', { table, field }, { cause: conflict.cause });
  }

  async #columnsOf(table: string, key: string): Promise<readonly string[]> {
    const found = await sql<{ name: string }>`
      select column_name as name from information_schema.statistics
      where table_schema = database() and table_name = ${table} and index_name = ${key} order by seq_in_index
    `.execute(this.#db);
    return found.rows.map(({ name }) => name);
  }
}

/** Name of the table that an INSERT or UPDATE of the query builder writes. */
function targetOf(statement: OperationNode): string {
  const { into, table } = statement as { into?: OperationNode; table?: OperationNode };
  const target = into ?? table;
  return target !== undefined && TableNode.is(target) ? target.table.identifier.name : '';
}
