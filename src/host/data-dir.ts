import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../core/errors.ts';

/**
 * Makes the data directory, with what is missing above it, and checks that files can be made in it. It is readable by
 * its owner only. @throws AppError DATA_DIR_UNUSABLE with the operating system's reason.
 */
export function makeDataDir(dataDir: string): void {
  try {
    makeMissing(dataDir);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (e) {
    const reason = e instanceof Error ? e.message : String(e);
    throw new AppError('DATA_DIR_UNUSABLE', { dir: dataDir, reason }, { cause: e });
  }
}

/** Step by step, because Node's recursive mkdir never ends where a file system makes no directories (/proc). */
function makeMissing(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const above = dirname(path);
  if (above !== path) makeMissing(above);
  mkdirSync(path, { mode: 0o700 });
}
