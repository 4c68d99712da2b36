import type { ChannelModel } from 'amqplib';
import { AppError, coerceError } from '../../core/errors.ts';
import { type AmqpSettings, sameSettings } from '../../core/mq-settings.ts';
import type { QueueInspection } from '../../core/preflight.ts';
import type { ConsumeOptions, Consumer, Delivery, OutgoingMessage } from '../../ports/queue.ts';
import { AmqpConsumer, type ChannelWish } from './amqp-consumer.ts';
import { BrokerConnection, type ConnectionServices, type ConnectionState, type Patience } from './broker-connection.ts';
import { ConfirmPublisher } from './confirm-publisher.ts';
import { ConsumerChannel } from './consumer-channel.ts';
import { countReady, type DeclaredQueue, declareQueue, type QueueType } from './declare-queue.ts';
import { fromChannelError, unavailable } from './from-amqp-error.ts';
import { inspectQueue } from './inspect-queue.ts';

export interface TenantBrokerOptions extends ConnectionServices {
  readonly tenant: string;
  /** Read whenever a connection is made. @throws AppError naming what is missing. */
  readonly settings: () => Promise<AmqpSettings>;
  readonly defaultQueueType: QueueType;
  readonly onStale: () => void;
}

/** How one tenant's side of the broker is doing. */
export interface TenantBrokerStatus {
  readonly tenant: string;
  /** Undefined while there is none. */
  readonly publisher: ConnectionState | undefined;
  readonly consumer: ConnectionState | undefined;
  readonly consumers: number;
  /** Of those, how many receive at this moment. */
  readonly attached: number;
  readonly unconfirmed: number;
  /** Why something is down. For the operator, not for the tenant. */
  readonly trouble: AppError | undefined;
}

type Role = 'publisher' | 'consumer';

/** What was handed out on a connection that is replaced has this long to be settled there. Milliseconds. */
const DRAIN_MS = 60_000;

/** One tenant's pair of connections: a broker that blocks publishers must not stop the acknowledgements. */
export class TenantBroker {
  readonly #options: TenantBrokerOptions;
  readonly #connections = new Map<Role, Promise<BrokerConnection>>();
  /** Of those, the ones that exist, for reports. */
  readonly #made = new Map<Role, BrokerConnection>();
  readonly #publisher: ConfirmPublisher;
  readonly #consumers = new Set<AmqpConsumer>();
  /** Types that bindings asked for. */
  readonly #types = new Map<string, QueueType>();
  /** Queues that are read in order. */
  readonly #inOrder = new Set<string>();
  /** Replaced connections on which something is still under way; those of the last change alone have their time. */
  readonly #retired = new Set<Promise<void>>();
  /** Ends their time. */
  #hurry = new AbortController();
  #settingsError: AppError | undefined;
  /** While closing, what was accepted may still open a connection; nothing new stays. */
  #mode: 'open' | 'closing' | 'closed' = 'open';

