import type { ChannelModel } from 'amqplib';
import { AppError, coerceError } from '../../core/errors.ts';
import type { OutgoingMessage } from '../../ports/queue.ts';
import type { BrokerConnection } from './broker-connection.ts';
import { withinMs } from './deadline.ts';
import { fromChannelError, unavailable } from './from-amqp-error.ts';
import { PublishChannel } from './publish-channel.ts';

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
  /** Why that connection is down or blocked. */
  readonly trouble: () => AppError | undefined;
  /** Makes the queue on this connection. */
  readonly declare: (model: ChannelModel, queue: string) => Promise<void>;
}

interface PooledChannel {
  readonly opening: Promise<PublishChannel>;
  /** Once it is open. */
  channel: PublishChannel | undefined;
}

/** Publishes a tenant's messages with mandatory and confirm: resolved means stored by the broker (G1). */
export class ConfirmPublisher {
  readonly #options: PublisherOptions;
  /** Callers without an answer. */
  readonly #publications = new Set<Promise<void>>();
  /** Of the connection in `#model`. */
  #channels = new Map<number, PooledChannel>();
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
  publish(messages: readonly OutgoingMessage[]): Promise<void> {
    const publication = this.#publishInTime(messages);
    this.#publications.add(publication);
    const forget = () => this.#publications.delete(publication);
    publication.then(forget, forget);
    return publication;
  }

  /** Resolves when every caller has its answer. Never rejects. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.#publications]);
  }

  async #publishInTime(messages: readonly OutgoingMessage[]): Promise<void> {
    const bytes = messages.reduce((sum, message) => sum + message.body.byteLength, 0);
    this.#reserve(messages.length, bytes);
    const late = new AbortController();
    // What was written counts until its end, which may come long after the caller was told that it failed.
    const work = this.#store(messages, late.signal).finally(() => this.#release(messages.length, bytes));
    try {
      await withinMs(PUBLISH_MS, work);
    } catch (e) {
      const error = coerceError(e);
      throw error.code === 'QUEUE_NO_ANSWER' ? unavailable(this.#options.trouble() ?? error) : error;
    } finally {
      late.abort();
    }
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

  #release(messages: number, bytes: number): void {
    this.#messages -= messages;
    this.#bytes -= bytes;
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
    return sendAll(messages, channels);
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

  /** Channels and declarations of an earlier connection died with it. */
  #startOn(model: ChannelModel): void {
    this.#model = model;
    this.#channels = new Map();
    this.#declared = new Map();
  }

  #channelOf(model: ChannelModel, queue: string): Promise<PublishChannel> {
    const place = placeOf(queue);
    const known = this.#channels.get(place);
    if (known?.channel?.isStuck) known.channel.retire();
    else if (known !== undefined) return known.opening;
    return this.#openAt(place, model, queue).opening;
  }

  #openAt(place: number, model: ChannelModel, queue: string): PooledChannel {
    const channels = this.#channels;
    const opening = PublishChannel.open(model).catch((e: unknown) => Promise.reject(lost(e, queue)));
    const pooled: PooledChannel = { opening, channel: undefined };
    channels.set(place, pooled);
    const forget = () => channels.get(place) === pooled && channels.delete(place);
    opening
      .then((channel) => {
        pooled.channel = channel;
        return channel.closed;
      })
      .then(forget, forget);
    return pooled;
  }

  #declaredOn(model: ChannelModel, queue: string): Promise<void> {
    const declared = this.#declared;
    const known = declared.get(queue);
    if (known !== undefined) return known;
    const declaring = this.#options.declare(model, queue).catch((e: unknown) => Promise.reject(lost(e, queue)));
    declared.set(queue, declaring);
    declaring.catch(() => declared.delete(queue));
    return declaring;
  }
}

/**
 * Sends in order and waits for every confirm. @returns the messages that the broker returned.
 * @throws the error of a message that can never be stored, else that of any.
 */
async function sendAll(
  messages: readonly OutgoingMessage[],
  channels: ReadonlyMap<string, PublishChannel>,
): Promise<readonly OutgoingMessage[]> {
  const fates = await Promise.allSettled(messages.map((message) => channels.get(message.queue)?.send(message)));
  const errors = fates.flatMap((fate) => (fate.status === 'rejected' ? [coerceError(fate.reason)] : []));
  const error = errors.find(({ code }) => code !== 'QUEUE_UNAVAILABLE') ?? errors[0];
  if (error !== undefined) throw error;
  return messages.filter((_, index) => {
    const fate = fates[index];
    return fate?.status === 'fulfilled' && fate.value === 'returned';
  });
}

/** The queue itself may be wrong for good, such as another type; all else is the broker's trouble. */
function lost(thrown: unknown, queue: string): AppError {
  const error = fromChannelError(thrown, queue);
  return error.code === 'QUEUE_ARGUMENTS_DIFFER' ? error : unavailable(error);
}

function placeOf(queue: string): number {
  let hash = 0;
  for (let index = 0; index < queue.length; index++) hash = (hash * 31 + queue.charCodeAt(index)) % 65_521;
  return hash % CHANNELS;
}
