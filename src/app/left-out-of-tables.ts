import type { LeftOut } from '../ports/push.ts';
import type { TableInfo, TableStore } from '../ports/table-store.ts';
import type { TableDefinition } from '../ports/tenant-store.ts';

/**
 * What of `tables.json` a push does not bring about, because a push never changes a table that is there: fields that
 * such a table lacks, and rows that it does not have. A row is known by its unique fields, else by everything that the
 * file says of it; deleted ones count as there.
 * @returns only tables of which something is left out. @throws AppError DB_BUSY, DB_UNAVAILABLE.
 */
export async function leftOutOfTables(
  store: Pick<TableStore, 'describe' | 'count'>,
  definitions: readonly TableDefinition[],
): Promise<readonly LeftOut[]> {
  const found: LeftOut[] = [];
  for (const definition of definitions) {
    const table = await store.describe(definition.name);
    if (table === undefined) continue;
    const columns = new Set(table.columns.map(({ name }) => name.toLowerCase()));
    const fields = definition.fields.map(({ name }) => name).filter((name) => !columns.has(name.toLowerCase()));
    const rows = await missingRows(store, table, definition, fields);
    if (fields.length + rows.length > 0) found.push({ table: definition.name, fields, rows });
  }
  return found;
}

/** Positions in `Rows`, from 0. */
async function missingRows(
  store: Pick<TableStore, 'count'>,
  { name }: TableInfo,
  { fields, rows }: TableDefinition,
  lacking: readonly string[],
): Promise<number[]> {
  const unique = fields.filter((field) => field.unique).map((field) => field.name);
  const missing: number[] = [];
  for (const [index, row] of rows.entries()) {
    const said = Object.keys(row).filter((column) => row[column] !== null);
    const keys = said.filter((column) => unique.includes(column));
    const known = keys.length > 0 ? keys : said;
    const isThere =
      !known.some((column) => lacking.includes(column)) &&
      (await store.count({ table: name, where: known.map((column) => equal(column, row)), includeDeleted: true })) > 0;
    if (!isThere) missing.push(index);
  }
  return missing;
}

function equal(column: string, row: TableDefinition['rows'][number]) {
  return { glue: 'and', column, operator: 'eq', value: row[column] ?? null } as const;
}
