import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bilingual } from '../../core/bilingual.ts';
import { AppError, coerceError, orThrow } from '../../core/errors.ts';
import { type ExtraDatabaseRow, fileOfDatabase, isDatabaseKey, kindOfDatabase } from '../../core/extra-database.ts';
import { tenantKey } from '../../core/tenant.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ExtraDatabase, ExtraDatabases, HeldDatabase } from '../../ports/extra-databases.ts';
import type { Log } from '../../ports/log.ts';
import type { ServerGuard } from '../../ports/server-guard.ts';
import type { TenantStore } from '../../ports/tenant-store.ts';
import { MysqlAddress } from './address-mysql.ts';
import { autoCommitted } from './auto-committed.ts';
import { MysqlDatabase, type PoolSizes } from './database-mysql.ts';
import { SqliteDatabase } from './database-sqlite.ts';
import { SqlScriptSession } from './script-session.ts';
import type { SqlDatabase } from './sql-database.ts';
import { targetOver } from './table-store.ts';
import { assertApart, type Neighbour } from './tenant-isolation.ts';

export interface ExtraDatabasesOptions {
  /** Holds `databases/{lower tenant}/{name}.db`. */
  readonly dataDir: string;
  readonly clock: Clock;
  /** IANA name. */
  readonly timeZone: string;
  readonly log: Log;
  readonly guard: ServerGuard;
  /** Every tenant on a server: no database of another tenant is opened for one. */
  readonly neighbours: () => Promise<readonly Neighbour[]>;
}

/** Rows are believed so long: a changed connection counts after it. Milliseconds. */
const ROWS_MS = 5_000;
const MAX_DATABASES = 20;
/** SQLite files of a tenant: a name that a script makes up opens no further one. */
const MAX_FILES = 50;
const TOO_MANY_FILES = bilingual(
  `SQLite 文件最多 ${MAX_FILES} 个：使用已有的名字，或请运维删除不用的文件`,
  `there are ${MAX_FILES} SQLite files: use one of their names, or let the operator remove those that nobody needs`,
);
const POOLS: PoolSizes = { runs: 3, scripts: 3, system: 2 };
/** The same patience as for the tenant's own writer and connections. */
const BEGIN_WAIT_MS = 3_000;

interface Opened {
  readonly store: TenantStore;
  readonly signature: string;
  readonly database: Promise<SqlDatabase>;
  /** Runs that use it. */
  users: number;
  /** No row names it any more: it closes when nobody uses it. */
  isRetired: boolean;
}

/** The databases of `microi_database`, opened at their first use. */
export class SqlExtraDatabases implements ExtraDatabases {
  readonly #options: ExtraDatabasesOptions;
  readonly #log: Log;
  readonly #rows = new Map<string, { readonly at: number; readonly rows: Promise<readonly ExtraDatabaseRow[]> }>();
  /** By tenant and key, both in lower case. */
  readonly #opened = new Map<string, Opened>();
  /** Retired ones that are in use or being closed. */
  readonly #leaving = new Set<Opened>();
  #closed = false;

  constructor(options: ExtraDatabasesOptions) {
    this.#options = options;
    this.#log = options.log.child('sql.extra-databases');
  }

