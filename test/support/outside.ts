import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** File of a tenant's database, inside the data directory. */
export const tenantFile = (tenant: string): string => `tenants/${tenant}.db`;

/** File of the embedded queue. */
export const QUEUE_FILE = 'host.db';

/** What another program does at a file of the host: one statement on a connection of its own. */
export function outside(
  dataDir: string,
  file: string,
  statement: string,
  ...values: SQLInputValue[]
): Record<string, unknown>[] {
  using db = new DatabaseSync(join(dataDir, file), { timeout: 5_000 });
  return db.prepare(statement).all(...values);
}

/** Another program holds the write lock of the file, as a backup does. @returns how to let go. */
export function holdWriteLock(dataDir: string, file: string): () => void {
  const db = new DatabaseSync(join(dataDir, file), { timeout: 5_000 });
  db.exec('begin immediate');
  return () => db.close();
}
