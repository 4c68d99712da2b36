import { cpus, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { cwd } from 'node:process';
import { createBrokerAdmin } from '../adapters/amqp/broker-admin.ts';
import { ModuleFiles } from '../adapters/modules/module-files.ts';
import { withModules } from '../adapters/modules/module-runner.ts';
import { checkSandbox } from '../adapters/process/check-sandbox.ts';
import { createLanePool } from '../adapters/process/lane-pool.ts';
import { installedVersions, refuseUntested } from '../adapters/process/tested-versions.ts';
import { SqlExtraDatabases } from '../adapters/sql/extra-databases.ts';
import { openHostLock } from '../adapters/sql/host-lock.ts';
import { refuseUnfinishedRestore } from '../adapters/sql/restore-mark.ts';
import { createPasswordHasher } from '../adapters/system/password-hasher.ts';
import { systemClock } from '../adapters/system/system-clock.ts';
import { systemIds } from '../adapters/system/system-ids.ts';
import type { Adapters } from '../compose.ts';
import type { Config } from '../config/load-config.ts';
import type { Releasers } from '../lifecycle.ts';
import type { EngineRunner } from '../ports/engine-runner.ts';
import type { Log } from '../ports/log.ts';
import { createMetrics, type MetricsPage } from '../telemetry/metrics.ts';
import { laneVerdict } from './doctor/examine-machine.ts';
import { runCapsOfHost } from './limit-policy-of.ts';
import { openBackup } from './open-backup.ts';
import { openDirectory } from './open-directory.ts';
import { openDocuments } from './open-documents.ts';
import { openOutbound, openServerGuard } from './open-outbound.ts';
import { openQueue } from './open-queue.ts';
import { openShared } from './open-shared.ts';
import { openTracer } from './open-tracer.ts';
import { provideSecretBox } from './secret-keys.ts';

/**
 * Opens what the configuration asks for: databases, queue, cache and lanes. What was opened is registered with the
 * releasers at once, also when a later step fails.
 * @param demoTargets outbound targets of the demo, beside the configured ones.
 * @throws AppError HOST_LOCKED, DATA_DIR_UNUSABLE, SECRET_KEY_FILE_INVALID, SCHEMA_NEWER, DB_UNAVAILABLE, QUEUE_STORE_UNUSABLE, SANDBOX_UNAVAILABLE.
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
  refuseUnfinishedRestore(dataDir);
  const clock = systemClock(config.timezone);
  const ids = systemIds();
  const box = provideSecretBox(config, dataDir);
  const directory = await openDirectory(config, { dataDir, clock, ids, log, box });
  releasers.add('tenant databases', () => directory.close());
  const metrics = createMetrics();
  const tracer = await openTracer(config, { ids, log, metrics, releasers });
  const queue = await openQueue(config, { dataDir, directory, clock, ids, log, metrics });
  releasers.add('queue', () => queue.close());
  const http = openOutbound(config.outbound, demoTargets);
  releasers.add('outbound HTTP', () => http.close());
  const databases = new SqlExtraDatabases({
    dataDir,
    clock,
    log,
    timeZone: config.timezone,
    guard: openServerGuard(config.outbound),
    neighbours: () => directory.neighbours(),
  });
  releasers.add('other databases', () => databases.close());
  const { cache, invalidation, locks } = await openShared(config, { dataDir, clock, log, releasers });
  const documents = openDocuments(config, { directory, clock, log });
  releasers.add('MongoDB', () => documents.close());
  const modules = new ModuleFiles(resolve(cwd(), config.modules.dir), new Map(Object.entries(config.modules.handlers)));
  const runner = await openRunner(config, { modules, log, metrics, releasers });
  const brokerAdmin = createBrokerAdmin();
  const backup = openBackup(config, { dataDir, directory, clock });
  const hasher = createPasswordHasher();
  return {
    backup,
    clock,
    ids,
    log,
    queue,
    directory,
    runner,
    http,
    cache,
    documents,
    databases,
    metrics,
    tracer,
    invalidation,
    locks,
    modules,
    brokerAdmin,
    hasher,
  };
}

interface RunnerParts {
  readonly modules: ModuleFiles;
  readonly log: Log;
  readonly metrics: MetricsPage;
  readonly releasers: Releasers;
}

async function openRunner(config: Config, { modules, log, metrics, releasers }: RunnerParts): Promise<EngineRunner> {
  const lanes = await openLanes(config, log, metrics);
  releasers.add('lanes', () => lanes.close());
  const runner = withModules(lanes, modules);
  releasers.add('sandbox check', checkLater(runner, log));
  return runner;
}

/** Beside the start the check would be in the way, and have no fair chance itself. */
const CHECK_AFTER_MS = 30_000;
/** On a machine that was too busy to tell, it is tried again. */
const CHECK_AGAIN_MS = 600_000;

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

/** @returns how to have no more checks. */
function checkLater(runner: EngineRunner, log: Log): () => void {
  const check = async (): Promise<void> => {
    if ((await reportCheck(runner, log)) === 'undecided') timer = setTimeout(check, CHECK_AGAIN_MS).unref();
  };
  let timer = setTimeout(check, CHECK_AFTER_MS).unref();
  return () => clearTimeout(timer);
}

/**
 * Says in the log whether the sandbox ends what it must on this machine. Where more wants to run than there are CPUs, what
 * did not hold proves nothing, so that nobody is called for it.
 */
async function reportCheck(runner: EngineRunner, log: Log): Promise<'decided' | 'undecided'> {
  const findings = await checkSandbox(runner);
  const machine = { load: loadavg()[0] ?? 0, cpus: cpus().length };
  const { level } = laneVerdict('', findings, machine);
  const fields = { ...installedVersions(), findings: findings.join('; ') };
  if (level === 'ok') log.info('sandbox.checked', { ...installedVersions() });
  else if (level === 'problem') log.error('sandbox.check_failed', fields);
  else log.warn('sandbox.check_undecided', { ...fields, load: machine.load });
  return level === 'notice' ? 'undecided' : 'decided';
}
