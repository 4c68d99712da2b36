import { bilingual } from './bilingual.ts';
import { accept, orThrow, type Parsed, refuse } from './errors.ts';
import { parseQueueUrl } from './queue-url.ts';
import type { SettingsRow } from './sealed-secret.ts';
import { sameTenant } from './tenant.ts';

/** How the host reaches one tenant's RabbitMQ. */
export interface AmqpSettings {
  /** At least one; tried in random order. */
  readonly hosts: readonly string[];
  /** One port for all hosts. */
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly vhost: string;
  /** TLS with every host, or no connection. */
  readonly tls: boolean;
  /** Name that every host's certificate must bear; without it each must bear its own. */
  readonly tlsServerName?: string;
}

/** A row of `sys_osclients` as the database gave it, perhaps without some of the columns. */
export type MqRow = Readonly<Record<string, unknown>>;

/** What the settings of all tenants are worked out from. */
export interface MqRegistry {
  readonly mainTenant: string;
  /** Fills blank fields of the main tenant. Checked with the configuration. */
  readonly queueUrl?: string | undefined;
  /** Every loaded tenant. The main tenant may have no row. */
  readonly rows: readonly SettingsRow[];
}

/** Infrastructure: a tenant that leaves one blank uses the main tenant's (mq-mqtt.md 1.3). */
const SHARED = ['MQHost', 'MQPort', 'MQUseTls', 'MQTlsServerName'] as const;

/** Credentials: never inherited, never shared. The spelling is the platform's. */
const IDENTITY = ['MQUserName', 'MQPassword', 'MQVitrualHost'] as const;

type Field = (typeof SHARED)[number] | (typeof IDENTITY)[number];

/** All fields as trimmed text; blank means missing. */
type Fields = Readonly<Record<Field, string>>;

/**
 * The RabbitMQ settings of one tenant, from all tenants' rows (mq-mqtt.md 1.3, 2.1, 2.2). Fails closed, for that
 * tenant alone; there is no fallback to the main tenant's account.
 *
 * Refusals: TENANT_UNKNOWN; SECRET_KEY_MISSING and SECRET_DAMAGED; QUEUE_IDENTITY_MISSING and QUEUE_IDENTITY_INVALID naming the column;
 * QUEUE_IDENTITY_SHARED when another tenant has the same user, password or virtual host.
 */
export function mqSettingsOf(tenant: string, registry: MqRegistry): Parsed<AmqpSettings> {
  const main = mainFields(registry);
  const own = fieldsOf(tenant, registry, main);
  if (own === undefined) return refuse('TENANT_UNKNOWN', { tenant });
  const unread = entryOf(tenant, registry)?.unreadable?.MQPassword;
  if (unread !== undefined) return { ok: false, error: unread };
  const settings = readFields(tenant, own);
  if (!settings.ok) return settings;
  const others = otherTenants(tenant, registry).map((other) => fieldsOf(other, registry, main));
  // Compared after trimming, case and all.
  const shared = IDENTITY.find((field) => others.some((other) => other?.[field] === own[field]));
  return shared === undefined ? settings : refuse('QUEUE_IDENTITY_SHARED', { tenant, field: shared });
}

/** Where a connection goes, for logs and errors: no user, no password. */
export function loggableUrl(settings: AmqpSettings): string {
  const hosts = settings.hosts.map((host) => (host.includes(':') ? `[${host}]` : host)).join(',');
  return `${settings.tls ? 'amqps' : 'amqp'}://${hosts}:${settings.port}/${encodeURIComponent(settings.vhost)}`;
}

/** True when both lead to the same broker in the same way, so that a connection may stay. */
export function sameSettings(a: AmqpSettings, b: AmqpSettings): boolean {
  return JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));
}

function canonical(settings: AmqpSettings): readonly unknown[] {
  const { hosts, port, user, password, vhost, tls, tlsServerName } = settings;
  return [[...hosts].sort(), port, user, password, vhost, tls, tlsServerName];
}

/** The fields in force for a tenant; undefined when nobody knows it. */
function fieldsOf(tenant: string, registry: MqRegistry, main: Fields): Fields | undefined {
  if (sameTenant(tenant, registry.mainTenant)) return main;
  const row = rowOf(tenant, registry);
  return row === undefined ? undefined : childFields(textsOf(row), main);
}

