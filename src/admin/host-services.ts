import type { BindingStatus } from '../app/binding-status.ts';
import { callEngine, type EngineCall } from '../app/call-engine.ts';
import { callEntry, type EntryServices } from '../app/call-entry.ts';
import type { DeadLetterServices } from '../app/dead-letters.ts';
import { LogFollower } from '../app/log-follower.ts';
import type { MqttService } from '../app/mqtt-service.ts';
import type { PushServices } from '../app/push-scripts.ts';
import { type LimitSources, readLimits } from '../app/read-limits.ts';
import type { OutboxRelay } from '../app/relay-outbox.ts';
import { type SendServices, sendMessage } from '../app/send-message.ts';
import type { TenantProbes } from '../app/tenant-probes.ts';
import { changeTenantSettings, readTenantSettings, type TenantSettingsServices } from '../app/tenant-settings.ts';
import type { TrialServices } from '../app/try-message.ts';
import { bilingual } from '../core/bilingual.ts';
import { toCacheKey } from '../core/cache-key.ts';
import type { ChangeOrigin } from '../core/change-origin.ts';
import type { DosResult } from '../core/dos-result.ts';
import { AppError, coerceError, describeError, type Lang } from '../core/errors.ts';
import type { JsonValue } from '../core/json.ts';
import { isProbeTenant } from '../core/probe-tenant.ts';
import type { NoteProgress } from '../core/progress.ts';
import { toPhysicalQueue } from '../core/queue-name.ts';
import type { Backup, BackupReport } from '../ports/backup.ts';
import type { EngineRunner } from '../ports/engine-runner.ts';
import type { Log } from '../ports/log.ts';
import type { TenantDirectory, TenantStatus, TenantStore } from '../ports/tenant-store.ts';
import { bindingServices } from './binding-services.ts';
import { type BrokerServicesParts, brokerServices } from './broker-services.ts';
import { catalogueServices } from './catalogue-services.ts';
import { deadLetterServices } from './dead-letter-services.ts';
import { engineServices } from './engine-services.ts';
import { createMqttAdmin } from './mqtt-admin.ts';
import { noteHostChange } from './note-change.ts';
import { outboxServices } from './outbox-services.ts';
import { probeServices } from './probe-services.ts';
import { secretServices } from './secret-services.ts';
import type { AdminServices, HostHealth, IncomingMessage } from './services.ts';
import { storeOf } from './tenant-store-of.ts';

export interface HostServicesParts {
  readonly directory: TenantDirectory;
  readonly probes: TenantProbes;
  readonly calls: EntryServices;
  readonly pushes: PushServices;
  readonly sends: SendServices;
  readonly limits: LimitSources;
  readonly broker: BrokerServicesParts;
  readonly tenantSettings: Pick<TenantSettingsServices, 'mainMqtt' | 'settings' | 'refreshMqtt'>;
  readonly deadLetters: DeadLetterServices;
  readonly trials: TrialServices;
  readonly relay: Pick<OutboxRelay, 'sweep'>;
  readonly bindingStates: (store: TenantStore, lang: Lang) => readonly BindingStatus[];
  readonly mqtt: MqttService;
  readonly runner: EngineRunner;
  readonly backup: Backup;
  readonly log: Log;
  /** Language of messages that go into logs and results of calls without one. */
  readonly lang: Lang;
  readonly draining: AbortSignal;
  /** False until the start is complete. */
  readonly isStarted: () => boolean;
}

const PROBE_RULE = bilingual('此名称保留给 v8host selftest', 'this name is kept for v8host selftest');

/** Longest wait for the cache's answer to a probe. Milliseconds. */
const CACHE_ANSWER_MS = 1_000;

/** Serves the routes by the use cases of this host. */
export function createHostServices(parts: HostServicesParts): AdminServices {
  const { directory } = parts;
  return {
    listTenants: () => directory.list(),
    addTenant: (tenant, databaseUrl, origin) => addTenant(parts, tenant, databaseUrl, origin),
    ...probeServices(parts),
    ...brokerServices(parts.broker),
    tenantSettings: async (tenant) => readTenantSettings(parts, storeOf(directory, tenant).tenant),
    changeTenantSettings: async (tenant, { caller, ...origin }, change) => {
      const place = { store: storeOf(directory, tenant), origin, caller };
      return changeTenantSettings({ ...parts.broker, ...parts.tenantSettings }, place, change);
    },
    ...engineServices(parts),
    run: (tenant, engineKey, param, lang = parts.lang, user = undefined, trace = undefined) =>
      run(parts, tenant, { engineKey, param, lang, user, trace }),
    takeTurn: (tenant, caller) => parts.calls.entryRates.take(tenant, caller, parts.draining),
    logs: async (tenant, filter) => storeOf(directory, tenant).journal.logs(filter),
    followLogs: (tenant, options) => new LogFollower({ ...options, journal: storeOf(directory, tenant).journal }),
    writeLog: async (tenant, line) => storeOf(directory, tenant).journal.sysLog({ ...line, runId: '' }),
    callEntry: async (tenant, call) => callEntry(parts.calls, storeOf(directory, tenant), call),
    sendMessage: (tenant, queue, message, lang) => send(parts, tenant, queue, message, lang),
    story: async (tenant, eventId) => storeOf(directory, tenant).journal.story(eventId),
    deliveries: async (tenant, { state, limit }) => {
      const filter = state === undefined ? { limit } : { verdict: state, limit };
      return storeOf(directory, tenant).journal.attempts(filter);
    },
    ...deadLetterServices(parts),
    ...outboxServices(parts),
    limits: async (tenant, lang) => readLimits(parts.limits, storeOf(directory, tenant), lang),
    ...bindingServices(parts),
    mqtt: createMqttAdmin(parts.mqtt, (tenant) => storeOf(directory, tenant)),
    backUp: (dir, origin, note) => backUp(parts, dir, origin, note),
    ...secretServices(parts),
    health: () => health(parts),
    ...catalogueServices(parts),
  };
}

