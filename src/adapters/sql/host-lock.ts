import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pid } from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../core/errors.ts';

/** The right to use a data directory. It ends with the process, however that ends. */
export interface HostLock {
  close(): void;
}

/** Garbage collection closes a connection that nobody refers to, and the lock would go with it. */
const held = new Set<DatabaseSync>();

/**
 * Takes the data directory for this process: data files are opened by one host only (delivery.md F11). The lock is
 * an exclusive transaction on `host.lock`, which the operating system drops when the process dies.
 * @throws AppError HOST_LOCKED naming the process that holds it.
 */
export function openHostLock(dataDir: string): HostLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const holderPath = join(dataDir, 'host.lock.pid');
  const db = new DatabaseSync(join(dataDir, 'host.lock'), { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error: unknown) {
    db.close();
    throw new AppError('HOST_LOCKED', { dir: dataDir, holder: readHolder(holderPath) }, { cause: error });
  }
  writeFileSync(holderPath, String(pid));
  held.add(db);
  return {
    close() {
      if (held.delete(db)) db.close();
    },
  };
}

function readHolder(path: string): string {
  try {
    return `pid ${readFileSync(path, 'utf8').trim()}`;
  } catch {
    // The holder has taken the lock and not written its number yet: the refusal is right without it.
    return 'pid unknown';
  }
}
