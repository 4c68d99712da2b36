import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import { rewriteForSqlite } from './rewrite-sqlite.ts';
import type { CatalogueTable, ColumnType, SqlDialect } from './sql-dialect.ts';
import type { SystemDb } from './system-tables.ts';

/** SQLite: instants are integers (milliseconds UTC), text that we create is NOCASE, keys are BINARY (defaults.md 10.10). */
export const sqliteDialect: SqlDialect = Object.freeze({
  builder: {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  singleWriter: true,
  inlineIndexes: false,
  tableOptions: undefined,
  nowMillis: now(),
  fromNow: (ms) => sql<number>`${now()} + ${Math.round(ms)}`,
  instant: (millis) => sql<number>`${millis}`,
  millis: (column) => sql<number>`${sql.ref(column)}`,
  sameText: (column, value) => sql<boolean>`${sql.ref(column)} = ${value} collate nocase`,
  like: (column, pattern, negated) =>
    sql`${column} ${negated ? sql`not like` : sql`like`} ${closed(pattern)} escape ${ESCAPE}`,
  decimal: (text) => text,
  columnType,
  limitedWrite: (head, table, rows) => sql`${head} where rowid in (select rowid from ${sql.table(table)} ${rows})`,
  ownSql: rewriteForSqlite,
  // The writer is waited for before the transaction begins.
  beginDesign: async () => {},
  widenColumn,
  readTable,
} satisfies SqlDialect);

const ESCAPE = sql.lit('\\');

/** A backslash at the end stands for itself on MySQL; SQLite would match nothing. */
function closed(pattern: string): string {
  const [trailing = ''] = /\\*$/.exec(pattern) ?? [];
  return trailing.length % 2 === 0 ? pattern : `${pattern}\\`;
}

/** `round` because the seconds are a float whose milliseconds would otherwise be cut off one too low. */
function now() {
  return sql<number>`cast(round(unixepoch('subsec') * 1000) as integer)`;
}

function columnType(type: ColumnType) {
  switch (type.kind) {
    case 'text':
      return sql`${sql.raw(`varchar(${type.length})`)} collate nocase`;
    case 'key':
      return sql`${sql.raw(`varchar(${type.length})`)} collate binary`;
    case 'longText':
      return sql`text collate nocase`;
    case 'decimal':
      return sql.raw(`decimal(${type.precision},${type.scale})`);
    case 'serial':
      return sql`integer`;
    case 'instant':
      return sql`bigint`;
    case 'int':
    case 'bigint':
    case 'datetime':
    case 'blob':
      return sql.raw(type.kind);
  }
}

/** The file keeps every value whatever the declared length, so a wider type changes nothing in it. */
async function widenColumn(
  db: SystemDb,
  table: string,
  column: string,
  typeFor: (declared: string) => ColumnType,
): Promise<void> {
  const found = await readTable(db, table);
  const declared = found?.columns.find(({ name }) => name === column)?.declaredType ?? '';
  typeFor(declared);
}

async function readTable(db: SystemDb, name: string): Promise<CatalogueTable | undefined> {
  const found = await sql<{ name: string; type: string }>`
    select name, type from sqlite_schema
    where type in ('table', 'view') and name = ${name} collate nocase and name not like 'sqlite\\_%' escape '\\'
  `.execute(db);
  const table = found.rows[0];
  if (table === undefined) return undefined;
  const columns = await sql<{ name: string; declaredType: string }>`
    select name, type as "declaredType" from pragma_table_info(${table.name}) order by cid
  `.execute(db);
  return { name: table.name, view: table.type === 'view', columns: columns.rows };
}
