import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { AppError, type Lang } from '../core/errors.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import { parseJson } from '../core/json-text.ts';

/** What the command line takes from around it. Options given on it go before all of this. */
export interface CliEnvironment {
  /** `V8HOST_URL`. */
  readonly url: string | undefined;
  /** `V8HOST_TOKEN`, or the content of the file named by `V8HOST_TOKEN_FILE`. */
  readonly token: string | undefined;
  /** `V8HOST_TENANT` (or `OsClient`), else the configuration's main tenant, else `demo`. */
  readonly tenant: string;
  /** `V8HOST_TENANT` (or `OsClient`) alone. */
  readonly namedTenant: string | undefined;
  /** Absolute. Holds `host.json` and `admin.token` of the host that runs on it. */
  readonly dataDir: string;
}

/** Where the values come from; tests give their own. */
export interface EnvironmentSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Undefined when there is no such file. */
  readFile(path: string): string | undefined;
}

const DEFAULT_FILE = 'v8host.config.json';

/**
 * Reads the environment and, of the configuration file, only what finds the host: commands that speak to a running
 * host must not fail because a setting of the host's is wrong.
 * @throws AppError CONFIG_INVALID when the file cannot be read as JSON, or one that was asked for is missing.
 */
export function readCliEnvironment(configFile?: string, source: EnvironmentSource = processSource()): CliEnvironment {
  const { env } = source;
  const file = readConfigFile(nonBlank(configFile) ?? nonBlank(env.V8HOST_CONFIG), source);
  const tokenFile = nonBlank(env.V8HOST_TOKEN_FILE);
  const namedTenant = nonBlank(env.V8HOST_TENANT) ?? nonBlank(env.OsClient);
  return {
    url: nonBlank(env.V8HOST_URL),
    token: nonBlank(env.V8HOST_TOKEN) ?? (tokenFile && nonBlank(source.readFile(resolve(source.cwd, tokenFile)))),
    tenant: namedTenant ?? nonBlank(file.tenant) ?? 'demo',
    namedTenant,
    dataDir: resolve(source.cwd, nonBlank(env.V8HOST_DATA_DIR) ?? nonBlank(file.dataDir) ?? 'data'),
  };
}

/** Where the command line keeps logins: below `XDG_CONFIG_HOME`, by default `~/.config`. */
export function loginFileOf(env: EnvironmentSource['env'] = process.env): string {
  return join(nonBlank(env.XDG_CONFIG_HOME) ?? join(homedir(), '.config'), 'v8host', 'logins.json');
}

/** The language of a terminal: POSIX precedence, `zh…` is 中文, anything else English. */
export function languageOf(env: EnvironmentSource['env'] = process.env): Lang {
  const locale = nonBlank(env.LC_ALL) ?? nonBlank(env.LC_MESSAGES) ?? nonBlank(env.LANG) ?? '';
  return /^zh/i.test(locale) ? 'zh' : 'en';
}

function readConfigFile(path: string | undefined, source: EnvironmentSource): Readonly<Record<string, unknown>> {
  const text = source.readFile(resolve(source.cwd, path ?? DEFAULT_FILE));
  if (text === undefined) {
    if (path === undefined) return {};
    throw new AppError('CONFIG_INVALID', { problems: `${path}: ENOENT` });
  }
  const parsed = parseJson(text);
  const value: JsonValue = parsed.ok ? parsed.value : null;
  if (!isJsonObject(value)) throw new AppError('CONFIG_INVALID', { problems: `${path ?? DEFAULT_FILE}: JSON { … }` });
  return value;
}

/** The trimmed text; an empty one counts as absent. */
export function nonBlank(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** The real environment of this process. */
export function processSource(): EnvironmentSource {
  return { env: process.env, cwd: process.cwd(), readFile };
}

function readFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined;
    throw new AppError('CONFIG_INVALID', { problems: `${path}: ${(thrown as Error).message}` }, { cause: thrown });
  }
}
