import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { AppError } from '../../core/errors.ts';
import { withinMs } from './deadline.ts';
import { ANSWER_MS } from './declare-queue.ts';

/** A broker that does not answer is left after this time; it gives everything back by itself. Milliseconds. */
const CLOSE_MS = 2_000;

export interface ConsumerChannelOptions {
  readonly queue: string;
  readonly prefetch: number;
  /** Refuse to share the queue with another consumer. */
  readonly exclusive: boolean;
  /** A name for the consumer, new at each call. */
  readonly nextTag: () => string;
  /** Must not throw. */
  readonly onMessage: (message: ConsumeMessage, channel: ConsumerChannel) => void;
}

/**
 * One life of a consumer: a channel with one subscription. Tags of its messages mean nothing on any other channel, so
 * a settlement counts only while this one is open.
 *
 * It only moves on: receiving -> cancelled (nothing new, settles what it has, ends with the last) -> ended.
 */
export class ConsumerChannel {
  /** Resolves when it is over, with the broker's reason if it gave one. */
  readonly ended: Promise<unknown>;
  readonly #channel: Channel;
  readonly #options: ConsumerChannelOptions;
  #state: 'receiving' | 'cancelled' | 'ended' = 'receiving';
  #prefetch: number;
  #tag = '';
  /** Received and not handed out, because the prefetch was lowered or is being changed. */
  #waiting: ConsumeMessage[] = [];
  /** Handed out and not settled, by delivery tag. */
  readonly #unsettled = new Map<number, ConsumeMessage>();
  #end: (reason: unknown) => void = () => undefined;
  #closed: Promise<void> | undefined;

  /** Subscribes. The queue is there. @throws the driver's error, QUEUE_NO_ANSWER. */
  static async open(model: ChannelModel, options: ConsumerChannelOptions): Promise<ConsumerChannel> {
    const opened = new ConsumerChannel(await withinMs(ANSWER_MS, model.createChannel()), options);
    try {
      await opened.#subscribe();
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  private constructor(channel: Channel, options: ConsumerChannelOptions) {
    this.#channel = channel;
    this.#options = options;
    this.#prefetch = options.prefetch;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    channel.on('error', (error) => this.#finish(error));
    channel.on('close', () => this.#finish(undefined));
    channel.on('handler-error', () => undefined);
  }

  /** Messages of this channel that the broker waits for. */
  get unsettled(): number {
    return this.#state === 'ended' ? 0 : this.#unsettled.size + this.#waiting.length;
  }

  /** @returns false when the message was settled before or its channel is over. */
  settle(message: ConsumeMessage, act: 'ack' | 'requeue'): boolean {
    if (this.#state === 'ended' || !this.#unsettled.delete(message.fields.deliveryTag)) return false;
    try {
      if (act === 'ack') this.#channel.ack(message);
      else this.#channel.nack(message, false, true);
    } catch {
      // The channel is closing, and its end not told yet: the broker gives the message to somebody else.
      return false;
    }
    this.#handOut();
    if (this.#state === 'cancelled') void this.#closeWhenDone();
    return true;
  }

  /**
   * Replaces the limit. The broker reads it at a subscription only and adds up the limits of several, so the old
   * subscription ends first. A channel that cannot change ends; the next one begins with the new limit.
   */
  async setPrefetch(prefetch: number): Promise<void> {
    this.#prefetch = prefetch;
    if (this.#state !== 'receiving') return;
    try {
      await withinMs(ANSWER_MS, this.#channel.cancel(this.#tag));
      await this.#subscribe();
    } catch (error) {
      // A channel without a subscription would look well and receive nothing.
      this.#finish(error);
      await this.close();
    }
    this.#handOut();
  }

  /** Takes nothing new and returns what was not handed out. The rest may still be settled; then the channel ends. */
  async cancel(): Promise<void> {
    if (this.#state !== 'receiving') return;
    this.#state = 'cancelled';
    if (this.#unsettled.size === 0) return this.close();
    await withinMs(CLOSE_MS, this.#channel.cancel(this.#tag)).catch(() => undefined);
    this.#giveBack(this.#waiting.splice(0));
    await this.#closeWhenDone();
  }

  /**
   * Ends the channel; resolves when the broker has everything back, or did not answer. Messages return to their places:
   * a quorum queue would put those that are returned singly behind all others.
   */
  close(): Promise<void> {
    this.#finish(undefined);
    // Everybody waits for the one handshake: a connection that closes before it may overtake the last settlements.
    this.#closed ??= withinMs(CLOSE_MS, this.#channel.close()).catch(() => undefined);
    return this.#closed;
  }

  async #subscribe(): Promise<void> {
    const { queue, exclusive, nextTag } = this.#options;
    this.#tag = nextTag();
    await withinMs(ANSWER_MS, this.#channel.prefetch(this.#prefetch));
    const receive = (message: ConsumeMessage | null) => this.#receive(message);
    await withinMs(ANSWER_MS, this.#channel.consume(queue, receive, { consumerTag: this.#tag, exclusive }));
  }

  /** Null: the broker cancelled the subscription, because the queue went away. */
  #receive(message: ConsumeMessage | null): void {
    if (message === null) {
      this.#finish(new AppError('QUEUE_GONE', { queue: this.#options.queue }));
      void this.close();
      return;
    }
    this.#waiting.push(message);
    this.#handOut();
  }

  #handOut(): void {
    while (this.#state === 'receiving' && this.#unsettled.size < this.#prefetch) {
      const message = this.#waiting.shift();
      if (message === undefined) return;
      this.#unsettled.set(message.fields.deliveryTag, message);
      this.#options.onMessage(message, this);
    }
  }

  #giveBack(messages: readonly ConsumeMessage[]): void {
    try {
      for (const message of messages) this.#channel.nack(message, false, true);
    } catch {
      // The channel is over: the broker has given them back already.
    }
  }

  async #closeWhenDone(): Promise<void> {
    if (this.#state === 'cancelled' && this.#unsettled.size === 0) await this.close();
  }

  #finish(reason: unknown): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#end(reason);
  }
}
