import { join } from 'node:path';
import { createBrokerAdmin } from '../../src/adapters/amqp/broker-admin.ts';
import { createEmbeddedCache } from '../../src/adapters/embedded/embedded-cache.ts';
import { EmbeddedInvalidation } from '../../src/adapters/embedded/embedded-invalidation.ts';
import { EmbeddedLocks } from '../../src/adapters/embedded/embedded-locks.ts';
import { createEmbeddedQueue } from '../../src/adapters/embedded/embedded-queue.ts';
import { createHttpClient } from '../../src/adapters/http/http-client.ts';
import { createServerGuard } from '../../src/adapters/http/server-guard.ts';
import { ModuleFiles } from '../../src/adapters/modules/module-files.ts';
import { withModules } from '../../src/adapters/modules/module-runner.ts';
import { MongoServers } from '../../src/adapters/mongo/mongo-servers.ts';
import { createLanePool } from '../../src/adapters/process/lane-pool.ts';
import { createBackup } from '../../src/adapters/sql/backup-files.ts';
import { divideConnections } from '../../src/adapters/sql/database-mysql.ts';
import { SqlExtraDatabases } from '../../src/adapters/sql/extra-databases.ts';
import {
  createSqliteDirectory,
  createTenantDirectory,
  type SqlDirectory,
} from '../../src/adapters/sql/tenant-directory.ts';
import { createPasswordHasher } from '../../src/adapters/system/password-hasher.ts';
import { createSecretBox, newSecretKey } from '../../src/adapters/system/secret-box.ts';
import { systemClock } from '../../src/adapters/system/system-clock.ts';
import { systemIds } from '../../src/adapters/system/system-ids.ts';
import { type Adapters, composeHost, type Host } from '../../src/compose.ts';
import {
  type CircuitPolicies,
  DEFAULT_BINDING_CIRCUIT,
  DEFAULT_ENGINE_CIRCUIT,
} from '../../src/core/circuit-policies.ts';
import type { LimitPolicy } from '../../src/core/limit-policy.ts';
import type { MainMqtt } from '../../src/core/mqtt-settings.ts';
import type { AllowedTarget } from '../../src/core/outbound-target.ts';
import {
  CALL_QUEUE_WAIT_MS,
  DEFAULT_RUN_LIMITS,
  HOST_CALLS_PER_SECOND,
  MAX_HEAP_MB,
  MAX_WALL_MS,
  type RunLimits,
} from '../../src/core/run-limits.ts';
import { DEFAULT_RUN_CAPS } from '../../src/core/run-load.ts';
import type { Log } from '../../src/ports/log.ts';
import type { LeftOut } from '../../src/ports/push.ts';
import type { OutgoingMessage } from '../../src/ports/queue.ts';
import type { TenantStore } from '../../src/ports/tenant-store.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { createPassiveTracer } from '../../src/telemetry/passive-tracer.ts';
import { SILENT_LOG } from './silent-log.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const RETENTION = {
  deadLettersMs: 30 * DAY_MS,
  inboxMs: 37 * DAY_MS,
  attemptsMs: 30 * DAY_MS,
  logsMs: 14 * DAY_MS,
  versionsMs: 365 * DAY_MS,
  auditMs: 365 * DAY_MS,
};

export interface TestHostOptions {
  readonly log?: Log;
  readonly lanes?: number;
  /** Outbound targets that scripts may reach although they are private. */
  readonly allow?: readonly AllowedTarget[];
  /** Of MySQL or MariaDB; a file without it. */
  readonly databaseUrl?: string;
  readonly limits?: Partial<RunLimits>;
  readonly circuits?: Partial<CircuitPolicies>;
  /** Registered handler modules. */
  readonly modules?: ModuleFiles;
  /** As RabbitMQ's would be; none without it. */
  readonly consumerTimeoutMs?: number;
  /** What the operator decided about limits. */
  readonly policy?: Partial<LimitPolicy>;
  /** The main tenant's MQTT; off without it. */
  readonly mqtt?: Partial<MainMqtt>;
  readonly entryCallsPerSecond?: number;
  /** Every tenant's MongoDB; none without it. */
  readonly mongoUrl?: string;
  /** Replaces adapters by ones that fail at a chosen step. */
  readonly decorate?: (adapters: Adapters) => Adapters;
}

