import type { PlatformRow } from '../../adapters/sql/system-tables.ts';
import { createSecretBox } from '../../adapters/system/secret-box.ts';
import type { Config } from '../../config/load-config.ts';
import { counted } from '../../core/counted.ts';
import { coerceError } from '../../core/errors.ts';
import { type Finding, fine, notice, problemOf } from '../../core/finding.ts';
import { SEALED_MARK, SECRET_COLUMNS } from '../../core/sealed-secret.ts';
import type { SecretBox } from '../../ports/secret-box.ts';
import type { TenantSettings } from '../../ports/tenant-store.ts';
import { KEY_FILE, readSecretBox } from '../secret-keys.ts';

/** The keys that the host would have; with a file that cannot be used, none. */
export function examineKeys(
  config: Config,
  dataDir: string,
): { readonly box: SecretBox; readonly findings: readonly Finding[] } {
  try {
    return { box: readSecretBox(config, dataDir), findings: [] };
  } catch (error: unknown) {
    const finding = problemOf('secrets', KEY_FILE, coerceError(error).toRecord());
    return { box: createSecretBox([]), findings: [finding] };
  }
}

/** What the main tenant's database holds of secrets. */
export interface StoredSecrets {
  /** Rows of `sys_osclients` as they are stored. */
  readonly registry: readonly PlatformRow[];
  /** The enabled ones, opened as far as the keys reach. */
  readonly rows: readonly TenantSettings[];
  readonly sealed: number;
}

/** Whether stored secrets are sealed, and whether this host can open them. */
export function examineSecrets(config: Config, box: SecretBox, stored: StoredSecrets): readonly Finding[] {
  const { registry, rows, sealed } = stored;
  const unread = rows.flatMap(({ tenant, unreadable = {} }) =>
    Object.values(unreadable).map((error) => problemOf('secrets', tenant, error)),
  );
  const plain = registry.flatMap((row) => {
    const names = SECRET_COLUMNS.filter((name) => ![SEALED_MARK, ''].includes(String(row[name] ?? '')));
    return names.map((name) => `${String(row.OsClient ?? '').trim()}.${name}`);
  });
  return [keyFinding(config, box, sealed), ...unread, ...(plain.length === 0 ? [] : [plainFinding(box, plain)])];
}

function keyFinding(config: Config, box: SecretBox, sealed: number): Finding {
  const [key] = box.keyIds();
  const subject = config.secrets.keys === undefined ? KEY_FILE : 'secrets.keys';
  if (key !== undefined)
    return fine(
      'secrets',
      subject,
      `密钥 ${key}，已加密 ${sealed} 项`,
      `key ${key}, ${counted(sealed, 'sealed secret')}`,
    );
  if (config.databaseUrl === undefined)
    return notice('secrets', subject, '还不存在，首次启动时生成。', 'not there yet; the first start makes it.');
  return notice(
    'secrets',
    'secrets.keys',
    '未设置，密码和签名密钥以明文保存在数据库中：用 openssl rand -base64 32 生成，写入所有主机。',
    'not set, so passwords and signing keys stand in the database as they are: make one with openssl rand -base64 32 and give it to all hosts.',
  );
}

function plainFinding(box: SecretBox, plain: readonly string[]): Finding {
  const names = plain.join(', ');
  const [zh, en] =
    box.keyIds().length === 0
      ? ['', '']
      : [
          '：v8host secrets rotate --seal（原平台若也读取这些列则不要执行）',
          ': v8host secrets rotate --seal, unless the original platform reads these columns, too',
        ];
  return notice('secrets', 'sys_osclients', `明文保存：${names}${zh}。`, `stored as they are: ${names}${en}.`);
}
