import { type CallServices, callEngine } from '../app/call-engine.ts';
import type { DeadLetterServices } from '../app/dead-letters.ts';
import type { MqttService } from '../app/mqtt-service.ts';
import { type PushServices, pushScripts } from '../app/push-scripts.ts';
import { type LimitSources, readLimits } from '../app/read-limits.ts';
import { type SendServices, sendMessage } from '../app/send-message.ts';
import type { TrialServices } from '../app/try-message.ts';
import type { DosResult } from '../core/dos-result.ts';
import { AppError, coerceError, describeError, type Lang } from '../core/errors.ts';
import type { JsonValue } from '../core/json.ts';
import { toPhysicalQueue } from '../core/queue-name.ts';
import type { EngineRunner } from '../ports/engine-runner.ts';
import type { Log } from '../ports/log.ts';
import type { TenantDirectory, TenantStatus } from '../ports/tenant-store.ts';
import { type BrokerServicesParts, brokerServices } from './broker-services.ts';
import { deadLetterServices } from './dead-letter-services.ts';
import { createMqttAdmin } from './mqtt-admin.ts';
import type { AdminServices, HostHealth, IncomingMessage, PushOutcome } from './services.ts';
import { storeOf } from './tenant-store-of.ts';

export interface HostServicesParts {
  readonly directory: TenantDirectory;
  readonly calls: CallServices;
  readonly pushes: PushServices;
  readonly sends: SendServices;
  readonly limits: LimitSources;
  readonly broker: BrokerServicesParts;
  readonly deadLetters: DeadLetterServices;
  readonly trials: TrialServices;
  readonly mqtt: MqttService;
  readonly runner: EngineRunner;
  readonly log: Log;
  /** Language of messages that go into logs and results of calls without one. */
  readonly lang: Lang;
  readonly draining: AbortSignal;
  /** False until the start is complete. */
  readonly isStarted: () => boolean;
}

/** Serves the routes by the use cases of this host. */
export function createHostServices(parts: HostServicesParts): AdminServices {
  const { directory } = parts;
  return {
    listTenants: () => directory.list(),
    addTenant: (tenant, databaseUrl) => addTenant(parts, tenant, databaseUrl),
    ...brokerServices(parts.broker),
    push: (tenant, request) => push(parts, tenant, request),
    run: (tenant, engineKey, param, lang) => run(parts, tenant, engineKey, param, lang ?? parts.lang),
    sendMessage: (tenant, queue, message, lang) => send(parts, tenant, queue, message, lang),
    story: async (tenant, eventId) => storeOf(directory, tenant).journal.story(eventId),
    deliveries: async (tenant, { state, limit }) => {
      const filter = state === undefined ? { limit } : { verdict: state, limit };
      return storeOf(directory, tenant).journal.attempts(filter);
    },
    ...deadLetterServices(parts),
    limits: async (tenant, lang) => readLimits(parts.limits, storeOf(directory, tenant), lang),
    mqtt: createMqttAdmin(parts.mqtt, (tenant) => storeOf(directory, tenant)),
    health: () => health(parts),
  };
}

async function addTenant(
  parts: HostServicesParts,
  tenant: string,
  databaseUrl: string | undefined,
): Promise<TenantStatus> {
  const store = await parts.directory.add(tenant, databaseUrl);
  parts.log.info('tenant.provisioned', { tenantId: store.tenant });
  return { tenant: store.tenant, main: false, state: 'open' };
}

async function push(
  parts: HostServicesParts,
  tenant: string,
  request: Parameters<AdminServices['push']>[1],
): Promise<PushOutcome> {
  const { files, prune, dryRun } = request;
  const result = await pushScripts(parts.pushes, storeOf(parts.directory, tenant), files, { prune, dryRun });
  if (!result.ok) return { ok: false, refusals: result.problems };
  const { added, changed, pruned } = result.report;
  if (!dryRun) {
    const counts = { added: added.length, changed: changed.length, pruned: pruned.length };
    parts.log.info('engines.pushed', { tenantId: tenant, ...counts });
  }
  return result;
}

async function run(
  parts: HostServicesParts,
  tenant: string,
  engineKey: string,
  param: JsonValue,
  lang: Lang,
): Promise<JsonValue> {
  const store = storeOf(parts.directory, tenant);
  return callEngine(parts.calls, store, { engineKey, param, user: undefined, lang });
}

async function send(
  parts: HostServicesParts,
  tenant: string,
  queueName: string,
  message: IncomingMessage,
  lang: Lang,
): Promise<DosResult> {
  if (parts.draining.aborted) throw new AppError('DRAINING');
  const { eventId, messageJson } = message;
  const request = { queueName, eventId, messageJson, userId: null, lang };
  return sendMessage(parts.sends, storeOf(parts.directory, tenant), request);
}

async function health(parts: HostServicesParts): Promise<HostHealth> {
  const tenants = await parts.directory.list();
  const main = tenants.find((tenant) => tenant.main);
  const queue = await queueHealth(parts, main?.tenant ?? '');
  return {
    ready: parts.isStarted() && !parts.draining.aborted && main?.state === 'open' && queue.ready,
    tenants,
    queue,
    lanes: parts.runner.status(),
    load: parts.runner.load(),
  };
}

/** Asks the queue about a name of the main tenant; the answer's content does not matter. */
async function queueHealth(parts: HostServicesParts, tenant: string): Promise<HostHealth['queue']> {
  const name = toPhysicalQueue(tenant, 'readyz');
  if (!name.ok) return { ready: false, reason: describeError(name.error, parts.lang) };
  return parts.sends.queue.depth(tenant, name.value).then(
    () => ({ ready: true }),
    (e: unknown) => ({ ready: false, reason: describeError(coerceError(e).toRecord(), parts.lang) }),
  );
}
