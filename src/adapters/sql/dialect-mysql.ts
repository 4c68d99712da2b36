import { MysqlAdapter, MysqlIntrospector, MysqlQueryCompiler, type RawBuilder, sql } from 'kysely';
import { AppError } from '../../core/errors.ts';
import { confineCatalogue } from './catalogue-mysql.ts';
import type { MysqlVendor } from './server-mysql.ts';
import type { CatalogueTable, ColumnType, SqlDialect } from './sql-dialect.ts';
import type { SystemDb } from './system-tables.ts';

/** Compared byte by byte, trailing blanks included; what a plain `_bin` collation pads (delivery.md F8). */
const KEY_COLLATION: Readonly<Record<MysqlVendor, string>> = {
  mariadb: 'utf8mb4_nopad_bin',
  mysql: 'utf8mb4_0900_bin',
};

/** Text without regard to case, as the platform's own tables have it. */
const TEXT = 'character set utf8mb4 collate utf8mb4_general_ci';

const EPOCH = sql`timestamp'1970-01-01 00:00:00'`;

/**
 * MySQL and MariaDB. Instants are datetime(3) in UTC: the session's time zone is the tenant's, and one with summer
 * time would give a lease of an hour ago a second life each autumn. Every table of ours names its character set,
 * because a server's default may be latin1.
 */
export function createMysqlDialect(vendor: MysqlVendor): SqlDialect {
  return Object.freeze({
    builder: {
      createAdapter: () => new MysqlAdapter(),
      createIntrospector: (db) => new MysqlIntrospector(db),
      createQueryCompiler: () => new MysqlQueryCompiler(),
    },
    singleWriter: false,
    inlineIndexes: true,
    tableOptions: sql.raw(`engine=InnoDB default ${TEXT}`),
    nowMillis: toMillis(sql`utc_timestamp(3)`),
    fromNow: (ms) => sql<number>`utc_timestamp(3) + interval ${Math.round(ms) * 1000} microsecond`,
    instant: (millis) => sql<number>`${EPOCH} + interval ${millis * 1000} microsecond`,
    millis: (column) => toMillis(sql.ref(column)),
    sameText: (column, value) => sql<boolean>`lower(${sql.ref(column)}) = lower(${value})`,
    like: (column, pattern, negated) => sql`${column} ${negated ? sql`not like` : sql`like`} ${pattern}`,
    decimal: (text) => sql`cast(${text} as decimal(65,30))`,
    columnType: (type) => columnType(type, vendor),
    limitedWrite: (head, _table, rows) => sql`${head} ${rows}`,
    ownSql: confineCatalogue,
    // The wait for a table's metadata lock, which every transaction that read it holds.
    beginDesign: async (db) => void (await sql`set session lock_wait_timeout = 5`.execute(db)),
    widenColumn: (db, table, column, typeFor) => widenColumn(db, { table, column, typeFor, vendor }),
    readTable,
  } satisfies SqlDialect);
}

function toMillis(moment: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`timestampdiff(microsecond, ${EPOCH}, ${moment}) div 1000`;
}

function columnType(type: ColumnType, vendor: MysqlVendor): RawBuilder<unknown> {
  switch (type.kind) {
    case 'text':
      return sql.raw(`varchar(${type.length}) ${TEXT}`);
    case 'key':
      return sql.raw(`varchar(${type.length}) character set utf8mb4 collate ${KEY_COLLATION[vendor]}`);
    case 'longText':
      return sql.raw(`longtext ${TEXT}`);
    case 'decimal':
      return sql.raw(`decimal(${type.precision},${type.scale})`);
    case 'serial':
      return sql`bigint`;
    case 'instant':
      return sql`datetime(3)`;
    case 'blob':
      return sql`longblob`;
    case 'int':
    case 'bigint':
    case 'datetime':
      return sql.raw(type.kind);
  }
}

/**
 * The catalogue is asked by exact name, which opens one table; without it the server opens every table of the schema.
 * Names may differ in case only on some file systems: the exact one is taken before another.
 */
async function readTable(db: SystemDb, name: string): Promise<CatalogueTable | undefined> {
  const names = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = database() and lower(table_name) = lower(${name})
  `.execute(db);
  const found = names.rows.find((row) => row.name === name) ?? names.rows[0];
  if (found === undefined) return undefined;
  const columns = await sql<{ name: string; declaredType: string }>`
    select column_name as name, data_type as declaredType from information_schema.columns
    where table_schema = database() and table_name = ${found.name} order by ordinal_position
  `.execute(db);
  const views = await sql<{ name: string }>`
    select table_name as name from information_schema.views
    where table_schema = database() and table_name = ${found.name}
  `.execute(db);
  const isView = views.rows.length > 0;
  return { name: found.name, view: isView, columns: columns.rows };
}

interface Widening {
  readonly table: string;
  readonly column: string;
  readonly typeFor: (declared: string) => ColumnType;
  readonly vendor: MysqlVendor;
}

/** MODIFY states the whole column anew, so one with more to it than a type is left to people. */
async function widenColumn(db: SystemDb, { table, column, typeFor, vendor }: Widening): Promise<void> {
  const { rows } = await sql<{ type: string; nullable: string; initially: string | null; extra: string }>`
    select column_type as type, is_nullable as nullable, column_default as initially, extra
    from information_schema.columns
    where table_schema = database() and table_name = ${table} and column_name = ${column}
  `.execute(db);
  const [found] = rows;
  if (found === undefined) throw new AppError('COLUMN_UNKNOWN', { table, column });
  const type = typeFor(found.type);
  const isPlain = (found.initially === null || found.initially === 'NULL') && found.extra === '';
  if (!isPlain) throw new AppError('COLUMN_TYPE', { column, type: `${found.type} ${found.extra}`.trim() });
  const nullness = found.nullable === 'YES' ? sql`null` : sql`not null`;
  await sql`
    alter table ${sql.table(table)} modify column ${sql.ref(column)} ${columnType(type, vendor)} ${nullness}
  `.execute(db);
}
