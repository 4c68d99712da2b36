/** What the platform's designer stored about a table, where its table `diy_table` is there (defaults.md 10.2). */
import type { Row, TableInfo, TableStore } from '../ports/table-store.ts';

const SETTINGS_TABLE = 'diy_table';

/** Settings of a table that change what FormEngine does. */
export interface TableSettings {
  /** Deleting marks rows as deleted instead of removing them (v8-surface.md 2.6). */
  readonly trash: boolean;
  /** Undefined where nobody said. */
  readonly tree: boolean | undefined;
  /** Column with the Id of the row above. */
  readonly parentColumn: string | undefined;
  /** The designer's row itself: `V8.TableModel` of events, and where their code is. */
  readonly model: Row;
}

const NOTHING_SET: TableSettings = Object.freeze({ trash: false, tree: undefined, parentColumn: undefined, model: {} });

export async function readSettings(store: TableStore, table: TableInfo): Promise<TableSettings> {
  const row = await findSettings(store, 'Name', table.name);
  if (row === undefined) return NOTHING_SET;
  const parent = textOf(row, 'TreeParentField');
  return {
    trash: isSet(row, 'EnableTrash') && table.columns.some(({ name }) => name === 'IsDeleted'),
    tree: isSet(row, 'IsTree'),
    parentColumn: parent === '' ? undefined : parent,
    model: row,
  };
}

/** The table whose row in `diy_table` has this Id. Undefined when there is none, or scripts must not see it. */
export async function tableOfId(store: TableStore, id: string): Promise<TableInfo | undefined> {
  const row = await findSettings(store, 'Id', id);
  return row === undefined ? undefined : store.describe(textOf(row, 'Name'));
}

async function findSettings(store: TableStore, column: 'Name' | 'Id', value: string): Promise<Row | undefined> {
  const settings = await store.describe(SETTINGS_TABLE);
  if (settings === undefined || !settings.columns.some(({ name }) => name === column)) return undefined;
  const [row] = await store.select({
    table: settings.name,
    columns: [],
    where: [{ glue: 'and', column, operator: 'eq', value }],
    includeDeleted: false,
    sort: [],
    limit: 1,
    offset: 0,
  });
  return row;
}

/** A cell as text, blank where there is none. */
export function textOf(row: Row, column: string): string {
  const value = row[column];
  return value === undefined || value === null ? '' : String(value).trim();
}

/** A cell read as a switch. */
export function isSet(row: Row, column: string): boolean {
  return ['1', 'true'].includes(textOf(row, column).toLowerCase());
}
