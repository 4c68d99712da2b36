import { orThrow } from '../core/errors.ts';
import { guardSql } from '../core/sql-guard.ts';
import type { TableInfo } from '../ports/table-store.ts';
import type { TenantStore } from '../ports/tenant-store.ts';

/** In MySQL's dialect; the adapter confines it to what a script of the tenant may see. */
const NAMES = orThrow(guardSql('select TABLE_NAME as Name from information_schema.tables order by TABLE_NAME'));

/**
 * Tables and views that scripts of the tenant can name, with their columns, in the order of their names. Those that are
 * hidden from scripts (core/protected-tables.ts) are not among them.
 */
export async function readSchema(store: Pick<TenantStore, 'sql' | 'tables'>): Promise<readonly TableInfo[]> {
  const { rows } = await store.sql.run(NAMES, new Map());
  const tables: TableInfo[] = [];
  for (const { Name } of rows) {
    const table = await store.tables.describe(String(Name));
    if (table !== undefined) tables.push(table);
  }
  return tables;
}
