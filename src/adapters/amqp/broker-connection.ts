import { type ChannelModel, connect, type RecoveringChannelModel } from 'amqplib';
import { AppError } from '../../core/errors.ts';
import { type AmqpSettings, loggableUrl } from '../../core/mq-settings.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Log } from '../../ports/log.ts';
import { withinMs } from './deadline.ts';
import { CONNECT_TIMEOUT_MS, Endpoint, socketOptions } from './endpoint.ts';
import { fromConnectError, fromConnectionLoss, unavailable } from './from-amqp-error.ts';

/** A broker that does not answer the closing handshake is left after this time. Milliseconds. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Causes that waiting does not mend: somebody must change the settings or the broker. */
const REFUSALS: ReadonlySet<string> = new Set(['QUEUE_LOGIN_REFUSED', 'QUEUE_VHOST_REFUSED', 'QUEUE_TLS_FAILED']);

export type ConnectionState = 'connecting' | 'up' | 'blocked' | 'down' | 'closed';

export interface ConnectionServices {
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** How long to wait for a connection that is not there. */
export interface Patience {
  /** Wait while the trouble is younger than this; an older one fails at once. Milliseconds. */
  readonly outageMs: number;
  /** A blocked broker reads nothing from who publishes. */
  readonly unblocked: boolean;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
}

/**
 * One named connection that the driver restores for ever, until `close`. What was opened on it dies with each loss;
 * its owners open it anew on the connection they get from `live`.
 *
 * States: `connecting` until the first attempt ended; `up`; `blocked` while the broker takes no messages; `down`
 * after a loss or a failed attempt; `closed`.
 */
export class BrokerConnection {
  readonly settings: AmqpSettings;
  readonly #name: string;
  readonly #services: ConnectionServices;
  readonly #endpoint: Endpoint;
  #recovering: RecoveringChannelModel | undefined;
  #live: ChannelModel | undefined;
  #state: ConnectionState = 'connecting';
  /** Why it is down or blocked, and since when. */
  #trouble: { readonly cause: AppError; readonly since: number } | undefined;
  /** Failures that are in the log since the connection was up. */
  readonly #told = new Set<string>();
  #hurried = false;
  #change = Promise.withResolvers<void>();

