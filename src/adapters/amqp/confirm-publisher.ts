import type { ChannelModel } from 'amqplib';
import { AppError, coerceError } from '../../core/errors.ts';
import type { OutgoingMessage } from '../../ports/queue.ts';
import type { BrokerConnection } from './broker-connection.ts';
import { withinMs } from './deadline.ts';
import { unavailable } from './from-amqp-error.ts';
import { type PublishOutcome, PublishChannel } from './publish-channel.ts';

/** A publication is confirmed or rejected within this time. Milliseconds. */
const PUBLISH_MS = 10_000;

/** Confirm channels of a tenant. A queue has always the same one, so its messages keep their order. */
const CHANNELS = 4;

/** What may wait for the broker at once; more is refused, so that an outage cannot fill the memory. */
const MAX_BYTES = 128 * 1024 * 1024;
const MAX_MESSAGES = 50_000;

export interface PublisherOptions {
  /** The tenant's publishing connection. @throws AppError when there are no settings for one. */
  readonly connection: () => Promise<BrokerConnection>;
  /** Makes the queue on this connection, once. */
  readonly declare: (model: ChannelModel, queue: string) => Promise<void>;
}

/** Publishes a tenant's messages with mandatory and confirm: resolved means stored by the broker (G1). */
export class ConfirmPublisher {
  readonly #options: PublisherOptions;
  readonly #work = new Set<Promise<void>>();
  /** Of the connection in `#model`. */
  #channels: (Promise<PublishChannel> | undefined)[] = [];
  #declared = new Map<string, Promise<void>>();
  #model: ChannelModel | undefined;
  #messages = 0;
  #bytes = 0;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** Messages that were accepted here and are neither confirmed nor given up. */
  get unconfirmed(): number {
    return this.#messages;
  }

  /** @throws AppError QUEUE_UNAVAILABLE within ten seconds, MESSAGE_TOO_LARGE, PARAM_INVALID. */
  async publish(messages: readonly OutgoingMessage[]): Promise<void> {
    const bytes = messages.reduce((sum, message) => sum + message.body.byteLength, 0);
    this.#reserve(messages.length, bytes);
    const late = new AbortController();
    const work = this.#store(messages, late.signal).finally(() => this.#release(messages.length, bytes, work));
    this.#work.add(work);
    try {
      await withinMs(PUBLISH_MS, work);
    } catch (e) {
      const error = coerceError(e);
      throw error.code === 'QUEUE_NO_ANSWER' ? unavailable(error) : error;
    } finally {
      late.abort();
    }
  }

  /** Resolves when nothing is unconfirmed. Never rejects. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.#work]);
  }

  /** What is still there when the broker is away is bounded, whatever its callers do. */
  #reserve(messages: number, bytes: number): void {
    const isFull = this.#messages + messages > MAX_MESSAGES || this.#bytes + bytes > MAX_BYTES;
    if (isFull && this.#messages > 0) {
      throw unavailable(new AppError('QUEUE_BACKLOG_FULL', { messages: this.#messages, size: this.#bytes }));
    }
    this.#messages += messages;
    this.#bytes += bytes;
  }

  #release(messages: number, bytes: number, work: Promise<void>): void {
    this.#messages -= messages;
    this.#bytes -= bytes;
    this.#work.delete(work);
  }

  /** Returned messages are published once more, after their queue was made again (delivery.md 3.3). */
  async #store(messages: readonly OutgoingMessage[], late: AbortSignal): Promise<void> {
    const returned = await this.#publishOnce(messages, late);
    if (returned.length === 0) return;
    for (const { queue } of returned) this.#declared.delete(queue);
    const [again] = await this.#publishOnce(returned, late);
    if (again !== undefined) throw unavailable(new AppError('QUEUE_UNROUTABLE', { queue: again.queue }));
  }

  /** @returns the messages that the broker returned. */
  async #publishOnce(messages: readonly OutgoingMessage[], late: AbortSignal): Promise<readonly OutgoingMessage[]> {
    const channels = await this.#prepare(new Set(messages.map(({ queue }) => queue)), late);
    // The caller has been told that it failed: what was not sent yet must not follow.
    if (late.aborted) return [];
    const sent = messages.map((message) => channels.get(message.queue)?.send(message));
    const outcomes = await settled(sent);
    return messages.filter((_, index) => outcomes[index] === 'returned');
  }

  /** The channel of each queue, with the queue there. Callers that come together go on in the order they came. */
  async #prepare(queues: ReadonlySet<string>, late: AbortSignal): Promise<ReadonlyMap<string, PublishChannel>> {
    const connection = await this.#options.connection();
    const model = await connection.live({ outageMs: PUBLISH_MS, unblocked: true, signal: late });
    if (model !== this.#model) this.#startOn(model);
    const ready = [...queues].map(async (queue): Promise<[string, PublishChannel]> => {
      const [channel] = await Promise.all([this.#channelOf(model, queue), this.#declaredOn(model, queue)]);
      return [queue, channel];
    });
    return new Map(await Promise.all(ready));
  }

  #startOn(model: ChannelModel): void {
    this.#model = model;
    this.#channels = [];
    this.#declared = new Map();
  }

  async #channelOf(model: ChannelModel, queue: string): Promise<PublishChannel> {
    const place = placeOf(queue);
    const known = await this.#channels[place]?.catch(() => undefined);
    if (known?.isOpen) return known;
    // One that the broker closed is replaced by the first who finds it so.
  }
}
