import { coerceError } from '../core/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Retention, TenantDirectory } from '../ports/tenant-store.ts';

const PURGE_EVERY_MS = 3_600_000;

/** Removes what outlived its retention, every hour, until the signal aborts. */
export async function runRetention(
  services: { clock: Clock; log: Log; directory: TenantDirectory; retention: Retention },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await services.clock.sleep(PURGE_EVERY_MS, signal);
    if (!signal.aborted) await purgeAll(services);
  }
}

async function purgeAll(services: Parameters<typeof runRetention>[0]): Promise<void> {
  for (const store of services.directory.open()) {
    try {
      const rows = await store.purge(services.retention);
      if (rows > 0) services.log.info('retention.purged', { tenantId: store.tenant, rows });
    } catch (e) {
      services.log.warn('task.failed', { tenantId: store.tenant, task: 'retention', err: coerceError(e) });
    }
  }
}
