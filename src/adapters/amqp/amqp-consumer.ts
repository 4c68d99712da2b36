import type { ConsumeMessage } from 'amqplib';
import { type AppError, coerceError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Log } from '../../ports/log.ts';
import type { ConsumeOptions, Consumer, Delivery } from '../../ports/queue.ts';
import type { Patience } from './broker-connection.ts';
import type { ConsumerChannel, ConsumerChannelOptions } from './consumer-channel.ts';
import { fromChannelError } from './from-amqp-error.ts';
import { fromProperties } from './message-properties.ts';

/** Pauses between attempts to attach again. Milliseconds. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 15_000;

/** A consumer that held this long was well: the next trouble begins with the first pause. Milliseconds. */
const SETTLED_AFTER_MS = 30_000;

/** A channel as a consumer asks for it; whether the subscription is exclusive depends on the kind of queue. */
export interface ChannelWish extends Omit<ConsumerChannelOptions, 'exclusive'> {
  readonly alone: boolean;
}

export interface AmqpConsumerOptions {
  readonly tenant: string;
  readonly queue: string;
  /** No other consumer of the queue may receive while this one does. */
  readonly alone: boolean;
  readonly onDelivery: (delivery: Delivery) => void;
  /** Opens a channel, with the queue there. @throws AppError. */
  readonly open: (options: ChannelWish, patience: Patience) => Promise<ConsumerChannel>;
  /** A settlement was dropped. */
  readonly onStale: () => void;
  /** Nothing of it is left at the broker. */
  readonly onEnded: () => void;
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * A consumer that outlives its channels: whatever ends one (connection lost, queue deleted, acknowledgement timed out,
 * broker killed), the next is opened until `cancel`.
 *
 * Modes, one way: active -> cancelled (settles what it handed out) -> closed.
 */
export class AmqpConsumer implements Consumer {
  readonly #options: AmqpConsumerOptions;
  readonly #stop = new AbortController();
  #mode: 'active' | 'cancelled' | 'closed' = 'active';
  #prefetch: number;
  #channel: ConsumerChannel | undefined;
  /** Attempts that failed, or did not hold long, since it was last well. */
  #failures = 0;
  /** Channels that were replaced and on which something is still to be settled. */
  readonly #leaving = new Set<ConsumerChannel>();
  /** Ends the following of the current channel in favour of the next one. */
  #leave: () => void = () => undefined;
  /** Changes of the subscription, one after another. */
  #changes: Promise<unknown> = Promise.resolve();

  /** Attaches for the first time. @throws AppError QUEUE_UNAVAILABLE, QUEUE_ARGUMENTS_DIFFER and others of the queue. */
  static async attach({ prefetch }: ConsumeOptions, options: AmqpConsumerOptions): Promise<AmqpConsumer> {
    const consumer = new AmqpConsumer(prefetch, options);
    const channel = await consumer.#open({ outageMs: 0, unblocked: false });
    void consumer.#keep(channel);
    return consumer;
  }

  private constructor(prefetch: number, options: AmqpConsumerOptions) {
    this.#prefetch = prefetch;
    this.#options = options;
  }

  get isAttached(): boolean {
    return this.#mode === 'active' && this.#channel !== undefined;
  }

  get queue(): string {
    return this.#options.queue;
  }

