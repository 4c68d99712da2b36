import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/** File of a tenant's database, inside the data directory. */
export const tenantFile = (tenant: string): string => `tenants/${tenant}.db`;

/** File of the embedded queue. */
export const QUEUE_FILE = 'host.db';

/** What another program does at a file of the host: one statement on a connection of its own. */
export async function outside(
  dataDir: string,
  file: string,
  statement: string,
  ...values: SQLInputValue[]
): Promise<Record<string, unknown>[]> {
  using db = new DatabaseSync(join(dataDir, file), { timeout: 0 });
  return await whenUnlocked(() => db.prepare(statement).all(...values));
}

/** Another program holds the write lock of the file, as a backup does. @returns how to let go. */
export async function holdWriteLock(dataDir: string, file: string): Promise<() => void> {
  const db = new DatabaseSync(join(dataDir, file), { timeout: 0 });
  await whenUnlocked(() => db.exec('begin immediate'));
  return () => db.close();
}

/** Waits without blocking: the host that holds the lock may run in this very process. */
async function whenUnlocked<T>(work: () => T): Promise<T> {
  for (const deadline = Date.now() + 60_000; ; await sleep(5)) {
    try {
      return work();
    } catch (problem) {
      const isLocked = problem instanceof Error && problem.message === 'database is locked';
      if (!isLocked || Date.now() > deadline) throw problem;
    }
  }
}
