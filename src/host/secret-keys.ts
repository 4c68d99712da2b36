import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createSecretBox, newSecretKey } from '../adapters/system/secret-box.ts';
import type { Config } from '../config/load-config.ts';
import { bilingual } from '../core/bilingual.ts';
import { AppError } from '../core/errors.ts';
import { isSecretKey, splitKeys } from '../core/sealed-secret.ts';
import type { SecretBox } from '../ports/secret-box.ts';

/** Beside the data and in its backups. Readable by its owner only; one key to a line, the first one seals. */
export const KEY_FILE = 'secrets.key';

/**
 * The keys of this host: the configured ones, then those of the file in the data directory. Where neither is and the data
 * are files, too, a key is made and kept in that file. On a server other hosts would lack it: without configured keys
 * nothing is sealed there.
 * @throws AppError SECRET_KEY_FILE_INVALID.
 */
export function provideSecretBox(config: Config, dataDir: string): SecretBox {
  const path = join(dataDir, KEY_FILE);
  const { configured, filed } = keysOf(config, path);
  const isOwn = configured.length === 0 && config.databaseUrl === undefined;
  if (isOwn && filed.length === 0) filed.push(addKey(path, []));
  return createSecretBox([...configured, ...filed], isOwn ? () => addKey(path, keysIn(path)) : undefined);
}

/** The same for a look that makes nothing. @throws AppError SECRET_KEY_FILE_INVALID. */
export function readSecretBox(config: Config, dataDir: string): SecretBox {
  const { configured, filed } = keysOf(config, join(dataDir, KEY_FILE));
  return createSecretBox([...configured, ...filed]);
}

function keysOf({ secrets }: Config, path: string): { configured: readonly string[]; filed: string[] } {
  const configured = splitKeys(secrets.keys?.reveal() ?? '');
  return { configured, filed: keysIn(path).filter((key) => !configured.includes(key)) };
}

function keysIn(path: string): string[] {
  if (!existsSync(path)) return [];
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error: unknown) {
    throw unusable(path, error instanceof Error ? error.message : String(error));
  }
  const keys = splitKeys(text);
  if (keys.length > 0 && keys.every(isSecretKey)) return [...new Set(keys)];
  throw unusable(
    path,
    bilingual(
      '每行须为一个密钥：32 字节的 Base64 或 64 位十六进制；从备份恢复该文件',
      'each line holds a key, 32 bytes as Base64 or 64 hexadecimal digits; restore the file from a backup',
    ),
  );
}

/** Written beside it, then put in its place: a crash leaves the old keys or all of them. @returns the new key. */
function addKey(path: string, former: readonly string[]): string {
  const key = newSecretKey();
  const unfinished = `${path}.unfinished`;
  try {
    writeFileSync(unfinished, `${[key, ...former].join('\n')}\n`, { mode: 0o600 });
    toDisk(unfinished);
    renameSync(unfinished, path);
    // What is sealed with the key from now on must not outlive it: its name goes to the disk, too.
    toDisk(dirname(path));
  } catch (error: unknown) {
    throw unusable(path, error instanceof Error ? error.message : String(error));
  }
  return key;
}

/** @param path of a file or a folder. */
function toDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function unusable(file: string, reason: string): AppError {
  return new AppError('SECRET_KEY_FILE_INVALID', { file, reason });
}
