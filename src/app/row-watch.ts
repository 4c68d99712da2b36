import type { SqlValue } from '../core/sql-value.ts';
import type { SqlSession } from '../ports/sql-session.ts';
import type { Filter, Row, TableInfo, TableStore } from '../ports/table-store.ts';

/** What a run did to one table, as rows before and after. */
export interface TableDiff {
  readonly table: string;
  readonly inserted: readonly Row[];
  readonly updated: readonly { readonly before: Row; readonly after: Row; readonly changed: readonly string[] }[];
  readonly deleted: readonly Row[];
  /** False when the table was written to in a way, or in so many rows, that not all of it is shown. */
  readonly complete: boolean;
}

/** Rows of one table that are compared; a run that touches more shows the first of them. */
const MAX_ROWS = 2_000;
/** Keys of one look at rows after the run. */
const KEYS_AT_ONCE = 200;
/** The column that names a row in every table of the platform. */
const ROW_ID = 'Id';

interface Watched {
  readonly table: string;
  readonly idColumn: string | undefined;
  /** By key: the row as the run found it; undefined for a row that the run inserted. */
  readonly before: Map<string, Row | undefined>;
  whole: boolean;
  complete: boolean;
  /** More rows at the end than can be compared, and no Id to look for those of the beginning. */
  grown: boolean;
}

/**
 * Watches the writes of a run inside its transaction. Rows are read before each write and again at the end, through
 * the same transaction: what others commit meanwhile is not taken for the run's doing where the database isolates it.
 */
export class RowWatch {
  readonly tables: TableStore;
  readonly sql: SqlSession;
  readonly #source: TableStore;
  readonly #watched = new Map<string, Watched>();

  constructor(tx: { readonly tables: TableStore; readonly sql: SqlSession }) {
    this.#source = tx.tables;
    this.tables = this.#wrap(tx.tables);
    this.sql = {
      run: async (statement, parameters) => {
        // Its conditions are the script's own: which rows it will hit is known only by looking at all of them.
        if (statement.verb !== 'select') for (const table of statement.tables) await this.#watchAll(tx.tables, table);
        return tx.sql.run(statement, parameters);
      },
    };
  }

  /** What changed so far, table by table; those without a change are left out. */
  async diff(): Promise<readonly TableDiff[]> {
    const diffs: TableDiff[] = [];
    for (const watched of this.#watched.values()) {
      const now = await this.#rowsNow(watched);
      const diff = compare(watched, now);
      const { inserted, updated, deleted, complete } = diff;
      if (inserted.length + updated.length + deleted.length > 0 || !complete) diffs.push(diff);
    }
    return diffs;
  }

  #wrap(store: TableStore): TableStore {
    return {
      describe: (table) => store.describe(table),
      select: (query) => store.select(query),
      count: (filter) => store.count(filter),
      insert: async (table, row) => {
        await this.#watchInsert(store, table, row);
        return store.insert(table, row);
      },
      update: async (filter, values) => {
        await this.#watchMatching(store, filter);
        return store.update(filter, values);
      },
      delete: async (filter) => {
        await this.#watchMatching(store, filter);
        return store.delete(filter);
      },
      allOrNothing: (work) => store.allOrNothing((inner) => work(this.#wrap(inner))),
    };
  }

  async #watchInsert(store: TableStore, table: string, row: Row): Promise<void> {
    const watched = await this.#watch(store, table);
    if (watched === undefined) return;
    const id = watched.idColumn === undefined ? undefined : row[watched.idColumn];
    if (id === undefined || id === null) return this.#watchAll(store, table);
    if (watched.before.has(String(id))) return;
    // The insert may fail because the row is there, and the script then change it.
    const where = [{ glue: 'and', column: watched.idColumn ?? ROW_ID, operator: 'eq', value: id } as const];
    const [found] = await readRows(store, { table, where, includeDeleted: true });
    watched.before.set(String(id), found);
  }

