import type { SelectQueryBuilder } from 'kysely';
import { AppError, type ErrorRecord } from '../../core/errors.ts';
import type { UnreadableSecrets } from '../../core/sealed-secret.ts';
import { tenantKey } from '../../core/tenant.ts';
import type { TenantSettings } from '../../ports/tenant-store.ts';
import { fixedColumns, isNotDeleted, isSet, onlyColumns, type RowMaker } from './platform-row.ts';
import type { SchemaCache } from './schema-cache.ts';
import type { OpenedRow, SealedSecrets } from './sealed-secrets.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { PlatformRow, SystemDb, SystemTables } from './system-tables.ts';

/** A row of `sys_osclients` as the directory needs it. */
export interface RegisteredTenant {
  readonly tenant: string;
  readonly enabled: boolean;
  /** Kind of database the row asks for; empty for the default. */
  readonly databaseType: string;
  /** `DbConn` of the row. It holds a password: it goes into no log, error or answer. */
  readonly connection: string;
  /** Why the connection cannot be read. */
  readonly refusal?: ErrorRecord | undefined;
}

/** `sys_osclients` in the main tenant's database: who the tenants are. */
export class TenantRegistry {
  readonly #database: SqlDatabase;
  readonly #schema: SchemaCache;
  readonly #maker: RowMaker;
  readonly #secrets: SealedSecrets;

  constructor(secrets: SealedSecrets, schema: SchemaCache, maker: RowMaker) {
    this.#secrets = secrets;
    this.#database = secrets.database;
    this.#schema = schema;
    this.#maker = maker;
  }

  /** Every tenant once: rows whose names differ only in case mean the same tenant, the first one counts. */
  async readAll(): Promise<readonly RegisteredTenant[]> {
    const tenants = new Map<string, RegisteredTenant>();
    for (const { row, unreadable } of await this.#rows()) {
      const tenant = toRegisteredTenant(row, unreadable);
      const key = tenantKey(tenant.tenant);
      if (!tenants.has(key)) tenants.set(key, tenant);
    }
    return [...tenants.values()];
  }

  /** The enabled tenants' rows with every column. */
  async readSettings(): Promise<readonly TenantSettings[]> {
    return enabledSettings(await this.#rows());
  }

  async #rows(): Promise<readonly OpenedRow[]> {
    return this.#secrets.openRows(await registryRows(this.#database.reader));
  }

  /** Runs `work` while no other host does the same to this registry. @throws AppError DB_BUSY. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#database.alone(work);
  }

  /** Changes the row that counts for the tenant. @throws AppError TENANT_UNKNOWN. */
  async saveSettings(tenant: string, values: Readonly<Record<string, string | number>>): Promise<void> {
    const own = (await this.readSettings()).find((entry) => tenantKey(entry.tenant) === tenantKey(tenant));
    if (own === undefined) throw new AppError('TENANT_UNKNOWN', { tenant });
    const { UpdateTime } = fixedColumns(this.#maker);
    await this.#database.write(async (db) => {
      const stored = await this.#secrets.putColumns(db, own.tenant, values);
      await db
        .updateTable('sys_osclients')
        .set({ ...stored, UpdateTime })
        .where('Id', '=', String(own.row.Id ?? ''))
        .execute();
    });
  }

  /** Deletes every row of the tenant, and its secrets. */
  async remove(tenant: string): Promise<void> {
    const key = tenantKey(tenant);
    await this.#database.write(async (db) => {
      const rows = await db.selectFrom('sys_osclients').selectAll().execute();
      for (const row of rows.filter((each) => tenantKey(String(each.OsClient ?? '').trim()) === key)) {
        await db
          .deleteFrom('sys_osclients')
          .where('Id', '=', String(row.Id ?? ''))
          .execute();
      }
      await db.deleteFrom('v8host_secret').where('TenantLower', '=', key).execute();
    });
  }

  /** Writes the tenant's row. @throws AppError ROW_NOT_UNIQUE. */
  async insert({ tenant, databaseType, connection }: Omit<RegisteredTenant, 'enabled'>): Promise<void> {
    const columns = await this.#schema.columnNames('sys_osclients');
    const row = {
      ...fixedColumns(this.#maker),
      OsClient: tenant,
      ClientName: tenant,
      IsEnable: 1,
      DbType: databaseType,
    };
    await this.#database.write(async (db) => {
      const stored = { ...row, ...(await this.#secrets.putColumns(db, tenant, { DbConn: connection })) };
      await db.insertInto('sys_osclients').values(onlyColumns(stored, columns)).execute();
    });
  }
}

/**
 * Rows of `sys_osclients` that are not deleted, in the order in which the first one of a tenant counts.
 * @param narrow which of them, and whether they are locked.
 */
export async function registryRows(
  db: SystemDb,
  narrow: (query: RegistryQuery) => RegistryQuery = (query) => query,
): Promise<readonly PlatformRow[]> {
  const query = narrow(db.selectFrom('sys_osclients').selectAll());
  return (await query.orderBy('OsClient').orderBy('Id').execute()).filter(isNotDeleted);
}

type RegistryQuery = SelectQueryBuilder<SystemTables, 'sys_osclients', PlatformRow>;

/**
 * The one of a tenant's rows that a secret is read from: of all for its database, of the enabled ones for the others.
 * @param rows of one tenant, in the order of `registryRows`. @param name a column that holds a secret.
 */
export function rowThatCounts(rows: readonly PlatformRow[], name: string): PlatformRow | undefined {
  const enabled = name === 'DbConn' ? undefined : rows.find((row) => toRegisteredTenant(row).enabled);
  return enabled ?? rows[0];
}

/** What a row of `sys_osclients` says of its tenant. */
export function toRegisteredTenant(row: PlatformRow, unreadable: UnreadableSecrets = {}): RegisteredTenant {
  const enabled = row.IsEnable;
  return {
    tenant: String(row.OsClient ?? '').trim(),
    enabled: enabled === null || enabled === undefined || isSet(enabled),
    databaseType: String(row.DbType ?? '').trim(),
    connection: String(row.DbConn ?? '').trim(),
    refusal: unreadable.DbConn,
  };
}

/** The enabled ones among rows that are not deleted, as settings. */
export function enabledSettings(rows: readonly OpenedRow[]): readonly TenantSettings[] {
  return rows
    .map(({ row, unreadable }) => ({ registered: toRegisteredTenant(row), row, unreadable }))
    .filter(({ registered }) => registered.enabled)
    .map(({ registered, row, unreadable }) => ({ tenant: registered.tenant, row, unreadable }));
}
