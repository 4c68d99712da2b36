import { divideConnections } from '../adapters/sql/database-mysql.ts';
import {
  createTenantDirectory,
  type SqlDirectory,
  type TenantDirectoryOptions,
} from '../adapters/sql/tenant-directory.ts';
import type { Config } from '../config/load-config.ts';

/** Opens the tenants' databases as the configuration says: files, or a server with `databaseUrl`. */
export function openDirectory(
  config: Config,
  options: Pick<TenantDirectoryOptions, 'dataDir' | 'clock' | 'ids' | 'log' | 'extend' | 'box' | 'note'>,
): Promise<SqlDirectory> {
  return createTenantDirectory({
    ...options,
    mainTenant: config.tenant,
    timeZone: config.timezone,
    pools: divideConnections(config.pool.perTenant),
    main: config.databaseUrl === undefined ? { kind: 'sqlite' } : { kind: 'mysql', url: config.databaseUrl },
  });
}