  async #watchMatching(store: TableStore, filter: Filter): Promise<void> {
    const watched = await this.#watch(store, filter.table);
    if (watched === undefined || watched.whole) return;
    if (watched.idColumn === undefined) return this.#watchAll(store, filter.table);
    this.#keep(watched, await readRows(store, filter));
  }

  async #watchAll(store: TableStore, table: string): Promise<void> {
    const watched = await this.#watch(store, table);
    if (watched === undefined || watched.whole) return;
    const rows = await readRows(store, { table: watched.table, where: [], includeDeleted: true });
    this.#keep(watched, rows);
    watched.whole = rows.length <= MAX_ROWS;
  }

  #keep(watched: Watched, rows: readonly Row[]): void {
    if (rows.length > MAX_ROWS) watched.complete = false;
    for (const [key, row] of keyed(watched, rows.slice(0, MAX_ROWS))) {
      if (!watched.before.has(key)) watched.before.set(key, row);
    }
  }

  async #watch(store: TableStore, table: string): Promise<Watched | undefined> {
    const known = this.#watched.get(table.toLowerCase());
    if (known !== undefined) return known;
    const info = await store.describe(table);
    if (info === undefined) return undefined;
    const watched = {
      table: info.name,
      idColumn: idColumnOf(info),
      before: new Map(),
      whole: false,
      complete: true,
      grown: false,
    };
    this.#watched.set(table.toLowerCase(), watched);
    return watched;
  }

  async #rowsNow(watched: Watched): Promise<ReadonlyMap<string, Row>> {
    const { table, idColumn, before, whole } = watched;
    const rows: Row[] = [];
    if (whole || idColumn === undefined) {
      rows.push(...(await readRows(this.#source, { table, where: [], includeDeleted: true })));
      if (rows.length <= MAX_ROWS) return keyed(watched, rows);
      // The table has grown beyond what is read at once: which rows are left out is chance.
      watched.complete = false;
      if (idColumn === undefined) watched.grown = true;
    }
    const keys = idColumn === undefined ? [] : [...before.keys()];
    for (let i = 0; i < keys.length; i += KEYS_AT_ONCE) {
      const value = keys.slice(i, i + KEYS_AT_ONCE);
      const where = [{ glue: 'and', column: idColumn ?? ROW_ID, operator: 'in', value } as const];
      rows.push(...(await readRows(this.#source, { table, where, includeDeleted: true })));
    }
    return keyed(watched, rows);
  }
}

function idColumnOf({ columns }: TableInfo): string | undefined {
  return columns.find(({ name }) => name.toLowerCase() === ROW_ID.toLowerCase())?.name;
}

/** One row more than is compared tells that there are more. */
function readRows(store: TableStore, filter: Filter): Promise<readonly Row[]> {
  return store.select({ ...filter, columns: [], sort: [], limit: MAX_ROWS + 1, offset: 0 });
}

/** Rows by their Id; rows without one by their content and how often it occurs. */
function keyed({ idColumn }: Watched, rows: readonly Row[]): ReadonlyMap<string, Row> {
  const byKey = new Map<string, Row>();
  for (const row of rows) {
    const content = idColumn === undefined ? JSON.stringify(row) : String(row[idColumn]);
    let key = content;
    for (let copy = 2; idColumn === undefined && byKey.has(key); copy++) key = `${content}#${copy}`;
    byKey.set(key, row);
  }
  return byKey;
}

function compare({ table, before, whole, complete, grown }: Watched, now: ReadonlyMap<string, Row>): TableDiff {
  const inserted: Row[] = [];
  const updated: { before: Row; after: Row; changed: string[] }[] = [];
  const deleted: Row[] = [];
  for (const [key, old] of before) {
    const row = now.get(key);
    if (old === undefined && row !== undefined) inserted.push(row);
    if (old === undefined || row === undefined) {
      if (old !== undefined && !grown) deleted.push(old);
      continue;
    }
    const changed = Object.keys(row).filter((column) => !isSame(old[column], row[column]));
    if (changed.length > 0) updated.push({ before: old, after: row, changed });
  }
  if (whole) for (const [key, row] of now) if (!before.has(key)) inserted.push(row);
  return { table, inserted, updated, deleted, complete };
}

function isSame(one: SqlValue | undefined, other: SqlValue | undefined): boolean {
  return (one ?? null) === (other ?? null);
}
