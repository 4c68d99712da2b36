import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bilingual } from '../../core/bilingual.ts';
import { AppError } from '../../core/errors.ts';

/** Stands in a data directory while a backup's files are brought into it. */
const MARK = 'restore.unfinished';

const CUT_SHORT = bilingual(
  '上一次 v8host restore 没有完成，数据不全，请用 --replace 重新恢复',
  'a v8host restore was cut short, so data is missing: restore again with --replace',
);

/** On the disk before the first file moves. */
export function beginRestore(dataDir: string): void {
  const mark = openSync(join(dataDir, MARK), 'w', 0o600);
  try {
    fsyncSync(mark);
  } finally {
    closeSync(mark);
  }
}

export function endRestore(dataDir: string): void {
  rmSync(join(dataDir, MARK), { force: true });
}

/**
 * A host on half of a backup would make what is missing anew, empty: tenants would be without their data and inbox.
 * @throws AppError DATA_DIR_UNUSABLE.
 */
export function refuseUnfinishedRestore(dataDir: string): void {
  if (existsSync(join(dataDir, MARK))) throw new AppError('DATA_DIR_UNUSABLE', { dir: dataDir, reason: CUT_SHORT });
}
