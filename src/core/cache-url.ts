import { bilingual } from './bilingual.ts';
import { accept, type Parsed, refuse } from './errors.ts';
import { isAddress } from './net-address.ts';

/** Where a Redis server is and who we are there. */
export interface CacheUrl {
  /** True for `rediss://`: TLS, its certificate checked against the host's name. */
  readonly tls: boolean;
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Number of the logical database. */
  readonly db: number;
  /** The address for logs: no user, no password. */
  readonly loggable: string;
}

const DEFAULT_PORT = 6_379;

// A special character in a password makes the parser see other parts, so every rule names the way to write one.
const RULE = bilingual(
  '须为 redis://[用户][:密码@]主机[:端口][/库号]，TLS 用 rediss://，没有 ? 参数；密码中的 / ? # @ % 写作 %2F %3F %23 %40 %25',
  'it has the form redis://[user][:password@]host[:port][/number], rediss:// for TLS, without options behind ?; write / ? # @ % of a password as %2F %3F %23 %40 %25',
);

/** Reads the URL of a Redis server. Refusal: CACHE_URL_INVALID with the form; it never repeats the URL. */
export function parseCacheUrl(text: string): Parsed<CacheUrl> {
  const url = URL.parse(text.trim());
  const db = /^\/?(\d{0,5})$/.exec(url?.pathname ?? '')?.[1];
  if (url === null || db === undefined || !isRedis(url)) return refuse('CACHE_URL_INVALID', { rule: RULE });
  const username = decoded(url.username);
  const password = decoded(url.password);
  if (username === undefined || password === undefined) return refuse('CACHE_URL_INVALID', { rule: RULE });
  const port = url.port === '' ? DEFAULT_PORT : Number(url.port);
  return accept({
    tls: url.protocol === 'rediss:',
    host: hostOf(url.hostname),
    port,
    username: username === '' ? undefined : username,
    password: password === '' ? undefined : password,
    db: Number(db),
    loggable: `${url.protocol}//${url.hostname}:${port}/${Number(db)}`,
  });
}

function isRedis(url: URL): boolean {
  const plain = url.search === '' && url.hash === '' && !url.href.endsWith('#');
  return /^rediss?:$/.test(url.protocol) && url.hostname !== '' && url.port !== '0' && plain;
}

function hostOf(hostname: string): string {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isAddress(bare) ? bare : hostname;
}

/** Undefined when the percent form is broken. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
