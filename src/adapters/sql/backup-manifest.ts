import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/errors.ts';
import type { BackupFile } from '../../ports/backup.ts';

/** What a backup's directory holds, in the file `backup.json`, which is written last. */
export interface BackupManifest {
  readonly format: typeof BACKUP_FORMAT;
  /** Version of the product that made it. */
  readonly version: string;
  /** ISO 8601, UTC. */
  readonly madeAt: string;
  readonly files: readonly BackupFile[];
  readonly elsewhere: readonly string[];
}

export const BACKUP_FORMAT = 'v8host-backup-1';
export const MANIFEST_FILE = 'backup.json';

/** @throws AppError BACKUP_INVALID: it is missing, damaged, of another format, or names files outside. */
export function readManifest(dir: string): BackupManifest {
  const manifest = parse(dir);
  for (const { path } of manifest.files) {
    if (!isInside(path)) throw new AppError('BACKUP_INVALID', { dir, file: MANIFEST_FILE, reason: `path ${path}` });
  }
  return manifest;
}

function parse(dir: string): BackupManifest {
  const refuse = (reason: string, cause?: unknown) =>
    new AppError('BACKUP_INVALID', { dir, file: MANIFEST_FILE, reason }, { cause });
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(join(dir, MANIFEST_FILE), 'utf8'));
  } catch (error: unknown) {
    throw refuse(error instanceof Error ? error.message : String(error), error);
  }
  if (!isManifest(value)) throw refuse(`not of the format ${BACKUP_FORMAT}`);
  return value;
}

function isManifest(value: unknown): value is BackupManifest {
  const { format, files } = (value ?? {}) as Partial<BackupManifest>;
  return format === BACKUP_FORMAT && Array.isArray(files) && files.every(isFile);
}

function isFile(value: unknown): value is BackupFile {
  const { path, bytes, sha256 } = (value ?? {}) as Partial<BackupFile>;
  return typeof path === 'string' && typeof bytes === 'number' && typeof sha256 === 'string';
}

/** Names without a step upwards: a backup may come from elsewhere. */
function isInside(path: string): boolean {
  return path.split('/').every((part) => /^[^\\:\0]+$/.test(part) && part !== '.' && part !== '..');
}