/** The use cases over the real embedded adapters, in this process, on a data directory. */
export class TestHost {
  readonly host: Host;
  readonly adapters: Adapters;
  readonly #close: () => Promise<void>;

  private constructor(host: Host, adapters: Adapters, close: () => Promise<void>) {
    this.host = host;
    this.adapters = adapters;
    this.#close = close;
  }

  static async open(dataDir: string, options: TestHostOptions = {}): Promise<TestHost> {
    const log = options.log ?? SILENT_LOG;
    const clock = systemClock('Asia/Shanghai');
    const ids = systemIds();
    const directory = await openDirectory(dataDir, options.databaseUrl, { clock, ids, log });
    const queue = await createEmbeddedQueue({ file: join(dataDir, 'host.db'), log, clock });
    const lanes = { lanes: options.lanes ?? 1, rssMb: DEFAULT_RUN_LIMITS.rssMb, timezone: 'Asia/Shanghai', log };
    const pool = await createLanePool(lanes);
    const modules = options.modules ?? new ModuleFiles(dataDir, new Map());
    const runner = withModules(pool, modules);
    const http = createHttpClient({ allow: options.allow ?? [], maxBodyBytes: 1024 * 1024 });
    const cache = await createEmbeddedCache({ file: join(dataDir, 'host.db'), clock });
    const metrics = createMetrics();
    const brokerAdmin = createBrokerAdmin();
    const invalidation = new EmbeddedInvalidation();
    const databases = new SqlExtraDatabases({
      dataDir,
      clock,
      log,
      timeZone: 'Asia/Shanghai',
      guard: createServerGuard({ allow: options.allow ?? [], tenants: new Map() }),
      neighbours: () => directory.neighbours(),
    });
    const real: Adapters = {
      clock,
      ids,
      log,
      queue,
      directory,
      runner,
      http,
      cache,
      documents: new MongoServers({ urlOf: async () => options.mongoUrl, localText: clock.localText, log }),
      databases,
      metrics,
      tracer: createPassiveTracer(ids),
      invalidation,
      locks: new EmbeddedLocks(clock),
      modules,
      brokerAdmin,
      backup: createBackup({ dataDir, version: '0.0.0', now: () => clock.now(), elsewhere: async () => [] }),
      hasher: createPasswordHasher(),
    };
    const adapters = options.decorate?.(real) ?? real;
    const host = composeHost(adapters, {
      lang: 'en',
      limits: {
        defaults: { ...DEFAULT_RUN_LIMITS, wallMs: 10_000, cpuMs: 5_000, ...options.limits },
        caps: { wallMs: MAX_WALL_MS, heapMb: MAX_HEAP_MB },
        hostCallsPerSecond: HOST_CALLS_PER_SECOND,
        runs: DEFAULT_RUN_CAPS,
        queueWaitMs: CALL_QUEUE_WAIT_MS,
        tenants: new Map(),
        ...options.policy,
      },
      circuits: { binding: DEFAULT_BINDING_CIRCUIT, engine: DEFAULT_ENGINE_CIRCUIT, ...options.circuits },
      mq: { mainTenant: 'demo' },
      entryCallsPerSecond: options.entryCallsPerSecond ?? 1_000,
      reconcileMs: 15_000,
      identity: { tokenMs: 12 * HOUR_MS, sessionMs: 30 * DAY_MS, rotationMs: 30 * DAY_MS },
      consumerTimeoutMs: options.consumerTimeoutMs ?? Number.POSITIVE_INFINITY,
      retention: RETENTION,
      mqtt: { tenant: 'demo', enabled: false, account: '', password: '', engine: '', ...options.mqtt },
    });
    return new TestHost(host, adapters, async () => {
      await host.drain();
      await runner.close();
      await http.close();
      await real.documents.close();
      cache.close();
      await databases.close();
      await queue.close();
      await directory.close();
    });
  }

