import { CATALOGUE_VIEWS, type CatalogueView } from '../../core/sql-catalogue.ts';
import { isName, type SqlToken } from '../../core/sql-tokens.ts';

/** The tenant's own tables, without those that are hidden from scripts (core/protected-tables.ts). */
const OWN =
  "TABLE_SCHEMA = database() and TABLE_NAME not like 'mq\\_%'" +
  " and TABLE_NAME not in ('schema_migration', 'sys_osclients')";

const COLUMNS: Readonly<Record<CatalogueView, string>> = {
  tables: 'TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, TABLE_ROWS, TABLE_COMMENT',
  columns:
    'TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, ORDINAL_POSITION,' +
    " nullif(COLUMN_DEFAULT, 'NULL') as COLUMN_DEFAULT, IS_NULLABLE, DATA_TYPE," +
    ' CHARACTER_MAXIMUM_LENGTH, COLUMN_TYPE, COLUMN_KEY, EXTRA, COLUMN_COMMENT',
  statistics: 'TABLE_SCHEMA, TABLE_NAME, NON_UNIQUE, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME',
};

/** Words that may follow a table and are no name for it. */
const NO_ALIAS: ReadonlySet<string> = new Set(
  'where order group having limit join left right inner cross natural straight_join on union for lock use force ignore'.split(
    ' ',
  ),
);

/** A script's statement with what it reads of the catalogue confined to the tenant's own tables. */
export function confineCatalogue(tokens: readonly SqlToken[]): readonly SqlToken[] {
  return tokens.flatMap((token, at) => {
    const view = viewOf(token);
    if (view === undefined || tokens[at - 1]?.value === '.' || tokens[at + 1]?.value === '.') return [token];
    const next = tokens[at + 1];
    const isNamed = isName(next) && !(next?.kind === 'word' && NO_ALIAS.has(next.value));
    const text = `(select ${COLUMNS[view]} from information_schema.${view} where ${OWN})`;
    return [{ ...token, text: isNamed ? text : `${text} as ${token.value}` }];
  });
}

function viewOf({ kind, value }: SqlToken): CatalogueView | undefined {
  if (kind !== 'word') return undefined;
  return (Object.keys(CATALOGUE_VIEWS) as CatalogueView[]).find((view) => CATALOGUE_VIEWS[view] === value);
}
