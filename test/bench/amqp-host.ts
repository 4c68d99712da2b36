import { createAmqpQueue } from '../../src/adapters/amqp/amqp-queue.ts';
import { systemClock } from '../../src/adapters/system/system-clock.ts';
import { systemIds } from '../../src/adapters/system/system-ids.ts';
import type { Adapters } from '../../src/compose.ts';
import type { AmqpSettings } from '../../src/core/mq-settings.ts';
import { SILENT_LOG } from '../support/silent-log.ts';
import { TestHost } from '../support/test-host.ts';

/** The settings that say the same as a URL. */
export function settingsOfUrl(text: string): AmqpSettings {
  const { hostname, port, username, password, pathname } = new URL(text);
  const vhost = decodeURIComponent(pathname.slice(1)) || '/';
  return { hosts: [hostname], port: Number(port), user: username, password, vhost, tls: false };
}

/** What a host on RabbitMQ is made of. */
export interface AmqpHostOptions {
  readonly lanes: number;
  readonly settingsOf: (tenant: string) => AmqpSettings;
  readonly decorate?: (adapters: Adapters) => Adapters;
}

/** A host in this process whose queues are RabbitMQ's. Its owner calls `close`, which ends the connections, too. */
export async function openAmqpHost(
  dataDir: string,
  options: AmqpHostOptions,
): Promise<{ readonly host: TestHost; close(): Promise<void> }> {
  const { decorate = (adapters) => adapters } = options;
  const queue = await createAmqpQueue({
    settingsOf: async (tenant) => options.settingsOf(tenant),
    defaultQueueType: 'classic',
    log: SILENT_LOG,
    clock: systemClock('Asia/Shanghai'),
    ids: systemIds(),
  });
  const host = await TestHost.open(dataDir, {
    lanes: options.lanes,
    decorate: (real) => decorate({ ...real, queue }),
  });
  return {
    host,
    async close() {
      await host.close();
      await queue.close();
    },
  };
}
