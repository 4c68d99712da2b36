import { AppError } from '../../core/errors.ts';
import type { AmqpSettings } from '../../core/mq-settings.ts';
import type { QueueInspection } from '../../core/preflight.ts';
import { tenantKey } from '../../core/tenant.ts';
import type { ConsumeOptions, Consumer, Delivery, OutgoingMessage, Queue, QueueConnection } from '../../ports/queue.ts';
import type { ConnectionServices } from './broker-connection.ts';
import type { QueueType } from './declare-queue.ts';
import { TenantBroker, type TenantBrokerStatus } from './tenant-broker.ts';

export interface AmqpQueueOptions extends ConnectionServices {
  /** How to reach a tenant's broker now; read when a connection is made. @throws AppError naming what is wrong. */
  readonly settingsOf: (tenant: string) => Promise<AmqpSettings>;
  /** Type of queues that no binding asked for in particular. */
  readonly defaultQueueType: QueueType;
  /** Called for each settlement that was dropped as stale. */
  readonly onStaleSettlement?: (tenant: string) => void;
}

/** What the queue tells about itself. */
export interface AmqpQueueStatus {
  /** Settlements dropped because their delivery was settled before or its channel was over. */
  readonly staleSettlements: number;
  /** Tenants that were used, in the order of their first use. */
  readonly tenants: readonly TenantBrokerStatus[];
}

export interface AmqpQueue extends Queue {
  status(): AmqpQueueStatus;
}

/** RabbitMQ as the queue. Nothing is connected before its first use, so a broker that is away stops no start. */
export async function createAmqpQueue(options: AmqpQueueOptions): Promise<AmqpQueue> {
  return new RabbitQueue(options);
}

class RabbitQueue implements AmqpQueue {
  readonly #options: AmqpQueueOptions;
  /** By lower-case tenant. */
  readonly #brokers = new Map<string, TenantBroker>();
  #staleSettlements = 0;
  #closing: Promise<void> | undefined;

  constructor(options: AmqpQueueOptions) {
    this.#options = { ...options, log: options.log.child('adapters.amqp') };
  }

  async publish(tenant: string, messages: readonly OutgoingMessage[]): Promise<void> {
    const broker = this.#brokerOf(tenant);
    if (messages.length > 0) await broker.publish(messages);
  }

  async consume(
    tenant: string,
    queue: string,
    options: ConsumeOptions,
    onDelivery: (delivery: Delivery) => void,
  ): Promise<Consumer> {
    return this.#brokerOf(tenant).consume(queue, options, onDelivery);
  }

  async inspect(tenant: string, queue: string): Promise<QueueInspection | undefined> {
    return this.#brokerOf(tenant).inspect(queue);
  }

  async depth(tenant: string, queue: string): Promise<{ ready: number; unsettled: number }> {
    return this.#brokerOf(tenant).depth(queue);
  }

  status(): AmqpQueueStatus {
    const tenants = [...this.#brokers.values()].map((broker) => broker.status());
    return { staleSettlements: this.#staleSettlements, tenants };
  }

  connections(): readonly QueueConnection[] {
    return [...this.#brokers.values()].flatMap((broker) => {
      const { tenant, publisher, consumer } = broker.status();
      return Object.entries({ publisher, consumer }).flatMap(([use, state]) =>
        state === undefined || state === 'closed'
          ? []
          : [{ tenant, use: use as QueueConnection['use'], state: state === 'connecting' ? 'down' : state }],
      );
    });
  }

  async refreshTenant(tenant: string, force = false): Promise<void> {
    await this.#brokers.get(tenantKey(tenant))?.refresh(force);
  }

  async closeTenant(tenant: string): Promise<void> {
    const key = tenantKey(tenant);
    const broker = this.#brokers.get(key);
    this.#brokers.delete(key);
    await broker?.close();
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all([...this.#brokers.values()].map((broker) => broker.close())).then(() => undefined);
    return this.#closing;
  }

  /** @throws AppError QUEUE_UNAVAILABLE after close. */
  #brokerOf(tenant: string): TenantBroker {
    if (this.#closing !== undefined) throw new AppError('QUEUE_UNAVAILABLE');
    const key = tenantKey(tenant);
    const known = this.#brokers.get(key);
    if (known !== undefined) return known;
    const { settingsOf, onStaleSettlement, ...services } = this.#options;
    const broker = new TenantBroker({
      ...services,
      tenant,
      settings: () => settingsOf(tenant),
      onStale: () => {
        this.#staleSettlements++;
        onStaleSettlement?.(tenant);
      },
    });
    this.#brokers.set(key, broker);
    return broker;
  }
}
