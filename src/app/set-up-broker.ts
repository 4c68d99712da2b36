import { type BrokerAccount, brokerAccountOf } from '../core/broker-account.ts';
import { AppError, orThrow } from '../core/errors.ts';
import { type MqRegistry, mqSettingsOf } from '../core/mq-settings.ts';
import { sameTenant } from '../core/tenant.ts';
import type { BrokerAdmin, BrokerAdminAccess } from '../ports/broker-admin.ts';
import type { TenantDirectory } from '../ports/tenant-store.ts';

/** Where the account is stored. */
const COLUMNS = ['MQUserName', 'MQPassword', 'MQVitrualHost'] as const;

export interface BrokerSetupServices {
  readonly directory: TenantDirectory;
  readonly brokerAdmin: BrokerAdmin;
  /** Main tenant and its URL; the rows are read anew. */
  readonly mq: Omit<MqRegistry, 'rows'>;
}

/**
 * Gives a tenant its own RabbitMQ user, virtual host and permissions and stores them as the tenant's settings
 * (mq-mqtt.md 2). Repeated, it brings the server back to what the row says. Nothing is made before the whole settings
 * are known to be right.
 * @throws AppError QUEUE_IDENTITY_*, BROKER_*, TENANT_UNKNOWN, DB_BUSY.
 */
export async function setUpBroker(
  services: BrokerSetupServices,
  tenant: string,
  access: BrokerAdminAccess,
): Promise<BrokerAccount> {
  // Two at once would each make a password, or give two tenants one name.
  return services.directory.changeSettingsAlone(() => makeAccount(services, tenant, access));
}

async function makeAccount(
  { directory, brokerAdmin, mq }: BrokerSetupServices,
  tenant: string,
  access: BrokerAdminAccess,
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
  const account = brokerAccountOf(tenant, storedOf(own.row), () => brokerAdmin.newPassword());
  const values = { MQUserName: account.user, MQPassword: account.password, MQVitrualHost: account.vhost };
  const others = rows.filter((entry) => entry !== own);
  orThrow(mqSettingsOf(tenant, { ...mq, rows: [...others, { ...own, row: { ...own.row, ...values } }] }));
  await brokerAdmin.setUp(access, account);
  await directory.saveSettings(tenant, values);
  return account;
}

function storedOf(row: Readonly<Record<string, unknown>>) {
  const text = (column: string): string => String(row[column] ?? '').trim();
  return { user: text('MQUserName'), password: text('MQPassword'), vhost: text('MQVitrualHost') };
}
