import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SavedLogin } from './login-file.ts';
import { UsageError } from './usage-error.ts';

/** Where the host is and what it asks for. */
export interface HostAddress {
  readonly url: string;
  readonly token: string | undefined;
  /** The login whose token it is. */
  readonly login?: SavedLogin;
}

/** What decides it: options first, then the environment, then what the host wrote into its data directory. */
export interface AddressHints {
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly dataDir: string;
  /** The login that is kept for an address. */
  readonly loginOf?: (url: string) => SavedLogin | undefined;
}

const DEFAULT_URL = 'http://127.0.0.1:7070';

/**
 * Finds the host. A host that started writes its address to `host.json` (its port may have moved on from 7070) and
 * its token to `admin.token`. That token is the local host's: it is not sent to an address elsewhere. A login to that
 * address goes before it.
 * @throws UsageError for a URL or token that cannot be one.
 */
export function findHost(hints: AddressHints): HostAddress {
  const written = readWrittenUrl(hints.dataDir);
  const url = checkUrl(hints.url ?? written ?? DEFAULT_URL);
  const login = hints.token === undefined ? hints.loginOf?.(url.origin) : undefined;
  if (login !== undefined) return { url: url.origin, token: checkToken(login.token), login };
  const own = url.origin === originOf(written) || isLoopback(url.hostname);
  const token = hints.token ?? (own ? readText(join(hints.dataDir, 'admin.token'))?.trim() : undefined);
  return { url: url.origin, token: checkToken(token) };
}

function checkUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.username === '') return url;
  throw new UsageError(`--url 应形如 ${DEFAULT_URL}，不含路径`, `--url looks like ${DEFAULT_URL}, without a path`);
}

function checkToken(token: string | undefined): string | undefined {
  if (token === undefined || token === '') return undefined;
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError('令牌只能含可见的 ASCII 字符', 'A token holds visible ASCII characters only');
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function originOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined;
}

function readWrittenUrl(dataDir: string): string | undefined {
  const text = readText(join(dataDir, 'host.json'));
  if (text === undefined) return undefined;
  try {
    const { url } = JSON.parse(text) as { url?: unknown };
    return typeof url === 'string' ? url : undefined;
  } catch {
    return undefined; // Half-written by a host that was killed: the default address is the next best guess.
  }
}

/** Undefined when the file is not there or not ours to read: the host then refuses, and says what is missing. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
