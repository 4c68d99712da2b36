import type { TestContext } from 'node:test';
import { type Channel, type ChannelModel, connect } from 'amqplib';
import { type AmqpQueue, type AmqpQueueOptions, createAmqpQueue } from '../../../src/adapters/amqp/amqp-queue.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import { systemIds } from '../../../src/adapters/system/system-ids.ts';
import type { AmqpSettings } from '../../../src/core/mq-settings.ts';
import type { OutgoingMessage } from '../../../src/ports/queue.ts';
import { RecordingLog } from '../../support/recording-log.ts';
import type { FreshVhost } from '../../support/services/fresh-vhost.ts';

export const TENANT = 'Factory-A';
export const QUEUE = 'microi.factory-a.orders';

type Cleanup = Pick<TestContext, 'after'>;

export function settingsOf({ host, port, user, password, vhost }: FreshVhost): AmqpSettings {
  return { hosts: [host], port, user, password, vhost, tls: false };
}

export interface OpenedQueue {
  readonly queue: AmqpQueue;
  readonly log: RecordingLog;
}

/** The adapter; it closes after the test. */
export async function openQueue(
  t: Cleanup,
  settings: AmqpSettings | (() => Promise<AmqpSettings>),
  options: Partial<AmqpQueueOptions> = {},
): Promise<OpenedQueue> {
  const log = new RecordingLog();
  const queue = await createAmqpQueue({
    settingsOf: typeof settings === 'function' ? settings : async () => settings,
    defaultQueueType: 'classic',
    log,
    clock: systemClock('Asia/Shanghai'),
    ids: systemIds(),
    ...options,
  });
  t.after(() => queue.close());
  return { queue, log };
}

export interface ForeignClient {
  readonly connection: ChannelModel;
  readonly channel: Channel;
}

/** Another program at the same broker; it ends after the test. */
export async function foreignClient(t: Cleanup, url: string): Promise<ForeignClient> {
  const connection = await connect(url);
  connection.on('error', () => undefined);
  t.after(() => connection.close().catch(() => undefined));
  const channel = await connection.createChannel();
  channel.on('error', () => undefined);
  return { connection, channel };
}

export function message(text: string, queue = QUEUE): OutgoingMessage {
  return { queue, body: Buffer.from(text), props: { messageId: text, headers: {} } };
}
