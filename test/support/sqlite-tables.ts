/** Tables of a test in an SQLite file of their own, behind the port as a tenant's are. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { SqliteDatabase } from '../../src/adapters/sql/database-sqlite.ts';
import { SchemaCache } from '../../src/adapters/sql/schema-cache.ts';
import { SqlTableStore, targetOver } from '../../src/adapters/sql/table-store.ts';
import { systemClock } from '../../src/adapters/system/system-clock.ts';
import type { ColumnKind } from '../../src/core/column-kind.ts';
import type { Row, TableStore } from '../../src/ports/table-store.ts';

/** A table to start with. `columns` are beside the fixed ones unless `bare`. */
export interface TestTable {
  readonly columns: Readonly<Record<string, ColumnKind>>;
  readonly unique?: readonly string[];
  /** Without the platform's fixed columns. */
  readonly bare?: boolean;
  readonly rows?: readonly Row[];
}

const FIXED: Readonly<Record<string, ColumnKind>> = {
  Id: 'text',
  CreateTime: 'datetime',
  UpdateTime: 'datetime',
  UserId: 'text',
  UserName: 'text',
  IsDeleted: 'integer',
};

const DECLARED: Readonly<Record<ColumnKind, string>> = {
  integer: 'int',
  decimal: 'decimal(18,2)',
  text: 'varchar(255) collate nocase',
  datetime: 'datetime',
  date: 'date',
  time: 'time',
  boolean: 'bit',
  blob: 'blob',
};

let folder: string | undefined;
let files = 0;

function nextFile(): string {
  if (folder === undefined) {
    // In memory where the system has such a place: hundreds of small files would wait for the disk.
    const made = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'v8host-tables-'));
    process.on('exit', () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  files += 1;
  return join(folder, `${files}.db`);
}

export class SqliteTables {
  readonly store: TableStore;
  readonly #outside: DatabaseSync;

  constructor(tables: Readonly<Record<string, TestTable>>) {
    const path = nextFile();
    const database = SqliteDatabase.open(path, systemClock('Asia/Shanghai'));
    this.#outside = new DatabaseSync(path, { timeout: 1_000 });
    for (const [name, table] of Object.entries(tables)) this.#create(name, table);
    this.store = new SqlTableStore(new SchemaCache(database), {
      read: (work) => work(database.scriptReader),
      write: (work) => database.writeAsScript(work),
      allOrNothing: (work) => database.writeTogether((db) => work(targetOver(db, (nested) => nested()))),
    });
  }

  /** Rows as they are stored, in insertion order. */
  rows(table: string): readonly Row[] {
    const select = this.#outside.prepare(`select * from "${table}" order by rowid`, { readBigInts: true });
    return select.all().map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, seen(cell)])));
  }

  #create(name: string, { columns, unique = [], bare = false, rows = [] }: TestTable): void {
    const all = bare ? columns : { ...FIXED, ...columns };
    const parts = Object.entries(all).map(([column, kind]) => `"${column}" ${DECLARED[kind]}`);
    this.#outside.exec(
      `create table "${name}" (${[...parts, ...unique.map((column) => `unique("${column}")`)].join(', ')})`,
    );
    for (const row of rows) {
      const names = Object.keys(row).map((column) => `"${column}"`);
      const insert = this.#outside.prepare(`insert into "${name}" (${names}) values (${names.map(() => '?')})`);
      insert.run(...(Object.values(row) as SQLInputValue[]));
    }
  }
}

/** As scripts see it (defaults.md 7). */
function seen(cell: unknown): Row[string] {
  if (typeof cell !== 'bigint') return cell as Row[string];
  return Number.isSafeInteger(Number(cell)) ? Number(cell) : String(cell);
}