async function addTenant(
  parts: HostServicesParts,
  tenant: string,
  databaseUrl: string | undefined,
  origin: ChangeOrigin | undefined,
): Promise<TenantStatus> {
  if (isProbeTenant(tenant)) throw new AppError('REQUEST_INVALID', { field: 'tenant', rule: PROBE_RULE });
  const store = await parts.directory.add(tenant, databaseUrl);
  parts.log.info('tenant.provisioned', { tenantId: store.tenant });
  const change = { action: 'tenant.added', target: store.tenant, after: { ownDatabase: databaseUrl !== undefined } };
  await noteHostChange(parts.directory, origin, change);
  return { tenant: store.tenant, main: false, state: 'open' };
}

async function run(parts: HostServicesParts, tenant: string, call: EngineCall): Promise<JsonValue> {
  return callEngine(parts.calls, storeOf(parts.directory, tenant), call);
}

async function send(
  parts: HostServicesParts,
  tenant: string,
  queueName: string,
  message: IncomingMessage,
  lang: Lang,
): Promise<DosResult> {
  if (parts.draining.aborted) throw new AppError('DRAINING');
  const { eventId, messageJson, userId = null, trace } = message;
  const request = { queueName, eventId, messageJson, userId, lang, trace };
  return sendMessage(parts.sends, storeOf(parts.directory, tenant), request);
}

async function backUp(
  { backup, log, directory }: HostServicesParts,
  dir: string | undefined,
  origin: ChangeOrigin | undefined,
  note: NoteProgress | undefined,
): Promise<BackupReport> {
  const report = await backup.create(dir, note);
  log.info('host.backed_up', { dir: report.dir, files: report.files.length });
  const change = { action: 'host.backed-up', target: report.dir, after: { files: report.files.length } };
  await noteHostChange(directory, origin, change);
  return report;
}

async function health(parts: HostServicesParts): Promise<HostHealth> {
  const tenants = await parts.directory.list();
  const main = tenants.find((tenant) => tenant.main);
  const name = main?.tenant ?? '';
  const [queue, cache] = await Promise.all([queueHealth(parts, name), cacheHealth(parts, name)]);
  const phase = parts.draining.aborted ? 'draining' : parts.isStarted() ? 'running' : 'starting';
  return {
    ready: phase === 'running' && main?.state === 'open' && queue.ready,
    phase,
    tenants,
    queue,
    cache,
    lanes: parts.runner.status(),
    load: parts.runner.load(),
  };
}

/** Asks the queue about a name of the main tenant; the answer's content does not matter. */
async function queueHealth(parts: HostServicesParts, tenant: string): Promise<HostHealth['queue']> {
  const name = toPhysicalQueue(tenant, 'readyz');
  if (!name.ok) return { ready: false, reason: describeError(name.error, parts.lang) };
  return answered(parts, parts.sends.queue.depth(tenant, name.value));
}

/** Asks the cache for a key of the main tenant. One that hangs is away: the probe has no time to wait for it. */
async function cacheHealth(parts: HostServicesParts, tenant: string): Promise<HostHealth['cache']> {
  const key = toCacheKey(tenant, 'readyz');
  if (!key.ok) return { ready: false, reason: describeError(key.error, parts.lang) };
  const done = new AbortController();
  const late = parts.sends.clock.sleep(CACHE_ANSWER_MS, done.signal).then(() => {
    throw new AppError('CACHE_UNAVAILABLE', { reason: `> ${CACHE_ANSWER_MS} ms` });
  });
  // Whichever comes second is nobody's.
  late.catch(() => undefined);
  return answered(parts, Promise.race([parts.calls.cache.exists(key.value), late])).finally(() => done.abort());
}

function answered({ lang }: HostServicesParts, asked: Promise<unknown>): Promise<HostHealth['queue']> {
  return asked.then(
    () => ({ ready: true }),
    (e: unknown) => ({ ready: false, reason: describeError(coerceError(e).toRecord(), lang) }),
  );
}