  get unsettled(): number {
    const channels = [...this.#leaving, ...(this.#channel === undefined ? [] : [this.#channel])];
    return channels.reduce((sum, { unsettled }) => sum + unsettled, 0);
  }

  async cancel(): Promise<void> {
    if (this.#mode === 'active') this.#mode = 'cancelled';
    this.#stop.abort();
    await this.#change(async () => this.#channel?.cancel());
  }

  async close(): Promise<void> {
    this.#mode = 'closed';
    this.#stop.abort();
    await this.#change(async () => {
      await Promise.all([this.#channel, ...this.#leaving].map((channel) => channel?.close()));
    });
  }

  /**
   * Leaves its channel for the next one, which opens at once on the connection of that time. What was handed out is
   * settled on the old one; resolves when that is over, or the signal aborts: what is unsettled then comes again.
   */
  async moveOn(signal: AbortSignal): Promise<void> {
    const channel = this.#channel;
    if (channel === undefined || this.#mode !== 'active') return;
    this.#leaving.add(channel);
    this.#channel = undefined;
    // In order, what waits or runs here must not be overtaken by what the next channel receives: it comes again there.
    const cancelled = this.#change(() => (this.#options.alone ? channel.close() : channel.cancel()));
    this.#leave();
    await cancelled;
    const giveUp = () => void channel.close();
    signal.addEventListener('abort', giveUp);
    if (signal.aborted) giveUp();
    await channel.ended;
    signal.removeEventListener('abort', giveUp);
    await channel.close();
    this.#leaving.delete(channel);
  }

  async setPrefetch(prefetch: number): Promise<void> {
    this.#prefetch = prefetch;
    await this.#change(async () => this.#channel?.setPrefetch(prefetch));
  }

  #change<T>(work: () => Promise<T>): Promise<T> {
    const change = this.#changes.then(work);
    this.#changes = change.catch(() => undefined);
    return change;
  }

  async #open(patience: Patience): Promise<ConsumerChannel> {
    const { queue, alone, open, ids } = this.#options;
    const prefetch = this.#prefetch;
    const nextTag = () => `v8host-${ids.ulid()}`;
    const onMessage = (message: ConsumeMessage, from: ConsumerChannel) => this.#deliver(message, from);
    const channel = await open({ queue, alone, prefetch, nextTag, onMessage }, patience);
    this.#channel = channel;
    if (this.#mode !== 'active') await channel.close();
    else if (this.#prefetch !== prefetch) await this.#change(() => channel.setPrefetch(this.#prefetch));
    return channel;
  }

  /** Follows one channel after another until the consumer is cancelled. */
  async #keep(first: ConsumerChannel): Promise<void> {
    let channel: ConsumerChannel | undefined = first;
    while (channel !== undefined) {
      await this.#follow(channel);
      channel = await this.#openNext();
    }
    this.#options.onEnded();
  }

  async #follow(channel: ConsumerChannel): Promise<void> {
    const { clock, log } = this.#options;
    const since = clock.now();
    const left = new Promise<void>((resolve) => {
      this.#leave = resolve;
    });
    const reason = await Promise.race([channel.ended, left]);
    if (this.#leaving.has(channel)) return;
    this.#channel = undefined;
    this.#failures = clock.now() - since > SETTLED_AFTER_MS ? 0 : this.#failures + 1;
    if (this.#mode === 'active') log.warn('consumer.lost', { ...this.#fields(), err: this.#whyEnded(reason) });
  }

  /** Tries for ever; undefined once the consumer was cancelled. */
  async #openNext(): Promise<ConsumerChannel | undefined> {
    const { clock, ids, log } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await clock.sleep(pauseMs(this.#failures, ids.random()), signal);
      if (signal.aborted) break;
      try {
        const channel = await this.#open({ outageMs: Number.POSITIVE_INFINITY, unblocked: false, signal });
        if (!signal.aborted) log.info('consumer.reattached', this.#fields());
        return channel;
      } catch (e) {
        this.#reportFailure(e);
      }
    }
    return undefined;
  }

  /** At first and then now and then: the log need not hear every try. */
  #reportFailure(thrown: unknown): void {
    const failures = ++this.#failures;
    // Another consumer has taken over, as it should.
    if (coerceError(thrown).code === 'QUEUE_HELD') return;
    if (this.#mode !== 'active' || (failures > 3 && failures % 10 !== 0)) return;
    this.#options.log.warn('consumer.reattach_failed', { ...this.#fields(), failures, err: coerceError(thrown) });
  }

  #deliver(message: ConsumeMessage, channel: ConsumerChannel): void {
    const settle = async (act: 'ack' | 'requeue'): Promise<void> => {
      if (!channel.settle(message, act)) this.#options.onStale();
    };
    const delivery: Delivery = {
      queue: this.#options.queue,
      body: message.content,
      props: fromProperties(message.properties),
      redelivered: message.fields.redelivered,
      ack: () => settle('ack'),
      requeue: () => settle('requeue'),
    };
    try {
      this.#options.onDelivery(delivery);
    } catch (thrown) {
      // Against its contract; thrown on into the driver it would end the channel of every other delivery.
      this.#options.log.error('task.failed', { ...this.#fields(), err: coerceError(thrown) });
    }
  }

  #whyEnded(reason: unknown): AppError {
    return fromChannelError(reason ?? new Error('channel closed'), this.#options.queue);
  }

  #fields(): { tenantId: string; queue: string } {
    return { tenantId: this.#options.tenant, queue: this.#options.queue };
  }
}

/** The first pause is jitter alone: after a broken connection all consumers come back together. */
function pauseMs(failures: number, random: number): number {
  const step = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
  return step * (failures === 0 ? random : 0.5 + random / 2);
}
