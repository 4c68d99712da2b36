/** The management interface of a RabbitMQ server, asked by an operator's command only. Implementation: adapters/amqp. */
import type { BrokerAccount } from '../core/broker-account.ts';

/** Where the interface is and who asks. The password goes into no log, error or answer. */
export interface BrokerAdminAccess {
  /** Such as `http://127.0.0.1:15672`. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

export interface BrokerAdmin {
  /** 32 characters that nobody can guess. */
  newPassword(): string;
  /**
   * Makes virtual host, user and permissions, or brings them to what is asked for; the same call twice changes nothing.
   * @throws AppError BROKER_ADMIN_UNREACHABLE, BROKER_ADMIN_LOGIN_REFUSED, BROKER_ADMIN_REFUSED,
   * BROKER_ACCOUNT_FOREIGN for a user of that name who administers the server.
   */
  setUp(access: BrokerAdminAccess, account: BrokerAccount): Promise<void>;
}
