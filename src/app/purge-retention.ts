import { coerceError } from '../core/errors.ts';
import { shortWindows } from '../core/retention-windows.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Retention, TenantDirectory, TenantStore } from '../ports/tenant-store.ts';

const PURGE_EVERY_MS = 3_600_000;
const DAY_MS = 24 * 3_600_000;

interface RetentionServices {
  readonly clock: Clock;
  readonly log: Log;
  readonly directory: TenantDirectory;
  readonly retention: Retention;
}

/** Removes what outlived its retention, every hour, until the signal aborts. Never rejects. */
export async function runRetention(services: RetentionServices, signal: AbortSignal): Promise<void> {
  const told = new Set<string>();
  while (!signal.aborted) {
    for (const store of services.directory.open()) await attempt(services, store, () => warn(services, store, told));
    await services.clock.sleep(PURGE_EVERY_MS, signal);
    if (signal.aborted) return;
    for (const store of services.directory.open()) {
      if (signal.aborted) return;
      await attempt(services, store, () => purge(services, store, signal));
    }
  }
}

async function purge({ log, retention }: RetentionServices, store: TenantStore, signal: AbortSignal): Promise<void> {
  const rows = await store.purge(retention, signal);
  if (rows > 0) log.info('retention.purged', { tenantId: store.tenant, rows });
}

/** Tells of each window that a binding's retries outlast, once in the life of the host. */
async function warn({ log, retention }: RetentionServices, store: TenantStore, told: Set<string>): Promise<void> {
  const { bindings } = await store.bindings.readAll();
  for (const binding of bindings) {
    for (const { setting, windowMs, redeliveryMs } of shortWindows(binding, retention)) {
      const key = JSON.stringify([store.tenant, binding.physicalQueue, setting, redeliveryMs]);
      if (told.has(key)) continue;
      told.add(key);
      const days = (ms: number): number => Math.round((ms / DAY_MS) * 10) / 10;
      log.warn('retention.window_short', {
        tenantId: store.tenant,
        queue: binding.physicalQueue,
        setting,
        days: days(windowMs),
        redeliveryDays: days(redeliveryMs),
      });
    }
  }
}

/** One tenant's database that is away keeps nobody else's rows. */
async function attempt({ log }: RetentionServices, store: TenantStore, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (e) {
    log.warn('task.failed', { tenantId: store.tenant, task: 'retention', err: coerceError(e) });
  }
}