  /** @param name such as `microi:publisher:demo`. */
  constructor(name: string, settings: AmqpSettings, services: ConnectionServices) {
    this.settings = settings;
    this.#name = name;
    this.#services = services;
    this.#endpoint = new Endpoint(settings, services.ids);
    void this.#start();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Why it is down or blocked. */
  get trouble(): AppError | undefined {
    return this.#trouble?.cause;
  }

  /** The connection as it is now. @throws AppError QUEUE_UNAVAILABLE with the reason as its cause. */
  async live(patience: Patience): Promise<ChannelModel> {
    if (!this.#isUsable(patience)) await this.#untilUsable(patience);
    if (this.#live === undefined) throw this.#unavailable();
    return this.#live;
  }

  /** Makes everybody who waits for a broker that is away give up. */
  hurry(): void {
    this.#hurried = true;
    this.#changed();
  }

  /** Closes for good; resolves within two seconds, also when the broker does not answer. */
  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    const live = this.#live;
    this.#set('closed', undefined);
    const closed = (this.#recovering?.close() ?? Promise.resolve()).catch(() => undefined);
    await withinMs(CLOSE_TIMEOUT_MS, closed).catch(() => live && abandon(live));
  }

  async #start(): Promise<void> {
    const recovery = {
      waitForConnect: false,
      calculateDelay: (attempt: number) => this.#endpoint.pauseMs(attempt, this.#isLoginRefused()),
    };
    // Resolves before the first attempt begins.
    const recovering = await connect(this.#endpoint.options, socketOptions(this.#name, this.settings, recovery));
    this.#recovering = recovering;
    recovering.on('connect', (model) => this.#connected(model));
    recovering.on('connect-failed', (error) => this.#failed(error));
    recovering.on('disconnect', (error) => this.#lost(error));
    recovering.on('blocked', (reason) => this.#blocked(reason));
    recovering.on('unblocked', () => this.#unblocked());
    // The loss itself is told by `disconnect`; without listeners either event would end the process.
    recovering.on('error', () => undefined);
    recovering.on('handler-error', () => undefined);
    if (this.#state === 'closed') await recovering.close();
  }

  #connected(model: ChannelModel): void {
    this.#live = model;
    this.#told.clear();
    this.#set('up', undefined);
    const { version } = model.connection.serverProperties;
    const { host } = this.#endpoint;
    this.#services.log.info('queue.connected', { ...this.#fields(), host, server: `RabbitMQ ${version}` });
  }

  /** One host's failure is the connection's only when no other host is left to try. */
  #failed(error: Error): void {
    const cause = fromConnectError(error, this.settings);
    const { host } = this.#endpoint;
    // The driver tries again for ever; only news is told.
    if (!this.#told.has(host + cause.message)) {
      this.#services.log.error('queue.connect_failed', { ...this.#fields(), host, err: cause });
    }
    this.#told.add(host + cause.message);
    this.#endpoint.moveOn();
    if (this.#endpoint.isAtFirst) this.#set('down', cause);
  }

  #lost(error: Error): void {
    const cause = fromConnectionLoss(error);
    this.#services.log.warn('queue.disconnected', { ...this.#fields(), err: cause });
    this.#live = undefined;
    this.#endpoint.moveOn();
    this.#set('down', cause);
  }

  #blocked(reason: string): void {
    const cause = new AppError('QUEUE_BROKER_BLOCKED', { reason });
    this.#services.log.error('queue.blocked', { ...this.#fields(), err: cause });
    this.#set('blocked', cause);
  }

  #unblocked(): void {
    this.#services.log.info('queue.unblocked', this.#fields());
    this.#set('up', undefined);
  }

  #set(state: ConnectionState, cause: AppError | undefined): void {
    if (this.#state === 'closed') return;
    this.#state = state;
    const since = this.#trouble?.since ?? this.#services.clock.now();
    this.#trouble = cause && { cause, since };
    this.#changed();
  }

  #changed(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers();
    resolve();
  }

  async #untilUsable(patience: Patience): Promise<void> {
    const { signal } = patience;
    const wake = () => this.#changed();
    signal?.addEventListener('abort', wake);
    try {
      while (!this.#isUsable(patience)) {
        if (this.#state === 'closed' || signal?.aborted || !this.#mayWait(patience)) throw this.#unavailable();
        await this.#change.promise;
      }
    } finally {
      signal?.removeEventListener('abort', wake);
    }
  }

  #isUsable({ unblocked }: Patience): boolean {
    return this.#state === 'up' || (this.#state === 'blocked' && !unblocked);
  }

  /** The first attempt is always waited for: it has a deadline of its own. */
  #mayWait({ outageMs }: Patience): boolean {
    if (this.#trouble === undefined) return true;
    if (this.#hurried || REFUSALS.has(this.#trouble.cause.code)) return false;
    return this.#services.clock.now() - this.#trouble.since < outageMs;
  }

  #isLoginRefused(): boolean {
    return this.#trouble?.cause.code === 'QUEUE_LOGIN_REFUSED';
  }

  #unavailable(): AppError {
    const noAnswer = () => new AppError('QUEUE_NO_ANSWER', { limit: CONNECT_TIMEOUT_MS });
    return this.#state === 'closed' ? new AppError('QUEUE_UNAVAILABLE') : unavailable(this.trouble ?? noAnswer());
  }

  #fields(): { connection: string; broker: string } {
    return { connection: this.#name, broker: loggableUrl(this.settings) };
  }
}

/** Ends the socket below a connection whose broker is frozen; else its timers would hold the process. */
function abandon(model: ChannelModel): void {
  const { stream } = model.connection as { stream?: { destroy(error: Error): void } };
  stream?.destroy(new Error('the broker did not answer the closing handshake'));
}
