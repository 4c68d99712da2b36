import * as z from 'zod';
import { bilingual } from '../core/bilingual.ts';
import { isSecretKey, splitKeys } from '../core/sealed-secret.ts';
import { Secret } from './secret.ts';
import { setting } from './setting-doc.ts';

const KEYS = z
  .string()
  .refine((text) => splitKeys(text).length > 0 && splitKeys(text).every(isSecretKey), {
    error: bilingual(
      '须为一个或多个密钥，以逗号或换行分隔：32 字节的 Base64 或 64 位十六进制（openssl rand -base64 32）',
      'one key or several with commas or line breaks between them, each 32 bytes as Base64 or 64 hexadecimal digits (openssl rand -base64 32)',
    ),
  })
  .transform((text) => new Secret(text));

/** Keys that seal the secrets which the host stores. */
export const SECRET_SETTINGS = z
  .strictObject({
    keys: setting(KEYS.optional(), {
      zh: '加密保存租户密码、连接串和签名密钥（AES-256-GCM）的密钥，所有主机相同：第一个用于加密，全部可解密。更换见 operations.zh-CN.md。不设置时，数据为文件的主机使用自己生成的 {dataDir}/secrets.key；使用 databaseUrl 时不加密。',
      en: 'Keys that seal stored passwords, connection strings and signing keys (AES-256-GCM), the same on all hosts: the first one seals, all open. How to change them: operations.md. Without it a host whose data are files uses {dataDir}/secrets.key, which it makes; with databaseUrl nothing is sealed.',
      computedDefault: { zh: '{dataDir}/secrets.key', en: '{dataDir}/secrets.key' },
      secret: true,
    }),
  })
  .prefault({});
