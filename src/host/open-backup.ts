import { createBackup } from '../adapters/sql/backup-files.ts';
import { dataFilesOf } from '../adapters/sql/data-files.ts';
import type { Config } from '../config/load-config.ts';
import { type MongoRegistry, mongoUrlOf } from '../core/mongo-settings.ts';
import type { Backup } from '../ports/backup.ts';
import type { Clock } from '../ports/clock.ts';
import type { TenantDirectory } from '../ports/tenant-store.ts';
import { productVersion } from './product-version.ts';

/** Backs up what this host keeps in its data directory, and knows what it keeps elsewhere. */
export function openBackup(
  config: Config,
  { dataDir, directory, clock }: { dataDir: string; directory: TenantDirectory; clock: Clock },
): Backup {
  return createBackup({
    dataDir,
    version: productVersion(),
    now: () => clock.now(),
    elsewhere: async () => {
      const files = new Set(dataFilesOf(dataDir).databases.map((path) => path.toLowerCase()));
      const tenants = (await directory.list()).filter(({ tenant }) => !files.has(`tenants/${tenant}.db`.toLowerCase()));
      return [
        ...tenants.map(({ tenant }) => `tenant ${tenant}`),
        ...(config.queueUrl === undefined ? [] : ['RabbitMQ']),
        ...(config.cacheUrl === undefined ? [] : ['Redis']),
        ...(config.secrets.keys === undefined ? [] : ['secrets.keys']),
        ...(await mongoTenants(config, directory)),
      ];
    },
  });
}

/** The tenants whose documents are on a MongoDB. */
async function mongoTenants(config: Config, directory: TenantDirectory): Promise<readonly string[]> {
  const rows = await directory.settings();
  const registry = { mainTenant: config.tenant, mongoUrl: config.mongoUrl?.reveal(), rows };
  const tenants = (await directory.list()).map(({ tenant }) => tenant);
  return tenants.filter((tenant) => hasMongo(tenant, registry)).map((tenant) => `MongoDB of tenant ${tenant}`);
}

function hasMongo(tenant: string, registry: MongoRegistry): boolean {
  const url = mongoUrlOf(tenant, registry);
  // One that is refused may hold documents all the same.
  return !url.ok || url.value !== undefined;
}