  /** The main tenant's store, as the use cases see it. */
  get store(): TenantStore {
    const [store] = this.adapters.directory.open();
    if (store === undefined) throw new Error('no open tenant');
    return store;
  }

  /** Pushes scripts by name of the file; fails the test when one is refused. @returns what tables left out. */
  async push(
    scripts: Readonly<Record<string, string>>,
    tables: unknown = TABLES,
    tenant = 'demo',
  ): Promise<readonly LeftOut[]> {
    const files = Object.entries(scripts).map(([path, text]) => ({ path, text }));
    const all = [...files, { path: 'tables.json', text: JSON.stringify(tables) }];
    const outcome = await this.host.services.push(tenant, { files: all, prune: false, dryRun: false });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.refusals));
    return outcome.leftOut;
  }

  async send(queue: string, eventId: string | undefined, message: unknown, tenant = 'demo'): Promise<string> {
    const incoming = { eventId, messageJson: JSON.stringify(message) };
    const sent = await this.host.services.sendMessage(tenant, queue, incoming, 'en');
    if (sent.Code !== 1) throw new Error(JSON.stringify(sent));
    return (sent.Data as { EventId: string }).EventId;
  }

  /** Puts bytes into a queue as a foreign producer would. */
  publishRaw(message: OutgoingMessage, tenant = 'demo'): Promise<void> {
    return this.adapters.queue.publish(tenant, [message]);
  }

  /** Rows of a script's table. */
  async rows(table: string): Promise<readonly Record<string, unknown>[]> {
    const query = { table, columns: [], where: [], includeDeleted: true, sort: [], limit: 10_000, offset: 0 };
    return this.store.tables.select(query);
  }

  /** EventIds noted by the scripts of FIXTURE_SCRIPTS, sorted. */
  async effects(table = 'effect'): Promise<string[]> {
    return (await this.rows(table)).map((row) => String(row.EventId)).sort();
  }

  close(): Promise<void> {
    return this.#close();
  }
}

function openDirectory(
  dataDir: string,
  url: string | undefined,
  services: Pick<Adapters, 'clock' | 'ids' | 'log'>,
): Promise<SqlDirectory> {
  const box = createSecretBox([newSecretKey()], newSecretKey);
  const options = { dataDir, mainTenant: 'demo', box, ...services };
  if (url === undefined) return createSqliteDirectory(options);
  const main = { kind: 'mysql', url: { reveal: () => url } } as const;
  return createTenantDirectory({ ...options, pools: divideConnections(40), main });
}

export const TABLES = [
  {
    Name: 'effect',
    Fields: [
      { Name: 'EventId', Type: 'varchar(200)' },
      { Name: 'Note', Type: 'varchar(200)' },
    ],
  },
  {
    Name: 'onward',
    Fields: [
      { Name: 'EventId', Type: 'varchar(200)' },
      { Name: 'Note', Type: 'varchar(200)' },
    ],
  },
];

/** Notes the event and sends on; its receiver notes what arrived. */
export const FIXTURE_SCRIPTS = {
  'work.js': `/**
 * @queue work
 * @retry 3
 * @backoff fixed:100ms
 */
var added = V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
if (added.Code !== 1) return added;
V8.Http.PostResponse({ Url: 'http://crash.invalid/', PostParamString: '{}', ParamType: 'json', Timeout: 1 });
if (V8.Param.Message.Message.Fail) return { Code: 0, Msg: 'asked to fail' };
return V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'on-' + V8.Param.EventId, Message: {} });
`,
  'onward.js': `/**
 * @queue onward
 * @retry 3
 */
return V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId });
`,
};

export { eventually } from './eventually.ts';
