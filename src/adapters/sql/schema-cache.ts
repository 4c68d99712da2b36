import { tableAccess } from '../../core/protected-tables.ts';
import type { ColumnInfo, TableInfo } from '../../ports/table-store.ts';
import { ShapedStatements } from './shaped-statements.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { CatalogueTable, SqlDialect } from './sql-dialect.ts';

/** A table of the catalogue, and what scripts may know of it. */
interface KnownTable {
  readonly columnNames: ReadonlySet<string>;
  readonly info: TableInfo;
}

/** Tables as the catalogue describes them, kept until the schema changes. */
export class SchemaCache {
  /** Of the tables that are described here. */
  readonly statements = new ShapedStatements();
  readonly #database: SqlDatabase;
  /** Those who ask at the same time share one look at the catalogue. */
  readonly #tables = new Map<string, Promise<KnownTable | undefined>>();
  #stamp: number | string | undefined;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  get dialect(): SqlDialect {
    return this.#database.dialect;
  }

  /** What scripts may know of a table; undefined when it does not exist or is hidden. Any case of the name. */
  async describe(table: string): Promise<TableInfo | undefined> {
    if (tableAccess(table) === 'hidden') return undefined;
    return (await this.#find(table))?.info;
  }

  /** Names of a table's columns for the host's own statements: platform tables may lack ours. */
  async columnNames(table: string): Promise<ReadonlySet<string>> {
    return (await this.#find(table))?.columnNames ?? NO_NAMES;
  }

  async #find(table: string): Promise<KnownTable | undefined> {
    const stamp = await this.#database.schemaStamp();
    if (stamp !== this.#stamp) this.#tables.clear();
    this.#stamp = stamp;
    const key = table.toLowerCase();
    const known = this.#tables.get(key);
    if (known !== undefined) return known;
    const asked = this.#read(table);
    this.#tables.set(key, asked);
    // Of tables that do not exist only those are kept that the host asks for itself: scripts could fill the memory with names that do not.
    const forget = (): void => {
      if (this.#tables.get(key) === asked) this.#tables.delete(key);
    };
    asked.then((found) => {
      if (found === undefined && !OFTEN_MISSING.has(key)) forget();
    }, forget);
    return asked;
  }

  async #read(table: string): Promise<KnownTable | undefined> {
    const found = await this.#database.dialect.readTable(this.#database.reader, table);
    return found && { columnNames: new Set(found.columns.map(({ name }) => name)), info: infoOf(found) };
  }
}

/** Asked for in every write, and not there where the platform's designer never was. */
const OFTEN_MISSING: ReadonlySet<string> = new Set(['diy_table', 'diy_field']);

const NO_NAMES: ReadonlySet<string> = new Set();

function infoOf({ name, view, columns }: CatalogueTable): TableInfo {
  const described = columns.map((column) => ({ name: column.name, kind: columnKind(column.declaredType) }));
  return { name, columns: described, writable: tableAccess(name) === 'write' && !view };
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
