import { resolve } from 'node:path';
import { cwd } from 'node:process';
import { openHostLock } from '../adapters/sql/host-lock.ts';
import { type RestoreReport, restoreFiles } from '../adapters/sql/restore-files.ts';
import type { RestoreOptions } from '../cli/command.ts';
import { loadConfig } from '../config/load-config.ts';
import { fail, succeed } from '../core/dos-result.ts';
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
      const { replace, note } = options;
      const report = await restoreFiles({ from, dataDir, replace, now: Date.now(), note });
      (options.json ? showJson : show)(options, dataDir, report);
      return 0;
    } finally {
      lock.close();
    }
  } catch (e) {
    const error = coerceError(e);
    if (options.json) options.out(JSON.stringify(fail(error.toRecord(), options.lang)));
    else options.err(`${describeError(error.toRecord(), options.lang)} (${error.code})`);
    return error.code === 'CONFIG_INVALID' ? 2 : 1;
  }
}

function showJson({ out }: RestoreOptions, dataDir: string, { manifest, aside }: RestoreReport): void {
  const { files, madeAt, version, elsewhere } = manifest;
  const data = { dataDir, madeAt, version, aside: aside ?? null, elsewhere: [...elsewhere] };
  const shown = { ...data, files: files.map((file) => ({ ...file })) };
  out(JSON.stringify(succeed(shown, { DataCount: files.length })));
}

function show({ out, err, lang }: RestoreOptions, dataDir: string, { manifest, aside }: RestoreReport): void {
  const { files, madeAt, version } = manifest;
  for (const { path, bytes } of files) out(`${path}  ${bytes}`);
  err(
    lang === 'zh'
      ? `已把 ${madeAt} 的备份（版本 ${version}）恢复到 ${dataDir}`
      : `The backup of ${madeAt} (version ${version}) is restored to ${dataDir}`,
  );
  if (aside !== undefined) err(lang === 'zh' ? `原有数据已移到 ${aside}` : `The former data is in ${aside}`);
}
