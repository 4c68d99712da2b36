import { MysqlAddress } from '../../adapters/sql/address-mysql.ts';
import { type DatabaseExamination, examineDatabase } from '../../adapters/sql/examine-database.ts';
import { openerOf, openRow } from '../../adapters/sql/sealed-secrets.ts';
import type { PlatformRow } from '../../adapters/sql/system-tables.ts';
import { filePlace, placeOf, type TenantPlace } from '../../adapters/sql/tenant-opener.ts';
import { enabledSettings, toRegisteredTenant } from '../../adapters/sql/tenant-registry.ts';
import type { Config } from '../../config/load-config.ts';
import { coerceError } from '../../core/errors.ts';
import { type Finding, fine, problemOf } from '../../core/finding.ts';
import { sameTenant } from '../../core/tenant.ts';
import type { SecretBox } from '../../ports/secret-box.ts';
import type { TenantSettings } from '../../ports/tenant-store.ts';
import { examineSecrets } from './examine-secrets.ts';

/** The tenants that the main tenant's database names, with what was found about each database. */
export interface TenantsExamination {
  readonly findings: readonly Finding[];
  /** Every enabled tenant's row; the main tenant may have none. */
  readonly rows: readonly TenantSettings[];
}

interface Looked {
  readonly tenant: string;
  readonly place: TenantPlace;
  readonly schemas: readonly string[];
}

/**
 * Looks every tenant's database over, whether one tenant's user sees another's, and how their secrets are kept. Never
 * rejects. @param box the keys of this host.
 */
export async function examineTenants(config: Config, dataDir: string, box: SecretBox): Promise<TenantsExamination> {
  const findings: Finding[] = [];
  const looked: Looked[] = [];
  const look = async (tenant: string, place: TenantPlace): Promise<DatabaseExamination> => {
    const examined = await examineDatabase(tenant, place, config.timezone);
    findings.push(...examined.findings);
    looked.push({ tenant, place, schemas: examined.schemas });
    return examined;
  };
  let rows: readonly TenantSettings[] = [];
  try {
    const main = mainPlace(config, dataDir);
    const { registry, sealed } = await look(config.tenant, main);
    const open = openerOf(sealed, box);
    rows = enabledSettings(registry.map((row) => openRow(row, open)));
    findings.push(...examineSecrets(config, box, { registry, rows, sealed: sealed.length }));
    for (const { tenant, row, unreadable } of rows) {
      if (sameTenant(tenant, config.tenant)) continue;
      try {
        await look(tenant, placeOf(toRegisteredTenant(row as PlatformRow, unreadable), dataDir, main.kind));
      } catch (error: unknown) {
        findings.push(problemOf('tenant', tenant, coerceError(error).toRecord()));
      }
    }
  } catch (error: unknown) {
    findings.push(problemOf('database', 'databaseUrl', coerceError(error).toRecord()));
  }
  return { findings: [...findings, ...sharedFindings(config.tenant, looked)], rows };
}

function mainPlace({ databaseUrl, tenant }: Config, dataDir: string): TenantPlace {
  if (databaseUrl === undefined) return filePlace(dataDir, tenant);
  return { kind: 'mysql', address: MysqlAddress.parse(databaseUrl.reveal()) };
}

/** A child whose user sees a neighbour's schema is not opened; the main tenant's may be the server's administrator. */
function sharedFindings(main: string, looked: readonly Looked[]): readonly Finding[] {
  return looked
    .filter(({ tenant, place }) => place.kind === 'mysql' && !sameTenant(tenant, main))
    .map((own) => {
      const others = looked.filter((other) => other !== own).flatMap((other) => schemaOn(own, other));
      const seen = others.filter((schema) => own.schemas.includes(schema.toLowerCase()));
      if (seen.length === 0) return fine('tenant', own.tenant, '只能看到自己的库', 'sees its own schema alone');
      const params = { tenant: own.tenant, schemas: seen.join(', ') };
      return problemOf('tenant', own.tenant, { code: 'DB_SHARED', params });
    });
}

function schemaOn(own: Looked, other: Looked): readonly string[] {
  if (own.place.kind !== 'mysql' || other.place.kind !== 'mysql') return [];
  const isSameServer = own.place.address.server.toLowerCase() === other.place.address.server.toLowerCase();
  return isSameServer ? [other.place.address.database] : [];
}
