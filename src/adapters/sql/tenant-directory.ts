import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, coerceError, describeError, orThrow } from '../../core/errors.ts';
import { parseTenantId, tenantKey } from '../../core/tenant.ts';
import type { Log } from '../../ports/log.ts';
import type { TenantDirectory, TenantStatus, TenantStore } from '../../ports/tenant-store.ts';
import { SqliteDatabase } from './database-sqlite.ts';
import { migrate } from './migrate.ts';
import type { RowMaker } from './platform-row.ts';
import { SchemaCache } from './schema-cache.ts';
import { type RegisteredTenant, TenantRegistry } from './tenant-registry.ts';
import { SqlTenantStore } from './tenant-store.ts';

export interface SqliteDirectoryOptions extends RowMaker {
  /** Holds `tenants/{lower tenant}.db`. */
  readonly dataDir: string;
  readonly mainTenant: string;
  readonly log: Log;
  /** Also adds our columns to tables the platform made; see migrate.ts. */
  readonly extend?: boolean;
}

const DATABASE_TYPE = 'Sqlite';

/**
 * Opens the main tenant's file and every enabled tenant registered in it. A child whose file cannot be opened is
 * unavailable, alone. @throws AppError when the main tenant's file cannot be opened.
 */
export async function createSqliteDirectory(options: SqliteDirectoryOptions): Promise<TenantDirectory> {
  const main = orThrow(parseTenantId(options.mainTenant));
  mkdirSync(join(options.dataDir, 'tenants'), { recursive: true, mode: 0o700 });
  const opened = await openTenant(options, main);
  const registry = new TenantRegistry(opened.database, new SchemaCache(opened.database), options);
  const directory = new SqliteTenantDirectory(options, opened.store, registry);
  try {
    await directory.refresh();
    return directory;
  } catch (error: unknown) {
    await directory.close();
    throw error;
  }
}

interface OpenedTenant {
  readonly database: SqliteDatabase;
  readonly store: SqlTenantStore;
}

async function openTenant(options: SqliteDirectoryOptions, tenant: string): Promise<OpenedTenant> {
  const database = SqliteDatabase.open(join(options.dataDir, 'tenants', `${tenantKey(tenant)}.db`));
  try {
    await migrate(database, { extend: options.extend ?? false });
  } catch (error: unknown) {
    await database.close();
    throw error;
  }
  return { database, store: new SqlTenantStore(database, { ...options, tenant }) };
}

class SqliteTenantDirectory implements TenantDirectory {
  readonly #options: SqliteDirectoryOptions;
  readonly #log: Log;
  readonly #main: SqlTenantStore;
  readonly #registry: TenantRegistry;
  /** By lower-case name, the main tenant first. */
  readonly #stores = new Map<string, SqlTenantStore>();
  /** Why a tenant is unavailable, by lower-case name. */
  readonly #reasons = new Map<string, string>();
  #refreshing: Promise<void> | undefined;

  constructor(options: SqliteDirectoryOptions, main: SqlTenantStore, registry: TenantRegistry) {
    this.#options = options;
    this.#log = options.log.child('sql.tenant-directory');
    this.#main = main;
    this.#registry = registry;
    this.#stores.set(tenantKey(main.tenant), main);
  }

