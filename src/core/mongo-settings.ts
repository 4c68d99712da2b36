/** Which MongoDB a tenant's documents are in (mq-mqtt.md 1.3 has the same rules for RabbitMQ). */
import { bilingual } from './bilingual.ts';
import { accept, type Parsed, refuse } from './errors.ts';
import type { SettingsRow } from './sealed-secret.ts';
import { sameTenant } from './tenant.ts';

/** What the settings of all tenants are worked out from. */
export interface MongoRegistry {
  readonly mainTenant: string;
  /** Stands in for a blank `DbMongoConnection` of the main tenant. */
  readonly mongoUrl?: string | undefined;
  /** Every loaded tenant's row of `sys_osclients`. The main tenant may have none. */
  readonly rows: readonly SettingsRow[];
}

/** The column of `sys_osclients`. */
const COLUMN = 'DbMongoConnection';

/** Whose rights a connection has: on which hosts, as whom. */
interface Account {
  readonly hosts: readonly string[];
  /** Empty for a server without logins. */
  readonly user: string;
}

/**
 * The connection string of one tenant; undefined for none, whose documents are in its own database. It is never
 * inherited. Refused, for that tenant alone: SECRET_KEY_MISSING, SECRET_DAMAGED, DOCUMENTS_URL_INVALID; DOCUMENTS_ACCOUNT_SHARED when another tenant has
 * the same account on one of the hosts, because a script names any database that its account may see. A child that
 * copied the main tenant's does not refuse the main tenant.
 */
export function mongoUrlOf(tenant: string, registry: MongoRegistry): Parsed<string | undefined> {
  const unread = registry.rows.find((row) => sameTenant(row.tenant, tenant))?.unreadable?.[COLUMN];
  if (unread !== undefined) return { ok: false, error: unread };
  const url = urlOf(tenant, registry);
  if (url === '') return accept(undefined);
  const account = accountOf(url);
  if (account === undefined) {
    const field = isMain(tenant, registry) && textOf(rowOf(tenant, registry)) === '' ? 'mongoUrl' : COLUMN;
    return refuse('DOCUMENTS_URL_INVALID', { tenant, field, rule: FORM });
  }
  if (isMain(tenant, registry)) return accept(url);
  const others = [registry.mainTenant, ...registry.rows.map((row) => row.tenant)].filter(
    (other) => !sameTenant(other, tenant),
  );
  const isShared = others.some((other) => isSameAccount(account, accountOf(urlOf(other, registry))));
  return isShared ? refuse('DOCUMENTS_ACCOUNT_SHARED', { tenant }) : accept(url);
}

const FORM = bilingual(
  '须为 mongodb://用户:密码@主机:端口 或 mongodb+srv://用户:密码@主机',
  'it begins mongodb://user:password@host:port or mongodb+srv://user:password@host',
);

function urlOf(tenant: string, registry: MongoRegistry): string {
  const own = textOf(rowOf(tenant, registry));
  return own === '' && isMain(tenant, registry) ? (registry.mongoUrl ?? '') : own;
}

function isMain(tenant: string, { mainTenant }: MongoRegistry): boolean {
  return sameTenant(tenant, mainTenant);
}

function rowOf(tenant: string, { rows }: MongoRegistry): Readonly<Record<string, unknown>> {
  return rows.find((row) => sameTenant(row.tenant, tenant))?.row ?? {};
}

function textOf(row: Readonly<Record<string, unknown>>): string {
  const value = Object.entries(row).find(([name]) => name.toLowerCase() === COLUMN.toLowerCase())?.[1];
  return typeof value === 'string' ? value.trim() : '';
}

const URL_PARTS = /^mongodb(\+srv)?:\/\/(?:([^/?@]*)@)?([^/?@]+)(?:[/?].*)?$/s;
const DEFAULT_PORT = '27017';

/** Hosts are compared by name: two names of one server are not seen to be one. */
function accountOf(url: string): Account | undefined {
  const [whole, srv, login = '', hosts = ''] = URL_PARTS.exec(url) ?? [];
  if (whole === undefined) return undefined;
  const user = decoded(login.split(':')[0] ?? '');
  const names = hosts.split(',').map((host) => host.trim().toLowerCase());
  if (names.includes('')) return undefined;
  const withPort = (host: string) => (/:\d+$/.test(host) ? host : `${host}:${DEFAULT_PORT}`);
  return { user, hosts: srv === undefined ? names.map(withPort) : names };
}

function isSameAccount(one: Account, other: Account | undefined): boolean {
  return other !== undefined && one.user === other.user && one.hosts.some((host) => other.hosts.includes(host));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // The driver refuses such a login; as a name to compare it is as good as another.
    return part;
  }
}
