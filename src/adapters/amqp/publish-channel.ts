import type { ChannelModel, ConfirmChannel, Message } from 'amqplib';
import type { OutgoingMessage } from '../../ports/queue.ts';
import { withinMs } from './deadline.ts';
import { ANSWER_MS } from './declare-queue.ts';
import { fromPublishError } from './from-amqp-error.ts';
import { toPublishOptions } from './message-properties.ts';

/** `returned`: the broker had no such queue. */
export type PublishOutcome = 'stored' | 'returned';

/** A confirm that takes longer than this will perhaps never come: a quorum queue without its leader. Milliseconds. */
export const CONFIRM_MS = 10_000;

interface Unconfirmed {
  readonly message: OutgoingMessage;
  readonly sentAt: number;
  returned: boolean;
}

/** One confirm channel: it publishes pipelined and tells each message's fate. */
export class PublishChannel {
  /** Resolves when it takes no more messages. */
  readonly closed: Promise<void>;
  readonly #channel: ConfirmChannel;
  /** In the order of publishing. */
  readonly #unconfirmed = new Set<Unconfirmed>();
  /** Why the broker closed it. */
  #failure: Error | undefined;

  /** @throws the driver's error, QUEUE_NO_ANSWER. */
  static async open(model: ChannelModel): Promise<PublishChannel> {
    return new PublishChannel(await withinMs(ANSWER_MS, model.createConfirmChannel()));
  }

  private constructor(channel: ConfirmChannel) {
    this.#channel = channel;
    // Comes before the messages' callbacks, which say only that the channel is closed.
    channel.on('error', (error) => {
      this.#failure = error;
    });
    this.closed = new Promise((resolve) => channel.once('close', resolve));
    channel.on('handler-error', () => undefined);
    channel.on('return', (message) => this.#markReturned(message));
  }

  /** True when the oldest confirm is overdue. */
  get isStuck(): boolean {
    const [oldest] = this.#unconfirmed;
    return oldest !== undefined && performance.now() - oldest.sentAt > CONFIRM_MS;
  }

  /** Ends it once what else it carries had its time. */
  retire(): void {
    setTimeout(() => void this.#channel.close().catch(() => undefined), CONFIRM_MS).unref();
  }

  /**
   * Publishes; messages keep the order of the calls.
   * @throws AppError QUEUE_UNAVAILABLE when the channel ended before the confirm, MESSAGE_TOO_LARGE.
   */
  send(message: OutgoingMessage): Promise<PublishOutcome> {
    const { queue, body, props } = message;
    const entry: Unconfirmed = { message, sentAt: performance.now(), returned: false };
    return new Promise((resolve, reject) => {
      const confirmed = (error: unknown): void => {
        this.#unconfirmed.delete(entry);
        if (error === null) resolve(entry.returned ? 'returned' : 'stored');
        else reject(fromPublishError(this.#failure ?? error, queue, body.byteLength));
      };
      this.#unconfirmed.add(entry);
      try {
        this.#channel.publish('', queue, bufferOf(body), toPublishOptions(props), confirmed);
      } catch (error) {
        confirmed(error);
      }
    });
  }

  /**
   * A return comes before its message's confirm and names no delivery tag, so the message is found by what it is.
   * Equal ones stand for each other. One that is not found leaves the whole queue in doubt: sent twice beats lost.
   */
  #markReturned(returned: Message): void {
    const queue = returned.fields.routingKey;
    const candidates = [...this.#unconfirmed].filter((entry) => entry.message.queue === queue && !entry.returned);
    const found = candidates.find(({ message }) => isSame(message, returned));
    for (const entry of found === undefined ? candidates : [found]) entry.returned = true;
  }
}

function isSame({ body, props }: OutgoingMessage, returned: Message): boolean {
  const { messageId, headers } = returned.properties;
  return (
    messageId === props.messageId &&
    JSON.stringify(headers) === JSON.stringify(props.headers) &&
    returned.content.equals(body)
  );
}

/** The driver wants a Buffer; the bytes are not copied. */
function bufferOf(body: Uint8Array): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
