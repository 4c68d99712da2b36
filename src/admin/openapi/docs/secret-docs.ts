import { z } from 'zod';
import { ROTATION } from '../../secret-routes.ts';
import type { RouteDocs } from '../route-doc.ts';

const STATUS = {
  keys: z.array(z.string()),
  sealed: z.record(z.string(), z.int()),
  plain: z.array(z.object({ tenant: z.string(), name: z.string() })),
  unreadable: z.array(z.object({ tenant: z.string(), name: z.string(), keyId: z.string(), code: z.string() })),
};

/** How stored secrets are kept. */
export const SECRET_DOCS: RouteDocs = {
  'GET /secrets': {
    tag: 'host',
    summary: {
      zh: '保存的密码、连接串和签名密钥的加密状态：密钥名、明文项和无法解密的项，不含其值。',
      en: 'How stored passwords, connection strings and signing keys are kept: names of keys, what is plain, what cannot be opened. No value.',
    },
    data: z.object(STATUS),
    errors: [],
    example: {},
  },
  'POST /secrets/rotate': {
    tag: 'host',
    summary: {
      zh: '以第一个密钥重新加密；密钥由主机自己保管时先生成新密钥。sealPlain 同时加密明文项。',
      en: 'Seals everything with the first key, after making a new one where the host keeps its keys itself. sealPlain also seals what is plain.',
    },
    body: ROTATION,
    data: z.object({ ...STATUS, isNewKey: z.boolean(), resealed: z.int(), sealedPlain: z.int() }),
    errors: ['SECRET_KEYS_NONE', 'SECRET_KEY_FILE_INVALID', 'DB_BUSY'],
    example: { body: { sealPlain: true } },
  },
};
