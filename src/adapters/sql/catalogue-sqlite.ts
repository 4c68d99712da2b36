import { CATALOGUE_VIEWS, type CatalogueView } from '../../core/sql-catalogue.ts';

/** Tables and views, without SQLite's own and those that are hidden from scripts (core/protected-tables.ts). */
const OWN_TABLES = `(select name, type, sql from main.sqlite_schema where type in ('table', 'view')
  and name not like 'sqlite\\_%' escape '\\' and name not like 'mq\\_%' escape '\\'
  and name not in ('schema_migration', 'sys_osclients'))`;

/** What stands in the brackets of `varchar(50)`. */
const LENGTH = `case when c.type like '%char(%' then cast(substr(c.type, instr(c.type, '(') + 1) as integer) end`;

const PLAIN_TYPE = `lower(case when instr(c.type, '(') > 0 then substr(c.type, 1, instr(c.type, '(') - 1) else c.type end)`;

const VIEWS: Readonly<Record<CatalogueView, string>> = {
  tables: `select 'main' as TABLE_SCHEMA, m.name collate nocase as TABLE_NAME,
    case m.type when 'view' then 'VIEW' else 'BASE TABLE' end as TABLE_TYPE, null as TABLE_ROWS, '' as TABLE_COMMENT
    from ${OWN_TABLES} m`,
  columns: `select 'main' as TABLE_SCHEMA, m.name collate nocase as TABLE_NAME, c.name collate nocase as COLUMN_NAME,
    c.cid + 1 as ORDINAL_POSITION, c.dflt_value as COLUMN_DEFAULT,
    case when c."notnull" or c.pk then 'NO' else 'YES' end as IS_NULLABLE, ${PLAIN_TYPE} as DATA_TYPE,
    ${LENGTH} as CHARACTER_MAXIMUM_LENGTH, lower(c.type) as COLUMN_TYPE,
    case when c.pk then 'PRI' else coalesce((select max(case when i."unique" then 'UNI' else 'MUL' end)
      from pragma_index_list(m.name) i, pragma_index_info(i.name) k where k.seqno = 0 and k.name = c.name), '') end as COLUMN_KEY, '' as EXTRA, '' as COLUMN_COMMENT
    from ${OWN_TABLES} m, pragma_table_info(m.name) c`,
  statistics: `select 'main' as TABLE_SCHEMA, m.name collate nocase as TABLE_NAME, 1 - i."unique" as NON_UNIQUE,
    case i.origin when 'pk' then 'PRIMARY' else i.name end as INDEX_NAME, c.seqno + 1 as SEQ_IN_INDEX,
    c.name as COLUMN_NAME from ${OWN_TABLES} m, pragma_index_list(m.name) i, pragma_index_info(i.name) c`,
};

/** Makes the catalogue's views, which belong to the connection alone. */
export const CREATE_CATALOGUE_VIEWS: string = (Object.keys(VIEWS) as CatalogueView[])
  .map((view) => `create temp view ${CATALOGUE_VIEWS[view]} as ${VIEWS[view]};`)
  .join('\n');

/** True for the name of one of the views. */
export function isCatalogueView(name: string | null): boolean {
  return name !== null && (Object.values(CATALOGUE_VIEWS) as string[]).includes(name);
}

/** The questions that the views ask; SQLite asks them apart, without the name of the view. */
export const CATALOGUE_PRAGMAS: ReadonlySet<string> = new Set(['table_info', 'index_list', 'index_info']);
