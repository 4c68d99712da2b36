import { chmod, copyFile, mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../core/errors.ts';
import { NOT_WATCHED, type NoteProgress } from '../../core/progress.ts';
import type { BackupFile } from '../../ports/backup.ts';
import { sha256Of } from './backup-files.ts';
import { type BackupManifest, readManifest } from './backup-manifest.ts';
import { dataFilesOf } from './data-files.ts';
import { beginRestore, endRestore } from './restore-mark.ts';

export interface RestoreRequest {
  /** Directory of the backup. */
  readonly from: string;
  /** Locked by this process. */
  readonly dataDir: string;
  /** Puts what the data directory holds aside; without it such a directory is refused. */
  readonly replace: boolean;
  /** Milliseconds since 1970, UTC. */
  readonly now: number;
  /** Told after each file. */
  readonly note?: NoteProgress;
}

/** What came back, and where the former data is, if there was any. */
export interface RestoreReport {
  readonly manifest: BackupManifest;
  readonly aside: string | undefined;
}

/**
 * Puts a backup's files into the data directory. Everything is checked before anything is touched, and the former
 * files are moved, never deleted. Cut short, it leaves a mark, and no host starts on the half of it.
 * @throws AppError BACKUP_INVALID, RESTORE_TARGET_USED, BACKUP_FAILED.
 */
export async function restoreFiles(request: RestoreRequest): Promise<RestoreReport> {
  const { note = NOT_WATCHED } = request;
  const manifest = readManifest(request.from);
  const total = manifest.files.length;
  for (const [index, file] of manifest.files.entries()) {
    await check(request.from, file);
    note({ step: 'verify', done: index + 1, total, subject: file.path });
  }
  const present = dataFilesOf(request.dataDir);
  const former = present.databases.length === 0 ? [] : [...present.databases, ...present.secrets];
  if (former.length > 0 && !request.replace) throw new AppError('RESTORE_TARGET_USED', { dir: request.dataDir });
  try {
    beginRestore(request.dataDir);
    const aside = former.length === 0 ? undefined : await putAside(request, former);
    for (const [index, { path }] of manifest.files.entries()) {
      await bring(join(request.from, path), join(request.dataDir, path));
      note({ step: 'restore', done: index + 1, total, subject: path });
    }
    endRestore(request.dataDir);
    return { manifest, aside };
  } catch (error: unknown) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('BACKUP_FAILED', { dir: request.dataDir, reason }, { cause: error });
  }
}

async function check(dir: string, { path, bytes, sha256 }: BackupFile): Promise<void> {
  const file = join(dir, path);
  const refuse = (reason: string) => new AppError('BACKUP_INVALID', { dir, file: path, reason });
  const size = await stat(file).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === undefined) throw refuse('the file is missing');
  if (size !== bytes) throw refuse(`${size} bytes instead of ${bytes}`);
  if ((await sha256Of(file)) !== sha256) throw refuse('its content has changed since');
  if (path.endsWith('.db')) checkDatabase(file, refuse);
}

function checkDatabase(file: string, refuse: (reason: string) => AppError): void {
  let found: unknown;
  try {
    // Immutable: reading must not leave files beside the backup's.
    const db = new DatabaseSync(`file:${encodeURI(file)}?immutable=1`, { readOnly: true });
    found = db.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    db.close();
  } catch (error: unknown) {
    throw refuse(error instanceof Error ? error.message : String(error));
  }
  if (found !== 'ok') throw refuse(String(found));
}

/** SQLite's companions go with their files: an old log beside a new file would damage it. */
async function putAside({ dataDir, now }: RestoreRequest, former: readonly string[]): Promise<string> {
  const aside = join(dataDir, `before-restore-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`);
  for (const path of former.flatMap((file) => [file, `${file}-wal`, `${file}-shm`])) {
    const target = join(aside, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename(join(dataDir, path), target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  return aside;
}

async function bring(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await copyFile(from, to);
  await chmod(to, 0o600);
  const handle = await open(to, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
