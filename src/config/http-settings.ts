/** Settings of the HTTP listener, of its tokens and of logins. */
import * as z from 'zod';
import { parseApiKey } from '../core/api-key.ts';
import { bilingual } from '../core/bilingual.ts';
import { Secret } from './secret.ts';
import { setting } from './setting-doc.ts';

/** One of its own for each setting: the documentation of a setting hangs at its schema. */
const aMonthOfDays = () => z.int().min(1).max(3_650).default(30);

const HOST_NAME = z
  .string()
  .regex(/^[A-Za-z0-9.:_-]+$/, { error: bilingual('须为 IP 地址或主机名', 'an IP address or a host name') });

const TOKEN = z
  .string()
  .regex(/^[\x21-\x7e]{16,}$/, {
    error: bilingual('至少 16 个可见 ASCII 字符，不含空格', 'at least 16 printable ASCII characters without blanks'),
  })
  .transform((text) => new Secret(text));

const API_KEY = z.string().superRefine((text, context) => {
  const parsed = parseApiKey(text);
  if (!parsed.ok) context.addIssue({ code: 'custom', message: String(parsed.error.params.rule) });
});

/** One token is one role in one tenant, so no hash stands twice. */
const API_KEYS = z
  .array(API_KEY)
  .max(1000)
  .refine((keys) => new Set(keys.map(hashOf)).size === keys.length, {
    error: bilingual('同一个哈希出现了两次', 'the same hash stands there twice'),
  });

/** The origin only: paths of the host are its own. */
const PUBLIC_URL = z.string().refine((text) => URL.canParse(text) && /^https?:\/\/[^/?#@]+\/?$/.test(text), {
  error: bilingual('形如 https://engines.example.com，不含路径', 'such as https://engines.example.com, without a path'),
});

/** As browsers write it: scheme, host and a port that is not the scheme's own. */
const ORIGIN = z
  .string()
  .refine((text) => URL.canParse(text) && new URL(text).origin === text && /^https?:/.test(text), {
    error: bilingual(
      '形如 https://erp.example.com，不含路径和末尾的 /；不能是 *',
      'such as https://erp.example.com, without a path or a / at its end; * is not possible',
    ),
  });

const ORIGINS = z.array(ORIGIN).max(100);

const PROXIES = z
  .array(
    z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
      error: bilingual('IP 地址或 CIDR', 'an IP address or CIDR'),
    }),
  )
  .max(100);

/** `http.*` */
export const HTTP_SETTINGS = z
  .strictObject({
    bind: setting(HOST_NAME.default('127.0.0.1'), {
      zh: 'HTTP 监听地址。只有设为其他地址才能从别的机器访问。',
      en: 'Address of the HTTP listener. Other machines reach the host only when this is changed.',
    }),
    port: setting(z.int().min(0).max(65_535).default(7070), {
      zh: 'HTTP 端口，0 为任意空闲端口。被占用时：默认值顺延到下一个空闲端口，设置过的值启动失败。',
      en: 'HTTP port, 0 for any free one. When it is taken the default moves on to the next free port, a configured one fails.',
    }),
    token: setting(TOKEN.optional(), {
      zh: '管理接口的 Bearer 令牌。不设置时主机生成一个并写入 {dataDir}/admin.token。',
      en: 'Bearer token of the admin API. Without it the host makes one and writes it to {dataDir}/admin.token.',
      computedDefault: { zh: '自动生成', en: 'generated' },
      secret: true,
    }),
    keys: setting(API_KEYS.default([]), {
      zh: '租户的 API 令牌（只存哈希），如 factory.developer=SHA256@2027-06-30；环境变量中用逗号分隔。见 identity.zh-CN.md。',
      en: 'API tokens of tenants by their hashes, such as factory.developer=SHA256@2027-06-30; separated by commas in the environment. See identity.md.',
    }),
    callsPerSecond: setting(z.int().min(1).max(1_000_000).default(200), {
      zh: '同一调用者（用户，或未登录者的网络地址）每秒通过 HTTP 调用接口引擎的次数；超过时放慢，等待超过一秒的被拒绝（429）。',
      en: 'Calls of engines over HTTP a second of one caller (a user, or the address of one who is not logged in); beyond it calls are slowed, and one that would wait over a second is refused (429).',
    }),
    publicUrl: setting(PUBLIC_URL.optional(), {
      zh: '人们访问主机的地址，如 https://engines.example.com。以 https 开头时登录的 Cookie 只经 https 发送。',
      en: 'Where people reach the host, such as https://engines.example.com. With https the cookie of a login is sent over https only.',
      computedDefault: { zh: '监听地址', en: 'the address it listens on' },
    }),
    allowedOrigins: setting(ORIGINS.default([]), {
      zh: '允许从浏览器调用本主机的其他网站（CORS），如 https://erp.example.com，须带令牌；默认一个也没有。环境变量中用逗号分隔。',
      en: 'Sites whose pages may call the host from browsers (CORS), such as https://erp.example.com; they bring a token. None by default. Separated by commas in the environment.',
    }),
    trustedProxies: setting(PROXIES.default([]), {
      zh: '反向代理的地址或网段：只相信来自它们的 X-Forwarded-For，登录限制和变更记录才能看到真实的客户端地址。',
      en: 'Addresses or networks of reverse proxies whose X-Forwarded-For is believed, so that login limits and the log of changes see the real client.',
    }),
  })
  .prefault({});

/** `identity.*` */
export const IDENTITY_SETTINGS = z
  .strictObject({
    tokenHours: setting(z.int().min(1).max(720).default(12), {
      zh: '登录令牌的有效时间（小时）；使用中的令牌过半后自动换新。',
      en: 'Life of a login token in hours; one in use is renewed after half of it.',
    }),
    loginDays: setting(aMonthOfDays(), {
      zh: '一次登录最长的有效天数，之后须重新输入密码。',
      en: 'Longest life of a login in days; then the password is asked for again.',
    }),
    keyRotationDays: setting(aMonthOfDays(), {
      zh: '签名密钥更换的间隔（天）；旧密钥保留到它签发的令牌过期。',
      en: 'Days until another key signs tokens; the old one stays until what it signed has expired.',
    }),
  })
  .prefault({});

/** Of a key that is none, its own text: that one is refused by its own rule. */
function hashOf(text: string): string {
  const parsed = parseApiKey(text);
  return parsed.ok ? parsed.value.sha256 : text;
}
