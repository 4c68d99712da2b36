import type { Channel, ChannelModel, Options } from 'amqplib';
import { withinMs } from './deadline.ts';
import { fromChannelError, NOT_FOUND, PRECONDITION_FAILED, replyCodeOf } from './from-amqp-error.ts';

export type QueueType = 'classic' | 'quorum';

/** Time for one answer of the broker. Milliseconds. */
export const ANSWER_MS = 10_000;

export interface QueuePlan {
  readonly queue: string;
  /** Type of a queue that is made here. */
  readonly type: QueueType;
  /** Refuse a queue of the other type; else one that exists is taken as it is. */
  readonly mustMatch: boolean;
}

/**
 * Makes the queue if there is none (mq-mqtt.md 3.4). One that exists is used with whatever arguments its maker gave
 * it. A refused declaration closes its channel, so each has one of its own and no other queue is harmed.
 * @returns whether it was made here. @throws AppError QUEUE_ARGUMENTS_DIFFER, QUEUE_ACCESS_REFUSED, QUEUE_REFUSED.
 */
export async function declareQueue(model: ChannelModel, plan: QueuePlan): Promise<'made' | 'found'> {
  try {
    if (await isThere(model, plan.queue)) {
      if (plan.mustMatch) await assertSameType(model, plan);
      return 'found';
    }
    await onOwnChannel(model, (channel) => channel.assertQueue(plan.queue, optionsOf(model, plan.type)));
    return 'made';
  } catch (error) {
    // Another node made it in between, with other arguments.
    if (replyCodeOf(error) === PRECONDITION_FAILED && !plan.mustMatch) return 'found';
    throw fromChannelError(error, plan.queue);
  }
}

/** Messages that are ready; undefined when there is no such queue. @throws the driver's error. */
export async function countReady(model: ChannelModel, queue: string): Promise<number | undefined> {
  try {
    const { messageCount } = await onOwnChannel(model, (channel) => channel.checkQueue(queue));
    return messageCount;
  } catch (error) {
    if (replyCodeOf(error) === NOT_FOUND) return undefined;
    throw error;
  }
}

async function isThere(model: ChannelModel, queue: string): Promise<boolean> {
  return (await countReady(model, queue)) !== undefined;
}

/** Declares with the type alone: a difference in anything else is the maker's business. */
async function assertSameType(model: ChannelModel, { queue, type }: QueuePlan): Promise<void> {
  try {
    await onOwnChannel(model, (channel) => channel.assertQueue(queue, typeOptions(type)));
  } catch (error) {
    const differs = replyCodeOf(error) === PRECONDITION_FAILED;
    if (!differs || /'x-queue-type'/.test(String(error))) throw error;
  }
}

/**
 * No arguments for a classic queue, as the platform declares it. A quorum queue must not count deliveries: since
 * RabbitMQ 4.0 it drops a message at the 20th otherwise; before, it does not know how to be told (delivery.md F9).
 */
function optionsOf(model: ChannelModel, type: QueueType): Options.AssertQueue {
  const options = typeOptions(type);
  if (type === 'classic' || majorVersion(model) < 4) return options;
  return { ...options, arguments: { ...options.arguments, 'x-delivery-limit': -1 } };
}

function typeOptions(type: QueueType): Options.AssertQueue {
  return { durable: true, ...(type === 'quorum' ? { arguments: { 'x-queue-type': 'quorum' } } : {}) };
}

function majorVersion(model: ChannelModel): number {
  return Number.parseInt(model.connection.serverProperties.version, 10);
}

async function onOwnChannel<T>(model: ChannelModel, work: (channel: Channel) => Promise<T>): Promise<T> {
  const channel = await withinMs(ANSWER_MS, model.createChannel());
  // The refusal comes as the rejection of the work.
  channel.on('error', () => undefined);
  channel.on('handler-error', () => undefined);
  try {
    return await withinMs(ANSWER_MS, work(channel));
  } finally {
    // Nobody waits for the end of an empty channel; a refusal has closed it already.
    void channel.close().catch(() => undefined);
  }
}
