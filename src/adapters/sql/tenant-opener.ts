import { join } from 'node:path';
import { bilingual } from '../../core/bilingual.ts';
import { AppError, coerceError } from '../../core/errors.ts';
import type { NoteProgress } from '../../core/progress.ts';
import { tenantKey } from '../../core/tenant.ts';
import type { Log } from '../../ports/log.ts';
import type { SecretBox } from '../../ports/secret-box.ts';
import { MysqlAddress } from './address-mysql.ts';
import { MysqlDatabase, type PoolSizes } from './database-mysql.ts';
import { SqliteDatabase } from './database-sqlite.ts';
import { isPrivilegeFailure } from './errors-mysql.ts';
import { migrate } from './migrate.ts';
import type { RowMaker } from './platform-row.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { RegisteredTenant } from './tenant-registry.ts';
import { SqlTenantStore } from './tenant-store.ts';
import { touchSchemaRow } from './touch-schema.ts';

/** Where a tenant's rows are. */
export type TenantPlace =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'mysql'; readonly address: MysqlAddress };

export interface OpenerOptions extends RowMaker {
  /** Holds `tenants/{lower tenant}.db`. */
  readonly dataDir: string;
  readonly log: Log;
  readonly pools: PoolSizes;
  /** IANA name. */
  readonly timeZone: string;
  /** Also adds our columns to tables the platform made; see migrate.ts. */
  readonly extend: boolean;
  /** Told after each step of a schema and each tenant. */
  readonly note?: NoteProgress | undefined;
  /** Absent: secrets are stored as they are. */
  readonly box?: SecretBox | undefined;
}

export interface OpenTenant {
  readonly place: TenantPlace;
  readonly database: SqlDatabase;
  readonly store: SqlTenantStore;
}

/** `DbType` of rows that this host writes. */
export const DATABASE_TYPES: Readonly<Record<TenantPlace['kind'], string>> = { sqlite: 'Sqlite', mysql: 'MySql' };

/** The file of a tenant that has no server. */
export function filePlace(dataDir: string, tenant: string): TenantPlace {
  return { kind: 'sqlite', path: tenantFile(dataDir, tenant) };
}

export function tenantFile(dataDir: string, tenant: string): string {
  return join(dataDir, 'tenants', `${tenantKey(tenant)}.db`);
}

/**
 * Where a row of the registry says the tenant is. A row without kind and connection means a file, unless the main
 * tenant is on a server: an empty file would then look like lost data.
 * @throws AppError TENANT_UNAVAILABLE, DB_URL_INVALID, SECRET_KEY_MISSING, SECRET_DAMAGED.
 */
export function placeOf(row: RegisteredTenant, dataDir: string, mainKind: TenantPlace['kind']): TenantPlace {
  // A connection that cannot be read is no empty one, which might mean a file.
  if (row.refusal !== undefined) throw new AppError(row.refusal.code, row.refusal.params);
  switch (kindOf(row, mainKind)) {
    case 'sqlite':
      return filePlace(dataDir, row.tenant);
    case 'mysql':
      if (row.connection !== '') return { kind: 'mysql', address: MysqlAddress.parse(row.connection) };
      throw unavailable(row, 'DbConn 为空：MySql 需要连接串', 'DbConn is empty, and MySql needs a connection string');
    default:
      throw unavailable(
        row,
        `不支持 DbType ${row.databaseType}，只支持 MySql 和 Sqlite`,
        `DbType ${row.databaseType} is not supported, only MySql and Sqlite are`,
      );
  }
}

function kindOf({ databaseType, connection }: RegisteredTenant, mainKind: TenantPlace['kind']) {
  const type = databaseType.toLowerCase();
  if (type === 'mysql' || type === 'mariadb') return 'mysql';
  if (type === 'sqlite') return 'sqlite';
  if (type !== '') return undefined;
  return connection === '' ? mainKind : 'mysql';
}

function unavailable({ tenant }: RegisteredTenant, zh: string, en: string): AppError {
  return new AppError('TENANT_UNAVAILABLE', { tenant, reason: bilingual(zh, en) });
}

/** True when nothing has to be opened again. */
export function isSamePlace(one: TenantPlace, other: TenantPlace): boolean {
  if (one.kind === 'mysql') return other.kind === 'mysql' && one.address.equals(other.address);
  return other.kind === 'sqlite' && one.path === other.path;
}

/**
 * Opens a tenant's database and brings its schema up to date.
 * @throws AppError of `MysqlDatabase.open`, DB_PRIVILEGES, SCHEMA_NEWER, DB_UNAVAILABLE, DB_BUSY.
 */
export async function openTenant(options: OpenerOptions, tenant: string, place: TenantPlace): Promise<OpenTenant> {
  const database = await openDatabase(options, tenant, place);
  try {
    const note: NoteProgress = (progress) => options.note?.({ ...progress, subject: `${tenant} ${progress.subject}` });
    await migrate(database, { extend: options.extend, note });
    if (place.kind === 'mysql') await database.write(touchSchemaRow);
  } catch (error: unknown) {
    await database.close();
    throw asPrivilege(coerceError(error), place);
  }
  return { place, database, store: new SqlTenantStore(database, { ...options, tenant }) };
}

async function openDatabase(options: OpenerOptions, tenant: string, place: TenantPlace): Promise<SqlDatabase> {
  if (place.kind === 'sqlite') return SqliteDatabase.open(place.path, options.clock);
  const database = await MysqlDatabase.open(place.address, options);
  for (const { en } of database.warnings) options.log.warn('database.misconfigured', { tenant, message: en });
  return database;
}

/** A user that may only read shows at the first write, not at the login. */
function asPrivilege(error: AppError, place: TenantPlace): AppError {
  if (place.kind !== 'mysql' || !isPrivilegeFailure(error)) return error;
  const { user, database } = place.address;
  const reason = String(error.params.message ?? error.params.reason ?? '');
  return new AppError('DB_PRIVILEGES', { user, database, reason }, { cause: error });
}