function mainFields(registry: MqRegistry): Fields {
  const { mainTenant, queueUrl } = registry;
  const row = textsOf(rowOf(mainTenant, registry) ?? {});
  if (queueUrl === undefined || queueUrl === '') return row;
  return merged(row, { ...NO_FIELDS, ...orThrow(parseQueueUrl(queueUrl)) }, [...SHARED, ...IDENTITY]);
}

/**
 * A credential equal to the main tenant's was copied, not given: it counts as missing, so that the copy refuses the
 * child and not the main tenant.
 */
function childFields(own: Fields, main: Fields): Fields {
  const copied = IDENTITY.filter((field) => own[field] === main[field]);
  return { ...merged(own, main, SHARED), ...Object.fromEntries(copied.map((field) => [field, ''])) };
}

/** `own` with the listed fields filled from `other` where they are blank. */
function merged(own: Fields, other: Fields, fields: readonly Field[]): Fields {
  const blank = fields.filter((field) => own[field] === '');
  return { ...own, ...Object.fromEntries(blank.map((field) => [field, other[field]])) };
}

function otherTenants(tenant: string, { mainTenant, rows }: MqRegistry): readonly string[] {
  return [mainTenant, ...rows.map((entry) => entry.tenant)].filter((other) => !sameTenant(other, tenant));
}

/** Names that differ in case only mean the same tenant; the first row counts, as in the tenant directory. */
function entryOf(tenant: string, { rows }: MqRegistry): SettingsRow | undefined {
  return rows.find((entry) => sameTenant(entry.tenant, tenant));
}

function rowOf(tenant: string, registry: MqRegistry): MqRow | undefined {
  return entryOf(tenant, registry)?.row;
}

const NO_FIELDS: Fields = Object.freeze({
  MQHost: '',
  MQPort: '',
  MQUseTls: '',
  MQTlsServerName: '',
  MQUserName: '',
  MQPassword: '',
  MQVitrualHost: '',
});

function textsOf(row: MqRow): Fields {
  const fields: Record<Field, string> = { ...NO_FIELDS };
  for (const field of [...SHARED, ...IDENTITY]) fields[field] = String(row[field] ?? '').trim();
  return fields;
}

function readFields(tenant: string, fields: Fields): Parsed<AmqpSettings> {
  const hosts = splitHosts(fields.MQHost);
  const missing =
    hosts.length === 0 ? 'MQHost' : (['MQPort', ...IDENTITY] as const).find((name) => fields[name] === '');
  if (missing !== undefined) return refuse('QUEUE_IDENTITY_MISSING', { tenant, field: missing });
  const port = /^\d{1,5}$/.test(fields.MQPort) ? Number(fields.MQPort) : 0;
  if (port < 1 || port > 65_535) return invalid(tenant, 'MQPort', PORT_RULE);
  // A word that is neither must not end in passwords sent in clear text.
  const tls = /^(1|true|yes)$/i.test(fields.MQUseTls);
  if (!tls && !/^(|0|false|no)$/i.test(fields.MQUseTls)) return invalid(tenant, 'MQUseTls', SWITCH_RULE);
  return accept({
    hosts,
    port,
    user: fields.MQUserName,
    password: fields.MQPassword,
    vhost: fields.MQVitrualHost,
    tls,
    ...(fields.MQTlsServerName === '' ? {} : { tlsServerName: fields.MQTlsServerName }),
  });
}

const PORT_RULE = bilingual('须为 1 到 65535 的整数', 'must be a whole number from 1 to 65535');
const SWITCH_RULE = bilingual('须为 1 或 0', 'must be 1 or 0');

function invalid(tenant: string, field: Field, rule: string): ReturnType<typeof refuse> {
  return refuse('QUEUE_IDENTITY_INVALID', { tenant, field, rule });
}

/** Hosts cannot carry a port of their own. */
function splitHosts(text: string): readonly string[] {
  const hosts = new Map<string, string>();
  for (const host of text.split(',').map((part) => part.trim())) {
    if (host !== '' && !hosts.has(host.toLowerCase())) hosts.set(host.toLowerCase(), host);
  }
  return [...hosts.values()];
}
