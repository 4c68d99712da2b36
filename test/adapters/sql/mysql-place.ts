import type { TestContext } from 'node:test';
import { createConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import { MysqlAddress } from '../../../src/adapters/sql/address-mysql.ts';
import { MysqlDatabase, type MysqlDatabaseOptions } from '../../../src/adapters/sql/database-mysql.ts';
import { migrate } from '../../../src/adapters/sql/migrate.ts';
import { SqlTenantStore } from '../../../src/adapters/sql/tenant-store.ts';
import { type OpenTenantStore, TENANT } from '../../contract/tenant-store-place.ts';
import { type FreshDatabase, freshDatabase } from '../../support/services/fresh-database.ts';
import { sqlAsAdmin } from '../../support/services/mariadb.ts';
import { clock, ids, RecordingLog } from './sqlite-place.ts';

export const POOLS = { runs: 4, scripts: 2, system: 3 };

const OPTIONS: MysqlDatabaseOptions = { pools: POOLS, timeZone: 'Asia/Shanghai' };

/** Opens and migrates a schema; closed when the test ends. */
export async function openMysql(t: TestContext, url: string, options = OPTIONS): Promise<MysqlDatabase> {
  const database = await MysqlDatabase.open(MysqlAddress.parse(url), options);
  t.after(() => database.close());
  await migrate(database, { extend: false });
  return database;
}

export function storeOver(database: MysqlDatabase, log = new RecordingLog()): SqlTenantStore {
  return new SqlTenantStore(database, { tenant: TENANT, clock, ids, log });
}

/** A session of another program, outside of all rules of the host. */
export async function outsideSession(t: TestContext, url: string) {
  const connection = await createConnection({ uri: url, multipleStatements: true });
  t.after(() => connection.destroy());
  return {
    run: async (text: string) => (await connection.query<ResultSetHeader>(text))[0],
    rows: async (text: string) => (await connection.query<RowDataPacket[]>(text))[0].map((row) => ({ ...row })),
  };
}

let shared: Promise<FreshDatabase> | undefined;

/** The schema of this test file, as empty as a new one: making its tables takes longer than most tests. */
export async function emptySchema(): Promise<FreshDatabase> {
  shared ??= freshDatabase();
  const schema = await shared;
  const tables = await sqlAsAdmin(
    schema.adminUrl,
    `select table_name name from information_schema.tables
     where table_schema = '${schema.name}' and table_name <> 'schema_migration'`,
  );
  const resets = tables.map(
    ({ name }) => `${OURS.test(name) ? 'delete from' : 'drop table'} ${schema.name}.\`${name}\``,
  );
  if (resets.length > 0) await sqlAsAdmin(schema.adminUrl, resets.join('; '));
  return schema;
}

/** Made by the migrations. */
const OURS = /^(mq_|mci_|diy_queue_|sys_|v8host_)/;

const INSTANTS: Readonly<Record<string, readonly string[]>> = {
  mq_inbox: ['DoneAt'],
  mq_outbox: ['ClaimUntil'],
  mq_parked: ['DueAt', 'FirstAt', 'LastAt', 'ClaimUntil'],
  mq_crash: ['LastAt'],
};

export const openMysqlPlace: OpenTenantStore = async (t) => {
  const schema = await emptySchema();
  const open = async () => storeOver(await openMysql(t, schema.url));
  let store = await open();
  t.after(() => store.close());
  return {
    store,
    async reopen() {
      await store.close();
      store = await open();
      return store;
    },
    async elapse(ms) {
      const updates = Object.entries(INSTANTS).map(([table, columns]) => {
        const earlier = columns.map((column) => `${column} = ${column} - interval ${ms * 1000} microsecond`);
        return `update ${schema.name}.${table} set ${earlier.join(', ')}`;
      });
      await sqlAsAdmin(schema.adminUrl, updates.join('; '));
    },
    async outside(statement) {
      await (await outsideSession(t, schema.url)).run(statement);
    },
    async holdTransactions() {
      const held = await Promise.all(Array.from({ length: POOLS.runs }, () => store.begin(1_000)));
      return async () => {
        for (const tx of held) await tx.rollback();
      };
    },
  };
};
