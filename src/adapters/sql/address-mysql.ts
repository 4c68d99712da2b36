import { createHash } from 'node:crypto';
import type { ConnectionOptions, SslOptions } from 'mysql2';
import { bilingual } from '../../core/bilingual.ts';
import { AppError } from '../../core/errors.ts';
import { parseConnectionString } from './connection-string.ts';

/** How far TLS goes; what is checked rises from left to right. */
export type TlsMode = 'off' | 'encrypted' | 'verified' | 'identified';

const DEFAULT_PORT = 3306;

/** Both spellings of the field: of MySQL's own tools, and of the platform's connection strings. */
const TLS_MODES: Readonly<Record<string, TlsMode>> = {
  none: 'off',
  disabled: 'off',
  preferred: 'off',
  required: 'encrypted',
  verifyca: 'verified',
  verifyfull: 'identified',
  verifyidentity: 'identified',
};

const SSL: Readonly<Record<Exclude<TlsMode, 'off'>, SslOptions>> = {
  encrypted: { rejectUnauthorized: false },
  verified: { rejectUnauthorized: true },
  identified: { rejectUnauthorized: true, verifyIdentity: true },
};

export interface AddressParts {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: TlsMode;
}

/** Where a schema is and who opens it. The password leaves only by `connectOptions` and `toConnectionString`. */
export class MysqlAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly tls: TlsMode;
  readonly #password: string;
  /** Where to connect instead of resolving `host`; asked for every connection. */
  readonly route: (() => Promise<string>) | undefined;

  constructor(parts: AddressParts, route?: () => Promise<string>) {
    this.route = route;
    this.host = parts.host;
    this.port = parts.port;
    this.user = parts.user;
    this.database = parts.database;
    this.tls = parts.tls;
    this.#password = parts.password;
  }

  /**
   * Stands for the schema where those of several installations are side by side: 16 hexadecimal digits of the SHA-256 of
   * its name. The server is not in it: hosts of one installation may know it by several names.
   */
  get schemaMark(): string {
    return createHash('sha256').update(this.database).digest('hex').slice(0, 16);
  }

  /**
   * Reads `mysql://` and `mariadb://` URLs, and the platform's `Data Source=…;Database=…` form.
   * @throws AppError DB_URL_INVALID; it never quotes the text, which holds a password.
   */
  static parse(text: string): MysqlAddress {
    const trimmed = text.trim();
    return isUrl(trimmed) ? fromUrl(trimmed) : fromConnectionString(trimmed);
  }

  /** The same schema behind a check of the address that is connected to. */
  via(route: () => Promise<string>): MysqlAddress {
    const { host, port, user, database, tls } = this;
    return new MysqlAddress({ host, port, user, database, tls, password: this.#password }, route);
  }

  /** Server without user and schema, for messages. */
  get server(): string {
    return `${this.host}:${this.port}`;
  }

  /** True when both lead to one schema with one login: nothing has to be reopened. */
  equals(other: MysqlAddress): boolean {
    return this.toConnectionString() === other.toConnectionString() && this.tls === other.tls;
  }

  connectOptions(): ConnectionOptions {
    const { host, port, user, database, tls } = this;
    const ssl = tls === 'off' ? {} : { ssl: { ...SSL[tls] } };
    return { host, port, user, database, password: this.#password, ...ssl };
  }

  /** As the platform stores it in `DbConn`, so that it can open the schema, too. Holds the password. */
  toConnectionString(): string {
    const fields: (readonly [string, string])[] = [
      ['Data Source', this.host],
      ['Port', String(this.port)],
      ['Database', this.database],
      ['User Id', this.user],
      ['Password', this.#password],
      ...(this.tls === 'off' ? [] : [['SslMode', SSL_MODE[this.tls]] as const]),
    ];
    return fields.map(([name, value]) => `${name}=${quoted(value)};`).join('');
  }
}

const SSL_MODE: Readonly<Record<Exclude<TlsMode, 'off'>, string>> = {
  encrypted: 'Required',
  verified: 'VerifyCA',
  identified: 'VerifyFull',
};

/** True for a text that names a MySQL or MariaDB server by URL. */
export function isUrl(text: string): boolean {
  return /^(mysql|mariadb):\/\//i.test(text.trim());
}

function fromUrl(text: string): MysqlAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw invalid('不是合法的 URL', 'it is not a URL');
  const database = decode(url.pathname.slice(1), 'schema');
  const unknown = [...url.searchParams.keys()].find((name) => !/^ssl-?mode$/i.test(name));
  if (unknown !== undefined) throw invalid('只支持参数 ssl-mode', 'the only parameter is ssl-mode');
  return checked({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    user: decode(url.username, 'user'),
    password: decode(url.password, 'password'),
    database,
    tls: tlsMode([...url.searchParams.values()][0]),
  });
}

function decode(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(`${part} 中的 % 须写成 %25`, `a % in the ${part} is written %25`);
  }
}

function fromConnectionString(text: string): MysqlAddress {
  const fields = parseConnectionString(text);
  if (fields === undefined)
    throw invalid('既不是 mysql:// URL，也不是 名称=值 连接串', 'it is neither a mysql:// URL nor Name=value pairs');
  const port = fields.port ?? String(DEFAULT_PORT);
  return checked({
    host: fields.host ?? '',
    port: /^\d{1,5}$/.test(port) ? Number(port) : Number.NaN,
    user: fields.user ?? '',
    password: fields.password ?? '',
    database: fields.database ?? '',
    tls: tlsMode(fields.sslMode),
  });
}

function checked(parts: AddressParts): MysqlAddress {
  if (parts.host === '') throw invalid('缺少主机', 'it names no host');
  if (!(parts.port >= 1 && parts.port <= 65_535))
    throw invalid('端口须为 1 到 65535', 'the port is a number from 1 to 65535');
  if (parts.user === '') throw invalid('缺少用户名', 'it names no user');
  if (!/^[^/\\.`\0]{1,64}$/.test(parts.database)) throw invalid('缺少库名', 'it names no schema');
  return new MysqlAddress(parts);
}

function tlsMode(text: string | undefined): TlsMode {
  const mode = TLS_MODES[(text ?? 'none').replace(/[_-]/g, '').toLowerCase()];
  if (mode === undefined)
    throw invalid(
      'ssl-mode 须为 DISABLED、REQUIRED、VERIFY_CA 或 VERIFY_IDENTITY',
      'ssl-mode is one of DISABLED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY',
    );
  return mode;
}

function invalid(zh: string, en: string): AppError {
  return new AppError('DB_URL_INVALID', { rule: bilingual(zh, en) });
}

/** Values with a separator or a quote inside are quoted, the quote doubled. */
function quoted(value: string): string {
  return /[;"'=]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
