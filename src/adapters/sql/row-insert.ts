import type { CompiledQuery, Insertable } from 'kysely';
import type { SystemDb, SystemTables } from './system-tables.ts';

/** Statements remembered; with more shapes than that the memory begins anew. */
const MAX_STATEMENTS = 512;

/**
 * Inserts of several rows at once. The text of such a statement depends on its table, columns and number of rows only;
 * building it anew for every batch costs the host more than sending it, so it is remembered.
 */
export class RowInserts {
  readonly #compiled = new Map<string, CompiledQuery>();

  /** @param rows at least one; all with the columns of the first, and plain values. */
  of<Table extends keyof SystemTables>(
    db: SystemDb,
    table: Table,
    rows: readonly Insertable<SystemTables[Table]>[],
  ): CompiledQuery {
    const columns = Object.keys(rows[0] ?? {});
    const shape = `${table} ${rows.length} ${columns.join(' ')}`;
    const compiled = this.#compiled.get(shape) ?? this.#compile(shape, db, table, columns, rows.length);
    const parameters = rows.flatMap((row) => columns.map((column) => (row as Record<string, unknown>)[column] ?? null));
    return { ...compiled, parameters };
  }

  /** From rows of nothing: what is remembered must not hold what the first batch said. */
  #compile(
    shape: string,
    db: SystemDb,
    table: keyof SystemTables,
    columns: readonly string[],
    rows: number,
  ): CompiledQuery {
    if (this.#compiled.size >= MAX_STATEMENTS) this.#compiled.clear();
    const row = Object.fromEntries(columns.map((column) => [column, '']));
    const values = Array.from({ length: rows }, () => row) as unknown as Insertable<SystemTables[typeof table]>[];
    const compiled = db.insertInto(table).values(values).compile();
    this.#compiled.set(shape, compiled);
    return compiled;
  }
}
