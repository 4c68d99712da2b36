import { resolve } from 'node:path';
import { cwd } from 'node:process';
import { openHostLock } from '../adapters/sql/host-lock.ts';
import { restoreFiles } from '../adapters/sql/restore-files.ts';
import type { RestoreOptions } from '../cli/command.ts';
import { loadConfig } from '../config/load-config.ts';
import { coerceError, describeError } from '../core/errors.ts';
import { makeDataDir } from './data-dir.ts';

/** Puts a backup into the data directory of a host that is not running. @returns the exit code: 0, 1 failed, 2 wrong configuration. */
export async function restoreData(options: RestoreOptions): Promise<number> {
  try {
    const config = loadConfig({ configFile: options.configFile });
    const dataDir = resolve(cwd(), config.dataDir);
    makeDataDir(dataDir);
    const lock = openHostLock(dataDir);
    try {
      const from = resolve(cwd(), options.from);
      const { manifest, aside } = await restoreFiles({ from, dataDir, replace: options.replace, now: Date.now() });
      for (const { path, bytes } of manifest.files) options.out(`${path}  ${bytes}`);
      options.err(restored(options, { dataDir, madeAt: manifest.madeAt, version: manifest.version }));
      if (aside !== undefined)
        options.err(options.lang === 'zh' ? `原有数据已移到 ${aside}` : `The former data is in ${aside}`);
      return 0;
    } finally {
      lock.close();
    }
  } catch (e) {
    const error = coerceError(e);
    options.err(`${describeError(error.toRecord(), options.lang)} (${error.code})`);
    return error.code === 'CONFIG_INVALID' ? 2 : 1;
  }
}

function restored(
  { lang }: RestoreOptions,
  { dataDir, madeAt, version }: { dataDir: string; madeAt: string; version: string },
): string {
  return lang === 'zh'
    ? `已把 ${madeAt} 的备份（版本 ${version}）恢复到 ${dataDir}`
    : `The backup of ${madeAt} (version ${version}) is restored to ${dataDir}`;
}
