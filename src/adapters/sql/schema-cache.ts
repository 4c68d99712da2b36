import { tableAccess } from '../../core/protected-tables.ts';
import type { ColumnInfo, TableInfo } from '../../ports/table-store.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { CatalogueTable, SqlDialect } from './sql-dialect.ts';

/** Tables as the catalogue describes them, kept until the schema changes. */
export class SchemaCache {
  readonly #database: SqlDatabase;
  readonly #tables = new Map<string, CatalogueTable | undefined>();
  #stamp: number | string | undefined;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  get dialect(): SqlDialect {
    return this.#database.dialect;
  }

  /** What scripts may know of a table; undefined when it does not exist or is hidden. Any case of the name. */
  async describe(table: string): Promise<TableInfo | undefined> {
    const access = tableAccess(table);
    if (access === 'hidden') return undefined;
    const found = await this.#find(table);
    if (found === undefined) return undefined;
    const columns = found.columns.map(({ name, declaredType }) => ({ name, kind: columnKind(declaredType) }));
    return { name: found.name, columns, writable: access === 'write' && !found.view };
  }

  /** Names of a table's columns for the host's own statements: platform tables may lack ours. */
  async columnNames(table: string): Promise<ReadonlySet<string>> {
    const found = await this.#find(table);
    return new Set(found?.columns.map(({ name }) => name) ?? []);
  }

  async #find(table: string): Promise<CatalogueTable | undefined> {
    const stamp = await this.#database.schemaStamp();
    if (stamp !== this.#stamp) this.#tables.clear();
    this.#stamp = stamp;
    const key = table.toLowerCase();
    const known = this.#tables.get(key);
    if (known !== undefined) return known;
    const found = await this.#database.dialect.readTable(this.#database.reader, table);
    // Only tables that exist are kept: scripts could fill the memory with names that do not.
    if (found !== undefined) this.#tables.set(key, found);
    return found;
  }
}

const KINDS: readonly (readonly [RegExp, ColumnInfo['kind']])[] = [
  [/^bool|^bit\b/i, 'boolean'],
  [/int/i, 'integer'],
  [/^(decimal|numeric|float|double|real)/i, 'decimal'],
  [/^(datetime|timestamp)/i, 'datetime'],
  [/^date/i, 'date'],
  [/^time/i, 'time'],
  [/blob|binary/i, 'blob'],
];

/** What values a column takes, from the type it was declared with. */
function columnKind(declaredType: string): ColumnInfo['kind'] {
  return KINDS.find(([pattern]) => pattern.test(declaredType))?.[1] ?? 'text';
}