  async keys(store: TenantStore): Promise<readonly string[]> {
    return (await this.#rowsOf(store)).map(({ key }) => key);
  }

  async get(store: TenantStore, key: string): Promise<HeldDatabase> {
    const row = (await this.#rowsOf(store)).find((each) => each.key.toLowerCase() === key.toLowerCase());
    if (row === undefined) throw new AppError('DBS_UNKNOWN', { key: key.slice(0, 60) });
    const opened = this.#openOnce(store, row);
    opened.users += 1;
    let isHeld = true;
    const close = async (): Promise<void> => {
      if (!isHeld) return;
      isHeld = false;
      opened.users -= 1;
      this.#closeUnused(opened);
    };
    try {
      return { ...toExtraDatabase(await opened.database), close };
    } catch (error: unknown) {
      await close();
      throw error;
    }
  }

  async open(store: TenantStore, type: string, connection: string): Promise<HeldDatabase> {
    const row = { key: 'Open', type, connection };
    const database = await this.#openPlace(store, row, true).catch((e) => this.#refuse(store, row, e));
    return { ...toExtraDatabase(database), close: () => database.close() };
  }

  async refresh(): Promise<void> {
    const stores = new Set([...this.#opened.values()].map(({ store }) => store));
    for (const store of stores) {
      // What cannot be read says nothing about what is there.
      const rows = await this.#rowsOf(store).catch(() => undefined);
      if (rows !== undefined) this.#retireOthers(store, rows);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const opened = [...this.#opened.values(), ...this.#leaving];
    this.#opened.clear();
    this.#leaving.clear();
    await Promise.all(opened.map(({ database }) => closeQuietly(database)));
  }

  #retireOthers(store: TenantStore, rows: readonly ExtraDatabaseRow[]): void {
    const named = new Map(rows.map((row) => [nameOf(store, row), signatureOf(row)]));
    for (const [name, opened] of this.#opened) {
      if (opened.store === store && named.get(name) !== opened.signature) this.#retire(name, opened);
    }
  }

  /** The runs that use it end with it. */
  #retire(name: string, opened: Opened): void {
    if (this.#opened.get(name) === opened) this.#opened.delete(name);
    opened.isRetired = true;
    this.#leaving.add(opened);
    this.#closeUnused(opened);
  }

  #closeUnused(opened: Opened): void {
    if (!opened.isRetired || opened.users > 0) return;
    // Nobody is left whom a failure would concern: the server ends what it has of them.
    void closeQuietly(opened.database)
      .catch(() => undefined)
      .finally(() => this.#leaving.delete(opened));
  }

  #rowsOf(store: TenantStore): Promise<readonly ExtraDatabaseRow[]> {
    const key = tenantKey(store.tenant);
    const now = this.#options.clock.now();
    const known = this.#rows.get(key);
    if (known !== undefined && now - known.at < ROWS_MS) return known.rows;
    const rows = store
      .extraDatabases()
      .then((all) => all.filter((row) => isDatabaseKey(row.key)).slice(0, MAX_DATABASES));
    this.#rows.set(key, { at: now, rows });
    rows.catch(() => this.#rows.delete(key));
    return rows;
  }

  /** Those who ask at the same time share one opening; a row that changed leads to another database. */
  #openOnce(store: TenantStore, row: ExtraDatabaseRow): Opened {
    if (this.#closed) throw new AppError('DBS_UNAVAILABLE', { key: row.key });
    const name = nameOf(store, row);
    const signature = signatureOf(row);
    const known = this.#opened.get(name);
    if (known?.signature === signature) return known;
    if (known !== undefined) this.#retire(name, known);
    const database = this.#openPlace(store, row, false).catch((e) => this.#refuse(store, row, e));
    const opened: Opened = { store, signature, database, users: 0, isRetired: false };
    this.#opened.set(name, opened);
    database.catch(() => {
      if (this.#opened.get(name) === opened) this.#opened.delete(name);
    });
    return opened;
  }

  async #openPlace(store: TenantStore, row: ExtraDatabaseRow, mustBeListed: boolean): Promise<SqlDatabase> {
    if (orThrow(kindOfDatabase(row)) === 'sqlite') return this.#openFile(store, row);
    const { guard, timeZone } = this.#options;
    const address = MysqlAddress.parse(row.connection);
    const { host, port } = address;
    if (mustBeListed && !guard.isListed(store.tenant, host, port)) throw new AppError('DBS_DENIED', { key: row.key });
    const routed = address.via(() => guard.addressOf(store.tenant, host, port));
    const database = await MysqlDatabase.open(routed, { pools: POOLS, timeZone });
    try {
      await assertApart(
        store.tenant,
        { place: { kind: 'mysql', address }, database },
        await this.#options.neighbours(),
      );
      return database;
    } catch (error: unknown) {
      await database.close();
      throw error;
    }
  }

  #openFile(store: TenantStore, row: ExtraDatabaseRow): SqlDatabase {
    const name = orThrow(fileOfDatabase(row));
    const folder = join(this.#options.dataDir, 'databases', tenantKey(store.tenant));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${name}.db`);
    if (!existsSync(file) && readdirSync(folder).filter((name) => name.endsWith('.db')).length >= MAX_FILES) {
      throw new AppError('DBS_INVALID', { key: row.key, rule: TOO_MANY_FILES });
    }
    return SqliteDatabase.open(file, this.#options.clock);
  }

  /** Scripts are told what they can change; where the database is and who opens it is for the operator. */
  #refuse({ tenant }: TenantStore, { key }: ExtraDatabaseRow, thrown: unknown): never {
    const error = coerceError(thrown);
    this.#log.warn('database.extra_refused', { tenant, key, code: error.code, err: error });
    if (error.code === 'DBS_INVALID' || error.code === 'DBS_DENIED') throw error;
    if (error.code === 'DB_URL_INVALID') throw new AppError('DBS_INVALID', { key, rule: String(error.params.rule) });
    const isDenied = error.code === 'HTTP_TARGET_DENIED' || error.code === 'DB_SHARED';
    throw new AppError(isDenied ? 'DBS_DENIED' : 'DBS_UNAVAILABLE', { key });
  }
}

function nameOf({ tenant }: TenantStore, { key }: ExtraDatabaseRow): string {
  return `${tenantKey(tenant)} ${key.toLowerCase()}`;
}

function signatureOf({ type, connection }: ExtraDatabaseRow): string {
  return `${type}\n${connection}`;
}

function toExtraDatabase(database: SqlDatabase): ExtraDatabase {
  return {
    sql: new SqlScriptSession(database.dialect, autoCommitted(database, 'full')),
    async begin() {
      const tx = await database.begin(BEGIN_WAIT_MS);
      const target = targetOver(tx.script, (work) => tx.allOrNothing(work));
      return {
        sql: new SqlScriptSession(database.dialect, target),
        commit: async () => void (await tx.commit()),
        abort: () => tx.abort(),
      };
    },
  };
}

async function closeQuietly(database: Promise<SqlDatabase>): Promise<void> {
  const opened = await database.catch(() => undefined);
  await opened?.close();
}
