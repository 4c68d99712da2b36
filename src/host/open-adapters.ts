import { resolve } from 'node:path';
import { cwd } from 'node:process';
import { createBrokerAdmin } from '../adapters/amqp/broker-admin.ts';
import { ModuleFiles } from '../adapters/modules/module-files.ts';
import { withModules } from '../adapters/modules/module-runner.ts';
import { checkSandbox } from '../adapters/process/check-sandbox.ts';
import { createLanePool } from '../adapters/process/lane-pool.ts';
import { installedVersions, refuseUntested } from '../adapters/process/tested-versions.ts';
import { openHostLock } from '../adapters/sql/host-lock.ts';
import { systemClock } from '../adapters/system/system-clock.ts';
import { systemIds } from '../adapters/system/system-ids.ts';
import type { Adapters } from '../compose.ts';
import type { Config } from '../config/load-config.ts';
import type { Releasers } from '../lifecycle.ts';
import type { EngineRunner } from '../ports/engine-runner.ts';
import type { Log } from '../ports/log.ts';
import { createMetrics, type MetricsPage } from '../telemetry/metrics.ts';
import { runCapsOfHost } from './limit-policy-of.ts';
import { openDirectory } from './open-directory.ts';
import { openOutbound } from './open-outbound.ts';
import { openQueue } from './open-queue.ts';
import { openShared } from './open-shared.ts';

/**
 * Opens what the configuration asks for: databases, queue, cache and lanes. What was opened is registered with the
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
  const directory = await openDirectory(config, { dataDir, clock, ids, log });
  releasers.add('tenant databases', () => directory.close());
  const metrics = createMetrics();
  const queue = await openQueue(config, { dataDir, directory, clock, ids, log, metrics });
  releasers.add('queue', () => queue.close());
  const http = openOutbound(config.outbound, demoTargets);
  releasers.add('outbound HTTP', () => http.close());
  const { cache, invalidation } = await openShared(config, { dataDir, clock, log, releasers });
  const lanes = await openLanes(config, log, metrics);
  releasers.add('lanes', () => lanes.close());
  const modules = new ModuleFiles(resolve(cwd(), config.modules.dir), new Map(Object.entries(config.modules.handlers)));
  const runner = withModules(lanes, modules);
  const check = setTimeout(() => void reportCheck(runner, log), CHECK_AFTER_MS).unref();
  releasers.add('sandbox check', () => clearTimeout(check));
  const brokerAdmin = createBrokerAdmin();
  return { clock, ids, log, queue, directory, runner, http, cache, metrics, invalidation, modules, brokerAdmin };
}

/** The check computes for a second. Beside the start it would be in the way, and have no fair chance itself. */
const CHECK_AFTER_MS = 30_000;

function openLanes(config: Config, log: Log, metrics: MetricsPage): Promise<EngineRunner> {
  const { lanes, rssMb, maxLanesPerTenant, cpu, strict, strictIdleSeconds, allowUntestedVersions } = config.sandbox;
  if (!allowUntestedVersions) refuseUntested(installedVersions());
  return createLanePool({
    lanes,
    rssMb,
    caps: runCapsOfHost(config.limits),
    ...(maxLanesPerTenant === undefined ? {} : { maxLanesPerTenant }),
    cpuBurstMs: cpu.burstSeconds * 1000,
    ...(cpu.sharePercent === undefined ? {} : { cpuMsPerSecond: cpu.sharePercent * 10 }),
    ...(strict ? { strictIdleMs: strictIdleSeconds * 1000 } : {}),
    timezone: config.timezone,
    log: log.child('process'),
    onKilled: (reason) => metrics.laneKilled(reason),
  });
}

/** Says in the log whether the sandbox ends what it must on this machine. */
async function reportCheck(runner: EngineRunner, log: Log): Promise<void> {
  const findings = await checkSandbox(runner);
  if (findings.length === 0) log.info('sandbox.checked', { ...installedVersions() });
  else log.error('sandbox.check_failed', { ...installedVersions(), findings: findings.join('; ') });
}
