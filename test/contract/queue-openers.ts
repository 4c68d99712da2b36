import { join } from 'node:path';
import { createAmqpQueue } from '../../src/adapters/amqp/amqp-queue.ts';
import { createEmbeddedQueue } from '../../src/adapters/embedded/embedded-queue.ts';
import { systemClock } from '../../src/adapters/system/system-clock.ts';
import { systemIds } from '../../src/adapters/system/system-ids.ts';
import { orThrow } from '../../src/core/errors.ts';
import { mqSettingsOf } from '../../src/core/mq-settings.ts';
import type { Queue } from '../../src/ports/queue.ts';
import { SILENT_LOG } from '../support/silent-log.ts';

const clock = systemClock('Asia/Shanghai');

/** Opens an adapter at a place (a folder, a broker's URL) by its name, so that a child process can do it too. */
export const QUEUE_OPENERS: Readonly<Record<string, (place: string) => Promise<Queue>>> = {
  embedded: (folder) => createEmbeddedQueue({ file: join(folder, 'host.db'), log: SILENT_LOG, clock }),
  'amqp classic': (url) => openAmqp(url, 'classic'),
  'amqp quorum': (url) => openAmqp(url, 'quorum'),
};

function openAmqp(queueUrl: string, defaultQueueType: 'classic' | 'quorum'): Promise<Queue> {
  return createAmqpQueue({
    settingsOf: async (tenant) => orThrow(mqSettingsOf(tenant, { mainTenant: tenant, queueUrl, rows: [] })),
    defaultQueueType,
    log: SILENT_LOG,
    clock,
    ids: systemIds(),
  });
}
