import { AppError } from '../../core/errors.ts';
import { tenantKey } from '../../core/tenant.ts';
import type { TenantSettings } from '../../ports/tenant-store.ts';
import { fixedColumns, isNotDeleted, isSet, onlyColumns, type RowMaker } from './platform-row.ts';
import type { SchemaCache } from './schema-cache.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { PlatformRow } from './system-tables.ts';

/** A row of `sys_osclients` as the directory needs it. */
export interface RegisteredTenant {
  readonly tenant: string;
  readonly enabled: boolean;
  /** Kind of database the row asks for; empty for the default. */
  readonly databaseType: string;
  /** `DbConn` of the row. It holds a password: it goes into no log, error or answer. */
  readonly connection: string;
}

/** `sys_osclients` in the main tenant's database: who the tenants are. */
export class TenantRegistry {
  readonly #database: SqlDatabase;
  readonly #schema: SchemaCache;
  readonly #maker: RowMaker;

  constructor(database: SqlDatabase, schema: SchemaCache, maker: RowMaker) {
    this.#database = database;
    this.#schema = schema;
    this.#maker = maker;
  }

  /** Every tenant once: rows whose names differ only in case mean the same tenant, the first one counts. */
  async readAll(): Promise<readonly RegisteredTenant[]> {
    const rows = await this.#database.reader.selectFrom('sys_osclients').selectAll().orderBy('OsClient').execute();
    const tenants = new Map<string, RegisteredTenant>();
    for (const row of rows.filter(isNotDeleted)) {
      const tenant = toRegisteredTenant(row);
      const key = tenantKey(tenant.tenant);
      if (!tenants.has(key)) tenants.set(key, tenant);
    }
    return [...tenants.values()];
  }

  /** The enabled tenants' rows with every column. */
  async readSettings(): Promise<readonly TenantSettings[]> {
    const rows = await this.#database.reader.selectFrom('sys_osclients').selectAll().orderBy('OsClient').execute();
    return rows
      .filter(isNotDeleted)
      .filter((row) => toRegisteredTenant(row).enabled)
      .map((row) => ({ tenant: toRegisteredTenant(row).tenant, row }));
  }

  /** Changes the row that counts for the tenant. @throws AppError TENANT_UNKNOWN. */
  async saveSettings(tenant: string, values: Readonly<Record<string, string>>): Promise<void> {
    const own = (await this.readSettings()).find((entry) => tenantKey(entry.tenant) === tenantKey(tenant));
    if (own === undefined) throw new AppError('TENANT_UNKNOWN', { tenant });
    const { UpdateTime } = fixedColumns(this.#maker);
    await this.#database.write((db) =>
      db
        .updateTable('sys_osclients')
        .set({ ...values, UpdateTime })
        .where('Id', '=', String(own.row.Id ?? ''))
        .execute(),
    );
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
      ...(connection === '' ? {} : { DbConn: connection }),
    };
    await this.#database.write((db) => db.insertInto('sys_osclients').values(onlyColumns(row, columns)).execute());
  }
}

function toRegisteredTenant(row: PlatformRow): RegisteredTenant {
  const enabled = row.IsEnable;
  return {
    tenant: String(row.OsClient ?? '').trim(),
    enabled: enabled === null || enabled === undefined || isSet(enabled),
    databaseType: String(row.DbType ?? '').trim(),
    connection: String(row.DbConn ?? '').trim(),
  };
}
