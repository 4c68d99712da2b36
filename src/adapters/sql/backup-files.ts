import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, copyFile, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../core/errors.ts';
import { NOT_WATCHED, type NoteProgress, type Progress } from '../../core/progress.ts';
import type { Backup, BackupFile, BackupReport } from '../../ports/backup.ts';
import { BACKUP_FORMAT, type BackupManifest, MANIFEST_FILE } from './backup-manifest.ts';
import { dataFilesOf } from './data-files.ts';
import { copySnapshots } from './snapshot-sqlite.ts';

export interface BackupOptions {
  readonly dataDir: string;
  /** Version of the product. */
  readonly version: string;
  /** The time. Milliseconds since 1970, UTC. */
  now(): number;
  /** What the host keeps on servers. */
  elsewhere(): Promise<readonly string[]>;
}

/** Backs up the data directory of this process, whose thread writes all of its databases. */
export function createBackup(options: BackupOptions): Backup {
  let last: Promise<unknown> = Promise.resolve();
  return {
    // One after the other: two with the same target would take away each other's unfinished files.
    create: (dir, note = NOT_WATCHED) => {
      const made = last.then(() => makeBackup(dir, options, note));
      last = made.catch(() => undefined);
      return made;
    },
  };
}

async function makeBackup(dir: string | undefined, options: BackupOptions, note: NoteProgress): Promise<BackupReport> {
  const target = dir ?? join(options.dataDir, 'backups', stamp(options.now()));
  if (await exists(target)) throw new AppError('BACKUP_TARGET_EXISTS', { dir: target });
  try {
    if (dir === undefined) await makeDirectory(dirname(target));
    return await copyTo(target, options, note);
  } catch (error: unknown) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('BACKUP_FAILED', { dir: target, reason }, { cause: error });
  }
}

/** Under another name until it is whole: what stands under the final name can be restored. */
async function copyTo(target: string, options: BackupOptions, note: NoteProgress): Promise<BackupReport> {
  const unfinished = join(dirname(target), `.${basename(target)}.unfinished`);
  await rm(unfinished, { recursive: true, force: true });
  try {
    // One step only: what is missing above is a mistake, such as a disk that is not mounted.
    for (const path of [unfinished, join(unfinished, 'tenants')]) await mkdir(path, { mode: 0o700 });
    const elsewhere = await options.elsewhere();
    const files = await copyData(options.dataDir, unfinished, note);
    await writeManifest(unfinished, {
      format: BACKUP_FORMAT,
      version: options.version,
      madeAt: new Date(options.now()).toISOString(),
      files,
      elsewhere,
    });
    await rename(unfinished, target);
    return { dir: target, files, elsewhere };
  } catch (error: unknown) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function copyData(dataDir: string, target: string, note: NoteProgress): Promise<BackupFile[]> {
  const { databases, secrets } = dataFilesOf(dataDir);
  const paths = [...databases, ...secrets];
  const total = paths.length;
  const copies = databases.map((path) => [join(dataDir, path), join(target, path)] as const);
  await copySnapshots(copies, (done) => noteFile(note, { step: 'copy', done, total }, databases[done - 1]));
  for (const [index, path] of secrets.entries()) {
    await copyFile(join(dataDir, path), join(target, path));
    noteFile(note, { step: 'copy', done: databases.length + index + 1, total }, path);
  }
  const files: BackupFile[] = [];
  for (const [index, path] of paths.entries()) {
    await secure(join(target, path));
    files.push({ path, bytes: (await stat(join(target, path))).size, sha256: await sha256Of(join(target, path)) });
    noteFile(note, { step: 'verify', done: index + 1, total }, path);
  }
  return files;
}

function noteFile(note: NoteProgress, share: Progress, subject: string | undefined): void {
  note({ ...share, ...(subject === undefined ? {} : { subject }) });
}

async function writeManifest(dir: string, manifest: BackupManifest): Promise<void> {
  const file = join(dir, MANIFEST_FILE);
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
  await secure(file);
}

/** Readable by its owner only, and on the disk: a backup must outlive a power cut. */
async function secure(file: string): Promise<void> {
  await chmod(file, 0o600);
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** SHA-256 of a file, hexadecimal. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

async function makeDirectory(path: string): Promise<void> {
  if (!(await exists(path))) await mkdir(path, { mode: 0o700 });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Such as `2026-03-04T05-06-07-089Z`: a name that sorts by time and is allowed everywhere. */
function stamp(now: number): string {
  return new Date(now).toISOString().replaceAll(/[:.]/g, '-');
}
