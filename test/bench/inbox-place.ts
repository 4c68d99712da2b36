/** An inbox in a database of its own, filled from outside as years of work would have filled it. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createConnection } from 'mysql2/promise';
import { MysqlAddress } from '../../src/adapters/sql/address-mysql.ts';
import { divideConnections, MysqlDatabase } from '../../src/adapters/sql/database-mysql.ts';
import { SqliteDatabase } from '../../src/adapters/sql/database-sqlite.ts';
import { migrate } from '../../src/adapters/sql/migrate.ts';
import type { SqlDatabase } from '../../src/adapters/sql/sql-database.ts';
import { SqlTenantStore } from '../../src/adapters/sql/tenant-store.ts';
import { systemClock } from '../../src/adapters/system/system-clock.ts';
import { systemIds } from '../../src/adapters/system/system-ids.ts';
import type { TenantStore } from '../../src/ports/tenant-store.ts';
import { SILENT_LOG } from '../support/silent-log.ts';

export const QUEUE = 'microi.bench.orders';
const TENANT = 'bench';
const ZONE = 'Asia/Shanghai';
const CONNECTIONS = 10;
/** Rows of one filling statement: a transaction that the server's log takes easily. */
const CHUNK_ROWS = 100_000;
/** Between two neighbours in the order of keys: new ids fall between old ones, not behind them. */
const STRIDE = 858;
const DIGITS = 12;
/** Ages of rows, in days: what retention removes, and what it keeps. */
const AGES = { expired: 60, kept: 1 } as const;

/** One database, as the store has it and as a program beside it fills it. */
export interface InboxPlace {
  readonly name: string;
  readonly store: TenantStore;
  /** Claims made at once: those of a tenant's lanes; one where there is one writer. */
  readonly atOnce: number;
  /** Rows that `fill` has made. */
  filled(): number;
  /** Adds done rows until there are `rows`, the first `expired` of all too old for retention. */
  fill(rows: number, expired: number): Promise<void>;
  close(): Promise<void>;
}

/** EventId of the n-th filled row. */
export function filledId(n: number): string {
  return `evt-${hex(n * STRIDE)}`;
}

/** An EventId that no row has, at any place among the filled ones. @param random from 0 to 1, without 1. */
export function freshId(filled: number, random: number, serial: number): string {
  return `evt-${hex(Math.floor(random * filled) * STRIDE + 1)}-${serial}`;
}

function hex(at: number): string {
  return at.toString(16).toUpperCase().padStart(DIGITS, '0');
}

/** @param serverUrl of a MariaDB's administrator. */
export async function openMariaDbInbox(serverUrl: string): Promise<InboxPlace> {
  const outside = await createConnection({ uri: serverUrl });
  await outside.query('create database inbox character set utf8mb4');
  await outside.query('use inbox');
  const address = MysqlAddress.parse(new URL('/inbox', serverUrl).href);
  const options = { pools: divideConnections(CONNECTIONS), timeZone: ZONE };
  const store = await openStore(await MysqlDatabase.open(address, options));
  let filled = 0;
  return {
    name: 'mariadb',
    store,
    atOnce: 4,
    filled: () => filled,
    async fill(rows, expired) {
      for (; filled < rows; filled = Math.min(rows, filled + CHUNK_ROWS)) {
        const eventId = `concat('evt-', lpad(hex(seq * ${STRIDE}), ${DIGITS}, '0'))`;
        const doneAt = `utc_timestamp(3) - interval if(seq < ${expired}, ${AGES.expired}, ${AGES.kept}) day`;
        const source = `seq_${filled}_to_${Math.min(rows, filled + CHUNK_ROWS) - 1}`;
        await outside.query(`${insertOf(eventId, doneAt)} from ${source}`);
      }
    },
    async close() {
      await store.close();
      await outside.end();
    },
  };
}

/** @param dir an empty folder. */
export async function openSqliteInbox(dir: string): Promise<InboxPlace> {
  const path = join(dir, 'inbox.db');
  const store = await openStore(SqliteDatabase.open(path, systemClock(ZONE)));
  let filled = 0;
  return {
    name: 'sqlite',
    store,
    atOnce: 1,
    filled: () => filled,
    async fill(rows, expired) {
      const outside = new DatabaseSync(path);
      const eventId = `printf('evt-%0${DIGITS}X', seq * ${STRIDE})`;
      const doneAt = `${Date.now()} - case when seq < ${expired} then ${AGES.expired} else ${AGES.kept} end * 86400000`;
      for (; filled < rows; filled = Math.min(rows, filled + CHUNK_ROWS)) {
        const last = Math.min(rows, filled + CHUNK_ROWS) - 1;
        const numbers = `with recursive n(seq) as (select ${filled} union all select seq + 1 from n where seq < ${last})`;
        outside.exec(`${numbers} ${insertOf(eventId, doneAt)} from n`);
      }
      outside.exec('pragma wal_checkpoint(truncate)');
      outside.close();
    },
    close: () => store.close(),
  };
}

async function openStore(database: SqlDatabase): Promise<TenantStore> {
  await migrate(database, { extend: false });
  return new SqlTenantStore(database, { tenant: TENANT, clock: systemClock(ZONE), ids: systemIds(), log: SILENT_LOG });
}

/** Rows as runs leave them; `eventId` and `doneAt` are expressions over `seq`. */
function insertOf(eventId: string, doneAt: string): string {
  const values = [
    `'${TENANT}'`,
    `'${QUEUE}'`,
    eventId,
    "'done'",
    `'${'a'.repeat(64)}'`,
    '1',
    "'order-intake'",
    "'0123456789ab'",
    `'${'0'.repeat(26)}'`,
    doneAt,
  ];
  const columns = 'TenantLower, QueueName, EventId, Status, MessageHash, Attempt, EngineKey, Version, RunId, DoneAt';
  return `insert into mq_inbox (${columns}) select ${values.join(', ')}`;
}