  constructor(options: TenantBrokerOptions) {
    this.#options = options;
    this.#publisher = new ConfirmPublisher({
      connection: () => this.#connection('publisher'),
      trouble: () => this.#made.get('publisher')?.trouble,
      declare: async (model, queue) => {
        await this.#declare(model, queue, false);
      },
    });
  }

  publish(messages: readonly OutgoingMessage[]): Promise<void> {
    return this.#publisher.publish(messages);
  }

  async consume(
    queue: string,
    { queueType, alone = false, ...options }: ConsumeOptions,
    onDelivery: (delivery: Delivery) => void,
  ): Promise<Consumer> {
    if (queueType === undefined) this.#types.delete(queue);
    else this.#types.set(queue, queueType);
    if (alone) this.#inOrder.add(queue);
    else this.#inOrder.delete(queue);
    const { tenant, onStale, log, clock, ids } = this.#options;
    const consumer: AmqpConsumer = await AmqpConsumer.attach(options, {
      tenant,
      queue,
      alone,
      onDelivery,
      open: (channelOptions, patience) => this.#openChannel(channelOptions, patience),
      onStale,
      onEnded: () => this.#consumers.delete(consumer),
      log,
      clock,
      ids,
    });
    this.#consumers.add(consumer);
    if (this.#mode !== 'open') await consumer.close();
    return consumer;
  }

  /** Ready at the broker; unsettled by the consumers of this process. */
  async depth(queue: string): Promise<{ ready: number; unsettled: number }> {
    const own = [...this.#consumers].filter((consumer) => consumer.queue === queue);
    const connection = await this.#connection('consumer');
    const model = await connection.live({ outageMs: 0, unblocked: false });
    try {
      const ready = (await countReady(model, queue)) ?? 0;
      return { ready, unsettled: own.reduce((sum, consumer) => sum + consumer.unsettled, 0) };
    } catch (e) {
      throw unavailable(fromChannelError(e, queue));
    }
  }

  /** What the queue was declared with; undefined when the account may not declare. */
  async inspect(queue: string): Promise<QueueInspection | undefined> {
    const connection = await this.#connection('consumer');
    const model = await connection.live({ outageMs: 0, unblocked: false });
    try {
      return await inspectQueue(model, queue);
    } catch (e) {
      const error = fromChannelError(e, queue);
      if (error.code === 'QUEUE_ACCESS_REFUSED') return undefined;
      throw BROKER_AWAY.has(error.code) ? unavailable(error) : error;
    }
  }

  /**
   * Reads the settings again. Changed ones, or any when forced, replace the connections: what is under way is confirmed
   * and settled on the old ones, then consumers attach to the new. Settings that are refused now close them at once.
   * @throws AppError when they cannot be read.
   */
  async refresh(force: boolean): Promise<void> {
    if (this.#made.size === 0 && this.#retired.size === 0) return;
    const wanted = await this.#readSettings().catch((error: AppError) => {
      if (SETTINGS_REFUSED.has(error.code)) return undefined;
      throw error;
    });
    const old = [...this.#made].filter(
      ([, { settings }]) => force || wanted === undefined || !sameSettings(settings, wanted),
    );
    for (const [role] of old) {
      this.#made.delete(role);
      this.#connections.delete(role);
    }
    const connections = old.map(([, connection]) => connection);
    if (wanted === undefined) {
      this.#hurry.abort();
      return closeAll(connections);
    }
    if (connections.length > 0) this.#retire(connections);
  }

  /** In the background: a long run must not hold up what else its caller looks after. */
  #retire(connections: readonly BrokerConnection[]): void {
    // Each has a prefetch of its own: a tenant that changes again and again would hold more and more of the broker.
    this.#hurry.abort();
    this.#hurry = new AbortController();
    const late = AbortSignal.any([this.#hurry.signal, AbortSignal.timeout(DRAIN_MS)]);
    const moving = [...this.#consumers].map((consumer) => consumer.moveOn(late));
    const retired = Promise.allSettled([this.#publisher.idle(), ...moving]).then(() => closeAll(connections));
    this.#retired.add(retired);
    void retired.finally(() => this.#retired.delete(retired));
  }

  status(): TenantBrokerStatus {
    const [publisher, consumer] = [this.#made.get('publisher'), this.#made.get('consumer')];
    const consumers = [...this.#consumers];
    return {
      tenant: this.#options.tenant,
      publisher: publisher?.state,
      consumer: consumer?.state,
      consumers: consumers.length,
      attached: consumers.filter(({ isAttached }) => isAttached).length,
      unconfirmed: this.#publisher.unconfirmed,
      trouble: this.#settingsError ?? publisher?.trouble ?? consumer?.trouble,
    };
  }

  /** Confirms what is under way, gives back what is unsettled, then closes the connections. */
  async close(): Promise<void> {
    this.#mode = 'closing';
    this.#hurry.abort();
    for (const connection of this.#made.values()) connection.hurry();
    const consumers = [...this.#consumers].map((consumer) => consumer.close());
    await Promise.all([this.#publisher.idle(), ...consumers]);
    this.#mode = 'closed';
    await Promise.all([...this.#retired, closeAll([...this.#made.values()])]);
  }

  async #openChannel({ alone, ...options }: ChannelWish, patience: Patience): Promise<ConsumerChannel> {
    const { queue } = options;
    const connection = await this.#connection('consumer');
    const model = await connection.live(patience);
    try {
      const { single } = await this.#declare(model, queue, true);
      return await ConsumerChannel.open(model, { ...options, exclusive: alone && !single });
    } catch (e) {
      const error = fromChannelError(e, queue);
      throw BROKER_AWAY.has(error.code) ? unavailable(error) : error;
    }
  }

  /** @param forConsumer a binding's type is checked where it is consumed; whoever publishes takes the queue as it is. */
  async #declare(model: ChannelModel, queue: string, forConsumer: boolean): Promise<DeclaredQueue> {
    const asked = this.#types.get(queue);
    const type = asked ?? this.#options.defaultQueueType;
    const mustMatch = forConsumer && asked !== undefined;
    // Whoever publishes first must make it as its consumer needs it.
    const inOrder = this.#inOrder.has(queue);
    const declared = await declareQueue(model, { queue, type, mustMatch, inOrder, toConsume: forConsumer });
    if (declared.made) this.#options.log.info('queue.declared', { tenantId: this.#options.tenant, queue, type });
    return declared;
  }

  /** Made at the first use; one that could not be made for want of settings is tried again at the next. */
  #connection(role: Role): Promise<BrokerConnection> {
    const known = this.#connections.get(role);
    if (known !== undefined) return known;
    const connecting = this.#connect(role);
    this.#connections.set(role, connecting);
    connecting.catch(() => this.#connections.delete(role));
    return connecting;
  }

  async #connect(role: Role): Promise<BrokerConnection> {
    this.#refuseWhenClosed();
    const settings = await this.#readSettings().catch((error: AppError) => Promise.reject(unavailable(error)));
    this.#refuseWhenClosed();
    const connection = new BrokerConnection(`microi:${role}:${this.#options.tenant}`, settings, this.#options);
    this.#made.set(role, connection);
    return connection;
  }

  #refuseWhenClosed(): void {
    if (this.#mode === 'closed') throw new AppError('QUEUE_UNAVAILABLE');
  }

  async #readSettings(): Promise<AmqpSettings> {
    const { settings, log, tenant } = this.#options;
    try {
      const read = await settings();
      this.#settingsError = undefined;
      return read;
    } catch (e) {
      const error = coerceError(e);
      // Every message would tell it again.
      if (this.#settingsError?.message !== error.message)
        log.error('queue.settings_refused', { tenantId: tenant, err: error });
      this.#settingsError = error;
      throw error;
    }
  }
}

async function closeAll(connections: readonly BrokerConnection[]): Promise<void> {
  await Promise.all(connections.map((connection) => connection.close()));
}

/** The tenant's own settings are wrong: no connection may stay, whatever it was made with (mq-mqtt.md 2.2). */
const SETTINGS_REFUSED: ReadonlySet<string> = new Set([
  'QUEUE_IDENTITY_MISSING',
  'QUEUE_IDENTITY_INVALID',
  'QUEUE_IDENTITY_SHARED',
  'TENANT_UNKNOWN',
]);

/** Not the queue's fault. */
const BROKER_AWAY: ReadonlySet<string> = new Set(['QUEUE_CONNECTION_LOST', 'QUEUE_NO_ANSWER']);
