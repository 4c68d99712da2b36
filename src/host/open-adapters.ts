import { join } from 'node:path';
import { EmbeddedInvalidation } from '../adapters/embedded/embedded-invalidation.ts';
import { createEmbeddedQueue } from '../adapters/embedded/embedded-queue.ts';
import { createHttpClient } from '../adapters/http/http-client.ts';
import { createLanePool } from '../adapters/process/lane-pool.ts';
import { openHostLock } from '../adapters/sql/host-lock.ts';
import { createSqliteDirectory } from '../adapters/sql/tenant-directory.ts';
import { systemClock } from '../adapters/system/system-clock.ts';
import { systemIds } from '../adapters/system/system-ids.ts';
import type { Adapters } from '../compose.ts';
import type { Config } from '../config/load-config.ts';
import type { Releasers } from '../lifecycle.ts';
import type { Log } from '../ports/log.ts';
import { createMetrics, type MetricsPage } from '../telemetry/metrics.ts';

/** Largest body of a response to a script (defaults.md 6). Bytes. */
const MAX_RESPONSE_BYTES = 10 * 1024 * 1024;

/**
 * Opens the embedded default: SQLite files, the durable queue and the lanes. What was opened is registered with the
 * releasers at once, also when a later step fails.
 * @param demoTargets outbound targets of the demo, beside the configured ones.
 * @throws AppError HOST_LOCKED, SCHEMA_NEWER, DB_UNAVAILABLE, QUEUE_STORE_UNUSABLE, SANDBOX_UNAVAILABLE.
 */
export async function openAdapters(
  config: Config,
  dataDir: string,
  log: Log,
  releasers: Releasers,
  demoTargets: readonly string[],
): Promise<Adapters & { readonly metrics: MetricsPage }> {
  const lock = openHostLock(dataDir);
  releasers.add('host lock', () => lock.close());
  const clock = systemClock(config.timezone);
  const ids = systemIds();
  const directory = await createSqliteDirectory({ dataDir, mainTenant: config.tenant, clock, ids, log });
  releasers.add('tenant databases', () => directory.close());
  const queue = await createEmbeddedQueue({ file: join(dataDir, 'host.db'), log: log.child('embedded'), clock });
  releasers.add('queue', () => queue.close());
  const http = createHttpClient({
    allow: [...config.outbound.allow, ...demoTargets],
    maxBodyBytes: MAX_RESPONSE_BYTES,
  });
  releasers.add('outbound HTTP', () => http.close());
  const metrics = createMetrics();
  const { lanes, rssMb } = config.sandbox;
  const runner = await createLanePool({
    lanes,
    rssMb,
    timezone: config.timezone,
    log: log.child('process'),
    onKilled: (reason) => metrics.laneKilled(reason),
  });
  releasers.add('lanes', () => runner.close());
  return { clock, ids, log, queue, directory, runner, http, metrics, invalidation: new EmbeddedInvalidation() };
}