  open(): readonly TenantStore[] {
    return [...this.#stores.values()];
  }

  get(tenant: string): TenantStore | undefined {
    const key = tenantKey(tenant);
    const reason = this.#reasons.get(key);
    if (reason !== undefined) throw new AppError('TENANT_UNAVAILABLE', { tenant, reason });
    return this.#stores.get(key);
  }

  async list(): Promise<readonly TenantStatus[]> {
    const children = (await this.#children()).map((row) => this.#statusOf(row));
    return [{ tenant: this.#main.tenant, main: true, state: 'open' }, ...children];
  }

  async add(name: string, databaseUrl: string | undefined): Promise<TenantStore> {
    const tenant = orThrow(parseTenantId(name));
    if (databaseUrl !== undefined) {
      const rule = 'tenants of a SQLite host have their files under dataDir; leave it out';
      throw new AppError('PARAM_INVALID', { field: 'databaseUrl', rule });
    }
    if (await this.#isKnown(tenant)) throw new AppError('TENANT_EXISTS', { tenant });
    await this.#insert(tenant);
    await this.refresh();
    const store = this.get(tenant);
    if (store === undefined) throw new AppError('TENANT_UNKNOWN', { tenant });
    return store;
  }

  /** One pass at a time; a pass that is asked for meanwhile sees what the running one has not. */
  async refresh(): Promise<void> {
    while (this.#refreshing !== undefined) await this.#refreshing.catch(() => undefined);
    this.#refreshing = this.#refreshAll().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  async close(): Promise<void> {
    await this.#refreshing?.catch(() => undefined);
    const stores = [...this.#stores.values()].reverse();
    this.#stores.clear();
    for (const store of stores) await store.close();
  }

  async #refreshAll(): Promise<void> {
    const children = await this.#children();
    const wanted = new Set(children.filter(({ enabled }) => enabled).map(({ tenant }) => tenantKey(tenant)));
    for (const child of children) if (child.enabled) await this.#openChild(child);
    for (const key of this.#reasons.keys()) if (!wanted.has(key)) this.#reasons.delete(key);
    for (const [key, store] of this.#stores) {
      if (store !== this.#main && !wanted.has(key)) await this.#closeChild(key, store);
    }
  }

  async #openChild(child: RegisteredTenant): Promise<void> {
    const key = tenantKey(child.tenant);
    if (this.#stores.has(key)) return;
    try {
      const tenant = orThrow(parseTenantId(child.tenant));
      assertSqlite(child);
      const { store } = await openTenant(this.#options, tenant);
      this.#stores.set(key, store);
      this.#reasons.delete(key);
      this.#log.info('tenant.opened', { tenant });
    } catch (error: unknown) {
      this.#markUnavailable(key, coerceError(error));
    }
  }

  /** Logged once per reason: every reconcile pass tries again. */
  #markUnavailable(key: string, error: AppError): void {
    const reason = describeError(error.toRecord(), 'en');
    if (this.#reasons.get(key) !== reason) this.#log.error('tenant.open_failed', { tenant: key, err: error });
    this.#reasons.set(key, reason);
  }

  async #closeChild(key: string, store: SqlTenantStore): Promise<void> {
    this.#stores.delete(key);
    await store.close();
  }

  async #children(): Promise<readonly RegisteredTenant[]> {
    const mainKey = tenantKey(this.#main.tenant);
    return (await this.#registry.readAll()).filter(({ tenant }) => tenantKey(tenant) !== mainKey);
  }

  async #isKnown(tenant: string): Promise<boolean> {
    const key = tenantKey(tenant);
    if (key === tenantKey(this.#main.tenant)) return true;
    return (await this.#children()).some((child) => tenantKey(child.tenant) === key);
  }

  async #insert(tenant: string): Promise<void> {
    try {
      await this.#registry.insert(tenant, DATABASE_TYPE);
    } catch (error: unknown) {
      const failure = coerceError(error);
      throw failure.code === 'ROW_NOT_UNIQUE' ? new AppError('TENANT_EXISTS', { tenant }) : failure;
    }
  }

  #statusOf({ tenant, enabled }: RegisteredTenant): TenantStatus {
    if (!enabled) return { tenant, main: false, state: 'disabled' };
    const key = tenantKey(tenant);
    if (this.#stores.has(key)) return { tenant, main: false, state: 'open' };
    return { tenant, main: false, state: 'unavailable', reason: this.#reasons.get(key) ?? 'not opened yet' };
  }
}

/** A row of the platform may name another kind of database; opening an empty file instead would look like lost data. */
function assertSqlite({ tenant, databaseType }: RegisteredTenant): void {
  if (databaseType === '' || databaseType.toLowerCase() === DATABASE_TYPE.toLowerCase()) return;
  const reason = `DbType ${databaseType} is not supported by this host, which opens SQLite files only`;
  throw new AppError('TENANT_UNAVAILABLE', { tenant, reason });
}
