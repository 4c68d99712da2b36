import { rm } from 'node:fs/promises';
import { MysqlAddress } from './address-mysql.ts';
import { MysqlDatabase } from './database-mysql.ts';
import { dropSchema, provisionSchema } from './provision-mysql.ts';
import type { SqlDatabase } from './sql-database.ts';
import { filePlace, type OpenerOptions, type TenantPlace, tenantFile } from './tenant-opener.ts';

/** Where a new tenant's rows will be. */
export interface NewPlace {
  readonly place: TenantPlace;
  /** Removes what was made for it. */
  readonly undo: () => Promise<void>;
}

type PlaceOptions = Pick<OpenerOptions, 'dataDir' | 'ids'>;

/**
 * Makes the place of a new tenant: the database that is given, else a schema or a file beside the main tenant's.
 * @throws AppError DB_URL_INVALID, DB_PROVISION_REFUSED.
 */
export async function newPlace(
  main: SqlDatabase,
  { dataDir, ids }: PlaceOptions,
  tenant: string,
  databaseUrl: string | undefined,
): Promise<NewPlace> {
  if (databaseUrl !== undefined) {
    return { place: { kind: 'mysql', address: MysqlAddress.parse(databaseUrl) }, undo: async () => undefined };
  }
  if (!(main instanceof MysqlDatabase)) {
    return { place: filePlace(dataDir, tenant), undo: async () => undefined };
  }
  const { address, undo } = await provisionSchema(main, tenant, ids);
  return { place: { kind: 'mysql', address }, undo };
}

/** Removes the place that `newPlace` made beside the main tenant's, whatever the tenant's row says now. */
export async function dropPlace(main: SqlDatabase, { dataDir, ids }: PlaceOptions, tenant: string): Promise<void> {
  if (main instanceof MysqlDatabase) return dropSchema(main, tenant, ids);
  const path = tenantFile(dataDir, tenant);
  for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix, { force: true });
}
