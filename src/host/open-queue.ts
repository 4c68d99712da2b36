import { join } from 'node:path';
import { createAmqpQueue } from '../adapters/amqp/amqp-queue.ts';
import { createEmbeddedQueue } from '../adapters/embedded/embedded-queue.ts';
import type { Config } from '../config/load-config.ts';
import { orThrow } from '../core/errors.ts';
import { mqSettingsOf } from '../core/mq-settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Queue } from '../ports/queue.ts';
import type { TenantDirectory } from '../ports/tenant-store.ts';

export interface QueueParts {
  readonly dataDir: string;
  readonly directory: TenantDirectory;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'settlementDropped'>;
}

/**
 * Opens RabbitMQ when `queueUrl` is configured, with each tenant's own account, else the embedded queue.
 * @throws AppError QUEUE_STORE_UNUSABLE, SCHEMA_NEWER; a RabbitMQ that is away stops no start.
 */
export async function openQueue(config: Config, parts: QueueParts): Promise<Queue> {
  const { directory, metrics, ...services } = parts;
  const queueUrl = config.queueUrl?.reveal();
  if (queueUrl === undefined) {
    const log = parts.log.child('adapters.embedded');
    return createEmbeddedQueue({ file: join(parts.dataDir, 'host.db'), log, clock: parts.clock });
  }
  return createAmqpQueue({
    ...services,
    defaultQueueType: config.queue.type,
    onStaleSettlement: (tenant) => metrics.settlementDropped(tenant),
    settingsOf: async (tenant) =>
      orThrow(mqSettingsOf(tenant, { mainTenant: config.tenant, queueUrl, rows: await directory.settings() })),
  });
}
