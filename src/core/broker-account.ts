import { tenantKey } from './tenant.ts';

/** A tenant's own user and virtual host at a RabbitMQ server. */
export interface BrokerAccount {
  readonly user: string;
  readonly password: string;
  readonly vhost: string;
  readonly permissions: BrokerPermissions;
}

/** Regular expressions over names of queues and exchanges. */
export interface BrokerPermissions {
  readonly configure: string;
  readonly write: string;
  readonly read: string;
}

/** `MQUserName` and `MQVitrualHost` hold this many characters (mq-mqtt.md 1.3). */
const COLUMN_LENGTH = 50;

/**
 * The account that a tenant gets: what its row names already, else names made of its own. Whether another tenant has
 * the same is for `mqSettingsOf` to say.
 * @param stored of the row, trimmed; empty where it says nothing.
 */
export function brokerAccountOf(
  tenant: string,
  stored: Pick<BrokerAccount, 'user' | 'password' | 'vhost'>,
  newPassword: () => string,
): BrokerAccount {
  const name = ownName(tenant);
  return {
    user: stored.user || name,
    password: stored.password || newPassword(),
    vhost: stored.vhost || name,
    permissions: brokerPermissionsOf(tenant),
  };
}

/**
 * The tenant's own names and nothing else. Messages are published through the default exchange, which the server calls
 * `amq.default`; a dead-lettering queue needs write on it, too. A checked tenant name holds nothing that a regular
 * expression reads as more than itself.
 */
export function brokerPermissionsOf(tenant: string): BrokerPermissions {
  const own = `microi\\.${tenantKey(tenant)}\\..*`;
  const withDefault = `^(${own}|amq\\.default)$`;
  return { configure: withDefault, write: withDefault, read: `^${own}$` };
}

function ownName(tenant: string): string {
  const key = tenantKey(tenant);
  const name = `microi-${key}`;
  return name.length <= COLUMN_LENGTH ? name : key;
}
