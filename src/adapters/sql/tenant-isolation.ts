import { sql } from 'kysely';
import { AppError } from '../../core/errors.ts';
import { tenantKey } from '../../core/tenant.ts';
import type { MysqlAddress } from './address-mysql.ts';
import { MysqlDatabase } from './database-mysql.ts';
import type { OpenTenant } from './tenant-opener.ts';

/** A tenant on a server, open or only registered. */
export interface Neighbour {
  readonly tenant: string;
  readonly address: MysqlAddress;
  /** What the server says of itself, where the tenant is open: one server has many names. */
  readonly identity: string | undefined;
}

/** The tenant as its neighbours see it; undefined for one with a file of its own. */
export function asNeighbour(tenant: string, { place, database }: Pick<OpenTenant, 'place' | 'database'>) {
  if (place.kind !== 'mysql') return undefined;
  const identity = database instanceof MysqlDatabase ? database.server.identity : undefined;
  return { tenant, address: place.address, identity } satisfies Neighbour;
}

/**
 * Schemas of other tenants that this tenant's user can see: what a script of it could reach if one check of ours
 * failed (architecture.md 6). A schema shared by two tenants is one of them.
 */
export async function visibleNeighbours(
  tenant: string,
  opened: Pick<OpenTenant, 'place' | 'database'>,
  neighbours: readonly Neighbour[],
): Promise<readonly string[]> {
  const self = asNeighbour(tenant, opened);
  if (self === undefined) return [];
  const others = neighbours.filter((other) => tenantKey(other.tenant) !== tenantKey(tenant) && sameServer(self, other));
  if (others.length === 0) return [];
  const found = await sql<{ name: string }>`select schema_name as name from information_schema.schemata`.execute(
    opened.database.reader,
  );
  const visible = new Set(found.rows.map(({ name }) => name.toLowerCase()));
  return others.map(({ address }) => address.database).filter((schema) => visible.has(schema.toLowerCase()));
}

/** @throws AppError DB_SHARED. */
export async function assertApart(
  tenant: string,
  opened: Pick<OpenTenant, 'place' | 'database'>,
  neighbours: readonly Neighbour[],
): Promise<void> {
  const schemas = await visibleNeighbours(tenant, opened, neighbours);
  if (schemas.length > 0) throw new AppError('DB_SHARED', { tenant, schemas: schemas.join(', ') });
}

function sameServer(one: Neighbour, other: Neighbour): boolean {
  if (one.address.server.toLowerCase() === other.address.server.toLowerCase()) return true;
  return one.identity !== undefined && one.identity === other.identity;
}
