import type { TestContext } from 'node:test';
import { sql } from 'kysely';
import type { MysqlDatabase } from '../../../src/adapters/sql/database-mysql.ts';
import type { TxSession } from '../../../src/adapters/sql/sql-database.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { InboxClaim, TenantStore, TenantTx } from '../../../src/ports/tenant-store.ts';
import type { FreshDatabase } from '../../support/services/fresh-database.ts';
import { sqlAsAdmin } from '../../support/services/mariadb.ts';
import { emptySchema, openMysql, storeOver } from './mysql-place.ts';

export const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

export const WAIT_MS = 1_000;

export const claimOf = (eventId: string): InboxClaim => ({
  queue: 'microi.tenant_a.orders',
  eventId,
  messageHash: 'a'.repeat(64),
  attempt: 1,
  engineKey: 'k',
  version: 'v',
  runId: 'R',
});

export const packetOf = (...eventIds: string[]) => ({
  claims: eventIds.map((eventId) => ({ ...claimOf(eventId), resolveParked: false })),
  outbox: [],
});

/** A tenant with rows a, b, c of quantity 10 in the table `shop`. */
export interface Shop {
  readonly schema: FreshDatabase;
  readonly database: MysqlDatabase;
  readonly store: TenantStore;
  /** `a10 b10 c10` as everybody sees it. */
  quantities(): Promise<string>;
}

export async function openShop(t: TestContext, url?: (schema: FreshDatabase) => string): Promise<Shop> {
  const schema = await emptySchema();
  await fillShop(schema.adminUrl, schema.name);
  const database = await openMysql(t, url?.(schema) ?? schema.url);
  const quantities = async () => {
    const rows = await sqlAsAdmin(schema.adminUrl, `select Id, Qty from ${schema.name}.shop order by Id`);
    return rows.map(({ Id, Qty }) => `${Id}${Qty}`).join(' ');
  };
  return { schema, database, store: storeOver(database), quantities };
}

export async function fillShop(adminUrl: string, schema: string): Promise<void> {
  await sqlAsAdmin(
    adminUrl,
    `create table ${schema}.shop (Id varchar(36) primary key, Qty int not null) engine=InnoDB;
     insert into ${schema}.shop values ('a', 10), ('b', 10), ('c', 10)`,
  );
}

const filterOf = (id: string) =>
  ({
    table: 'shop',
    where: [{ glue: 'and', column: 'Id', operator: 'eq', value: id }],
    includeDeleted: false,
  }) as const;

/** What a script does: a host call that fails is answered, not thrown. */
export const set = (tx: Pick<TenantTx, 'tables'>, id: string, quantity: number): Promise<number> =>
  tx.tables.update(filterOf(id), { Qty: quantity });

export async function read(tx: Pick<TenantTx, 'tables'>, id: string): Promise<unknown> {
  const [row] = await tx.tables.select({ ...filterOf(id), columns: ['Qty'], sort: [], limit: 1, offset: 0 });
  return row?.Qty;
}

/** The server's number of a transaction's session. */
export async function sessionId(session: TxSession): Promise<number> {
  const { rows } = await sql<{ id: number }>`select connection_id() as id`.execute(session.system);
  return Number(rows[0]?.id);
}
