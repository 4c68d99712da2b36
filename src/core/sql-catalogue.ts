/**
 * What a script asks about its tables: `SHOW COLUMNS`, `DESCRIBE` and the parts of `information_schema` that scripts
 * use. All of it becomes a SELECT from one of CATALOGUE_VIEWS, which each database fills with the tenant's own tables.
 */
import { tableAccess } from './protected-tables.ts';
import { isName, type SqlToken, tokenizeSql } from './sql-tokens.ts';

/** What scripts may read of `information_schema`, and under which name a statement reaches it. */
export const CATALOGUE_VIEWS = {
  tables: 'information_schema_tables',
  columns: 'information_schema_columns',
  statistics: 'information_schema_statistics',
} as const;

/** A part of the catalogue. */
export type CatalogueView = keyof typeof CATALOGUE_VIEWS;

const SHOWN_COLUMNS =
  'select Field, Type, `Null`, `Key`, `Default`, Extra from (select COLUMN_NAME as Field, COLUMN_TYPE as Type,' +
  ' IS_NULLABLE as `Null`, COLUMN_KEY as `Key`, COLUMN_DEFAULT as `Default`, EXTRA as Extra, ORDINAL_POSITION as Position' +
  ' from information_schema_columns where TABLE_NAME = @table) as shown @filter order by Position';

const SHOWN_TABLES =
  'select Name from (select TABLE_NAME as Name from information_schema_tables) as shown @filter order by Name';

const SHOWN_INDEXES =
  'select TABLE_NAME as `Table`, NON_UNIQUE as Non_unique, INDEX_NAME as Key_name, SEQ_IN_INDEX as Seq_in_index,' +
  ' COLUMN_NAME as Column_name from information_schema_statistics where TABLE_NAME = @table' +
  ' order by INDEX_NAME, SEQ_IN_INDEX';

/** A statement about tables as a SELECT; every other one as it is. */
export function withCatalogue(tokens: readonly SqlToken[]): readonly SqlToken[] {
  return viewNames(spelledOut(tokens) ?? tokens);
}

function spelledOut(tokens: readonly SqlToken[]): readonly SqlToken[] | undefined {
  const [verb, ...rest] = tokens;
  if (isWord(verb, 'desc', 'describe')) return showColumns(rest[0], describedColumn(rest.slice(1)));
  if (!isWord(verb, 'show')) return undefined;
  const [what, ...more] = isWord(rest[0], 'full') ? rest.slice(1) : rest;
  if (isWord(what, 'tables')) return filled(SHOWN_TABLES, undefined, filterOf(more, 'Name'));
  const [from, table, ...tail] = more;
  if (!isWord(from, 'from', 'in') || !isName(table)) return undefined;
  if (isWord(what, 'columns', 'fields')) return showColumns(table, filterOf(tail, 'Field'));
  return isWord(what, 'index', 'indexes', 'keys') && tail.length === 0 ? filled(SHOWN_INDEXES, table, []) : undefined;
}

function showColumns(table: SqlToken | undefined, filter: readonly SqlToken[] | undefined) {
  return isName(table) ? filled(SHOWN_COLUMNS, table, filter) : undefined;
}

/** `DESCRIBE t`, `DESCRIBE t column`, `DESCRIBE t 'pattern'`. */
function describedColumn(tail: readonly SqlToken[]): readonly SqlToken[] | undefined {
  const [column, ...more] = tail;
  if (column === undefined) return [];
  if (more.length > 0 || column.kind === 'symbol') return undefined;
  return filterOf([word('like'), column.kind === 'string' ? column : text(column.value)], 'Field');
}

/** `LIKE 'a%'` or `WHERE …`, over what is shown. */
function filterOf(tail: readonly SqlToken[], column: string): readonly SqlToken[] | undefined {
  if (tail.length === 0 || isWord(tail[0], 'where')) return tail;
  return isWord(tail[0], 'like') && tail.length === 2 ? [word('where'), word(column), ...tail] : undefined;
}

function filled(
  statement: string,
  table: SqlToken | undefined,
  filter: readonly SqlToken[] | undefined,
): readonly SqlToken[] | undefined {
  const read = tokenizeSql(statement);
  if (!read.ok || filter === undefined || tableAccess(table?.value ?? '') === 'hidden') return undefined;
  return read.value.flatMap((token) => {
    if (token.kind !== 'parameter') return [token];
    return token.value === 'filter' ? filter : [text(table?.value ?? '')];
  });
}

/** `information_schema.columns`, in any way of writing it, by the name of its view. */
function viewNames(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const named: SqlToken[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const [schema, dot, view] = tokens.slice(at, at + 3);
    const name = isSchema(schema) && dot?.value === '.' && isName(view) ? viewName(view) : undefined;
    named.push(name === undefined ? (schema as SqlToken) : { ...word(name), gap: schema?.gap ?? true });
    if (name !== undefined) at += 2;
  }
  return named;
}

function isSchema(token: SqlToken | undefined): boolean {
  return isName(token) && token?.value.toLowerCase() === 'information_schema';
}

function viewName(view: SqlToken | undefined): string | undefined {
  const key = view?.value.toLowerCase() ?? '';
  return Object.hasOwn(CATALOGUE_VIEWS, key) ? CATALOGUE_VIEWS[key as CatalogueView] : undefined;
}

function isWord(token: SqlToken | undefined, ...values: readonly string[]): boolean {
  return token?.kind === 'word' && values.includes(token.value);
}

function word(name: string): SqlToken {
  return { kind: 'word', text: name, value: name.toLowerCase(), gap: true };
}

function text(value: string): SqlToken {
  const written = value.replaceAll('\\', '\\\\').replaceAll("'", "''");
  return { kind: 'string', text: `'${written}'`, value, gap: true };
}
