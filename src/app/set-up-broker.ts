import { type BrokerAccount, brokerAccountOf } from '../core/broker-account.ts';
import { AppError, orThrow } from '../core/errors.ts';
import { type MqRegistry, mqSettingsOf } from '../core/mq-settings.ts';
import { sameTenant, tenantKey } from '../core/tenant.ts';
import type { BrokerAdmin, BrokerAdminAccess } from '../ports/broker-admin.ts';
import type { TenantDirectory } from '../ports/tenant-store.ts';
import type { KeyedLock } from './keyed-lock.ts';

/** Where the account is stored. */
const COLUMNS = ['MQUserName', 'MQPassword', 'MQVitrualHost'] as const;

/** How often the server is brought to what the row says when somebody changes the row meanwhile. */
const TRIES = 3;

export interface BrokerSetupServices {
  readonly directory: TenantDirectory;
  readonly brokerAdmin: BrokerAdmin;
  /** Main tenant and its URL; the rows are read anew. */
  readonly mq: Omit<MqRegistry, 'rows'>;
  /** By tenant: RabbitMQ refuses a user whom somebody else is making. */
  readonly turns: KeyedLock;
}

/**
 * Gives a tenant its own RabbitMQ user, virtual host and permissions and stores them as the tenant's settings
 * (mq-mqtt.md 2). Repeated, it brings the server back to what the row says. Nothing is made before the whole settings
 * are known to be right. The settings of others are not held up while the server answers, which may take a minute: the
 * account is stored only when the row still asks for it, else the server is brought to what the row says now.
 * @throws AppError QUEUE_IDENTITY_*, BROKER_*, TENANT_UNKNOWN, DB_BUSY (also when the row changes time and again).
 */
export async function setUpBroker(
  services: BrokerSetupServices,
  tenant: string,
  access: BrokerAdminAccess,
): Promise<BrokerAccount> {
  const release = await services.turns.acquire(tenantKey(tenant), NO_LIMIT);
  try {
    return await makeAndStore(services, tenant, access);
  } finally {
    release?.();
  }
}

/** Each turn ends with the answers of the server, which have their own time. */
const NO_LIMIT = (): Promise<void> => new Promise(() => undefined);

async function makeAndStore(
  services: BrokerSetupServices,
  tenant: string,
  access: BrokerAdminAccess,
): Promise<BrokerAccount> {
  const { directory, brokerAdmin } = services;
  let account = await planAccount(services, tenant, () => brokerAdmin.newPassword());
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    await brokerAdmin.setUp(access, account);
    const made = account;
    // Two at once would each store a password, or give two tenants one name.
    account = await directory.changeSettingsAlone(() => storeIfStillAsked(services, tenant, made));
    if (isSame(account, made)) return account;
  }
  throw new AppError('DB_BUSY');
}

/** @returns the account that the row asks for now; it is stored when it is the one that was made. */
async function storeIfStillAsked(
  services: BrokerSetupServices,
  tenant: string,
  made: BrokerAccount,
): Promise<BrokerAccount> {
  const asked = await planAccount(services, tenant, () => made.password);
  if (isSame(asked, made)) await services.directory.saveSettings(tenant, columnsOf(made));
  return asked;
}

/** The account that the tenant's row asks for. @throws as `setUpBroker`. */
async function planAccount(
  { directory, mq }: BrokerSetupServices,
  tenant: string,
  newPassword: () => string,
): Promise<BrokerAccount> {
  const rows = await directory.settings();
  const own = rows.find((entry) => sameTenant(entry.tenant, tenant));
  if (sameTenant(tenant, mq.mainTenant) && (own === undefined || mq.queueUrl !== undefined)) {
    throw new AppError('BROKER_ACCOUNT_MAIN', { tenant });
  }
  if (own === undefined) throw new AppError('TENANT_UNKNOWN', { tenant });
  for (const column of COLUMNS) {
    if (!Object.hasOwn(own.row, column)) throw new AppError('BROKER_COLUMN_MISSING', { column });
  }
  const account = brokerAccountOf(tenant, storedOf(own.row), newPassword);
  const others = rows.filter((entry) => entry !== own);
  const withAccount = { ...own, row: { ...own.row, ...columnsOf(account) } };
  orThrow(mqSettingsOf(tenant, { ...mq, rows: [...others, withAccount] }));
  return account;
}

function columnsOf({ user, password, vhost }: BrokerAccount): Record<(typeof COLUMNS)[number], string> {
  return { MQUserName: user, MQPassword: password, MQVitrualHost: vhost };
}

function isSame(one: BrokerAccount, other: BrokerAccount): boolean {
  return one.user === other.user && one.password === other.password && one.vhost === other.vhost;
}

function storedOf(row: Readonly<Record<string, unknown>>) {
  const text = (column: string): string => String(row[column] ?? '').trim();
  return { user: text('MQUserName'), password: text('MQPassword'), vhost: text('MQVitrualHost') };
}
