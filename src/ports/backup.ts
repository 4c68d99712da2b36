import type { NoteProgress } from '../core/progress.ts';

/** A copy of everything that the host keeps in its data directory. Implementation: adapters/sql/backup-files.ts. */
export interface Backup {
  /**
   * Copies the data directory as a crash at this moment would leave it, while the host goes on.
   * @param dir an absolute path that does not exist yet, in a directory that does; undefined: one named after the
   * time in `{dataDir}/backups`. @param note told after each file.
   * @throws AppError BACKUP_TARGET_EXISTS, BACKUP_FAILED.
   */
  create(dir: string | undefined, note?: NoteProgress): Promise<BackupReport>;
}

export interface BackupReport {
  /** Where the copy is. */
  readonly dir: string;
  readonly files: readonly BackupFile[];
  /** What the host also keeps, on servers: it is not in this copy. Such as `tenant acme`, `RabbitMQ`. */
  readonly elsewhere: readonly string[];
}

export interface BackupFile {
  /** Relative to the data directory, with forward slashes. */
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of the content, hexadecimal. */
  readonly sha256: string;
}
