import type { Channel, ChannelModel, Options } from 'amqplib';
import { AppError } from '../../core/errors.ts';
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
  /** It is read in order, by one consumer at a time. */
  readonly inOrder: boolean;
  /** Whoever consumes must know how order is kept; whoever publishes takes an existing queue as it is. */
  readonly toConsume: boolean;
}

export interface DeclaredQueue {
  /** False when it was there. */
  readonly made: boolean;
  /** The broker itself lets one consumer at a time receive; else a consumer in order must subscribe exclusively. */
  readonly single: boolean;
}

/**
 * Makes the queue if there is none (mq-mqtt.md 3.4). One that exists is used with whatever arguments its maker gave
 * it. A refused declaration closes its channel, so each has one of its own and no other queue is harmed.
 * @throws AppError QUEUE_ARGUMENTS_DIFFER, QUEUE_UNORDERED, QUEUE_ACCESS_REFUSED, QUEUE_REFUSED.
 */
export async function declareQueue(model: ChannelModel, plan: QueuePlan): Promise<DeclaredQueue> {
  try {
    if (await isThere(model, plan.queue)) {
      if (plan.mustMatch) await assertSameType(model, plan);
      return { made: false, single: plan.inOrder && plan.toConsume && (await isSingle(model, plan.queue)) };
    }
    await onOwnChannel(model, (channel) => channel.assertQueue(plan.queue, optionsOf(model, plan)));
    return { made: true, single: plan.inOrder && plan.type === 'quorum' };
  } catch (error) {
    // Another node made it in between, with other arguments.
    if (replyCodeOf(error) === PRECONDITION_FAILED && !plan.mustMatch && !plan.inOrder)
      return { made: false, single: false };
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
function optionsOf(model: ChannelModel, { type, inOrder }: QueuePlan): Options.AssertQueue {
  const options = inOrder && type === 'quorum' ? SINGLE_QUORUM : typeOptions(type);
  if (type === 'classic' || majorVersion(model) < 4) return options;
  return { ...options, arguments: { ...options.arguments, 'x-delivery-limit': -1 } };
}

/** A quorum queue takes no notice of an exclusive subscription (tried on 3.10): it is told when it is made. */
const SINGLE_QUORUM: Options.AssertQueue = {
  durable: true,
  arguments: { 'x-queue-type': 'quorum', 'x-single-active-consumer': true },
};

/**
 * Whether one consumer at a time receives from an existing queue. AMQP tells by what it refuses: the broker compares
 * this argument before the type and the rest. @throws AppError QUEUE_UNORDERED for a quorum queue made without it.
 */
async function isSingle(model: ChannelModel, queue: string): Promise<boolean> {
  const difference = await differenceOf(model, queue, SINGLE_QUORUM);
  if (difference === undefined || !difference.includes("'x-single-active-consumer'")) return true;
  const kind = await differenceOf(model, queue, typeOptions('quorum'));
  if (kind?.includes("'x-queue-type'")) return false;
  throw new AppError('QUEUE_UNORDERED', { queue, difference });
}

/** What the broker finds different between an existing queue and these arguments; undefined: nothing. */
export async function differenceOf(
  model: ChannelModel,
  queue: string,
  options: Options.AssertQueue,
): Promise<string | undefined> {
  try {
    await onOwnChannel(model, (channel) => channel.assertQueue(queue, options));
    return undefined;
  } catch (error) {
    if (replyCodeOf(error) !== PRECONDITION_FAILED) throw error;
    return String(fromChannelError(error, queue).params.difference ?? error);
  }
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
