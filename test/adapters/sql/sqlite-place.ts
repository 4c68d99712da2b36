import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { SqliteDatabase } from '../../../src/adapters/sql/database-sqlite.ts';
import { migrate } from '../../../src/adapters/sql/migrate.ts';
import { SqlTenantStore } from '../../../src/adapters/sql/tenant-store.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import type { LogEvent } from '../../../src/core/log-events.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Ids } from '../../../src/ports/ids.ts';
import type { Log, LogFields } from '../../../src/ports/log.ts';
import { type OpenTenantStore, TENANT } from '../../contract/tenant-store-place.ts';

export const clock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => delay(ms, undefined, signal ? { signal } : {}).catch(() => undefined),
  localText: systemClock('Asia/Shanghai').localText,
};

let lastUlid = 0;

export const ids: Ids = {
  ulid: () => String(++lastUlid).padStart(26, '0'),
  guid: () => randomUUID(),
  random: () => 0.5,
  secret: () => 'secret',
  sha256Hex: (data) => createHash('sha256').update(data).digest('hex'),
};

/** A log that keeps its lines. */
export class RecordingLog implements Log {
  readonly lines: { event: LogEvent; fields: LogFields | undefined }[] = [];

  child(): Log {
    return this;
  }
  debug(event: LogEvent, fields?: LogFields): void {
    this.lines.push({ event, fields });
  }
  info(event: LogEvent, fields?: LogFields): void {
    this.lines.push({ event, fields });
  }
  warn(event: LogEvent, fields?: LogFields): void {
    this.lines.push({ event, fields });
  }
  error(event: LogEvent, fields?: LogFields): void {
    this.lines.push({ event, fields });
  }
}

/** An empty folder that is removed when the test ends. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'v8host-sql-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Opens and migrates a file; closed when the test ends. */
export async function openDatabase(t: TestContext, path: string): Promise<SqliteDatabase> {
  const database = SqliteDatabase.open(path, clock);
  t.after(() => database.close());
  await migrate(database, { extend: false });
  return database;
}

/** A connection of another program, outside of all rules of the host. */
export function outsideConnection(path: string): DatabaseSync {
  return new DatabaseSync(path, { timeout: 1_000 });
}

const INSTANTS: Readonly<Record<string, readonly string[]>> = {
  mq_inbox: ['DoneAt'],
  mq_outbox: ['ClaimUntil'],
  mq_parked: ['DueAt', 'FirstAt', 'LastAt', 'ClaimUntil'],
  mq_crash: ['LastAt'],
};

export const openSqlitePlace: OpenTenantStore = async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'tenant_a.db');
  const open = async () => {
    const database = SqliteDatabase.open(path, clock);
    await migrate(database, { extend: false });
    return new SqlTenantStore(database, { tenant: TENANT, clock, ids, log: new RecordingLog() });
  };
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
      using outside = outsideConnection(path);
      for (const [table, columns] of Object.entries(INSTANTS)) {
        outside.exec(`update ${table} set ${columns.map((column) => `${column} = ${column} - ${ms}`).join(', ')}`);
      }
    },
    async outside(statement) {
      using outside = outsideConnection(path);
      outside.exec(statement);
    },
    async holdTransactions() {
      const outside = outsideConnection(path);
      outside.exec('begin immediate');
      return async () => outside.close();
    },
  };
};
