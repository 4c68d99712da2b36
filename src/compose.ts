/** Wires the use cases over their ports. No logic: what happens when is in app/. */
import { createHostServices } from './admin/host-services.ts';
import type { IdentityAdmin } from './admin/identity-admin.ts';
import type { AdminServices } from './admin/services.ts';
import { Backlogs } from './app/backlogs.ts';
import { BindingBreakers } from './app/binding-breakers.ts';
import { CallRates } from './app/call-rates.ts';
import { CircuitBook } from './app/circuit-book.ts';
import { withDownlinks } from './app/downlink-message.ts';
import { EngineAddresses } from './app/engine-addresses.ts';
import { EngineCache } from './app/engine-cache.ts';
import { EnginePauses } from './app/engine-pauses.ts';
import { EngineProfiles } from './app/engine-profile.ts';
import { EntryRates } from './app/entry-rates.ts';
import type { FirstAdmin } from './app/first-admin.ts';
import { BatchHandler } from './app/handle-batch.ts';
import { DeliveryHandler } from './app/handle-delivery.ts';
import { InFlight } from './app/in-flight.ts';
import { KeyedLock } from './app/keyed-lock.ts';
import { LimitBook } from './app/limit-book.ts';
import { LockKeeper } from './app/lock-keeper.ts';
import { MessageLocks } from './app/message-locks.ts';
import { ParkedMover } from './app/move-parked.ts';
import { MqttService } from './app/mqtt-service.ts';
import { type CircuitKind, noteCircuit } from './app/note-circuit.ts';
import { OutboxLimit } from './app/outbox-limit.ts';
import { runRetention } from './app/purge-retention.ts';
import { readGauges } from './app/read-gauges.ts';
import { BindingReconciler } from './app/reconcile-bindings.ts';
import { OutboxRelay } from './app/relay-outbox.ts';
import { DeliverySettler } from './app/settle-delivery.ts';
import { TenantProbes } from './app/tenant-probes.ts';
import { TenantSettingsCache } from './app/tenant-settings-cache.ts';
import type { CircuitPolicies } from './core/circuit-policies.ts';
import type { Lang } from './core/errors.ts';
import type { LimitPolicy } from './core/limit-policy.ts';
import type { MqRegistry } from './core/mq-settings.ts';
import type { MainMqtt } from './core/mqtt-settings.ts';
import { type IdentitySettings, wireIdentity } from './host/wire-identity.ts';
import type { Backup } from './ports/backup.ts';
import type { BrokerAdmin } from './ports/broker-admin.ts';
import type { Cache } from './ports/cache.ts';
import type { Clock } from './ports/clock.ts';
import type { DocumentServers } from './ports/documents.ts';
import type { Downlink } from './ports/downlink.ts';
import type { EngineRunner } from './ports/engine-runner.ts';
import type { ExtraDatabases } from './ports/extra-databases.ts';
import type { HttpClient } from './ports/http-client.ts';
import type { PasswordHasher } from './ports/identity.ts';
import type { Ids } from './ports/ids.ts';
import type { Invalidation } from './ports/invalidation.ts';
import type { Locks } from './ports/locks.ts';
import type { Log } from './ports/log.ts';
import type { HostReading, Metrics } from './ports/metrics.ts';
import type { Queue } from './ports/queue.ts';
import type { Retention, TenantDirectory } from './ports/tenant-store.ts';
import type { Tracer } from './ports/tracer.ts';
import type { TrustedModules } from './ports/trusted-modules.ts';

/** One implementation of each port. */
export interface Adapters {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly queue: Queue;
  readonly directory: TenantDirectory;
  readonly runner: EngineRunner;
  readonly http: HttpClient;
  readonly cache: Cache;
  readonly documents: DocumentServers;
  readonly databases: ExtraDatabases;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly invalidation: Invalidation;
  readonly locks: Locks;
  readonly modules: TrustedModules;
  readonly brokerAdmin: BrokerAdmin;
  readonly backup: Backup;
  readonly hasher: PasswordHasher;
}

export interface HostSettings {
  readonly lang: Lang;
  readonly limits: LimitPolicy;
  readonly circuits: CircuitPolicies;
  /** Whose RabbitMQ account fills what other rows leave blank. */
  readonly mq: Omit<MqRegistry, 'rows'>;
  /** Calls of engines over HTTP that one caller may make a second. */
  readonly entryCallsPerSecond: number;
  readonly reconcileMs: number;
  readonly retention: Retention;
  /** What the configuration says of the main tenant's MQTT. */
  readonly mqtt: MainMqtt;
  /** How long the queue server lets a delivery stay unsettled; infinite where there is no server. Milliseconds. */
  readonly consumerTimeoutMs: number;
  readonly identity: IdentitySettings;
}

/** The running product without its process: everything but listening, signals and files. */
export interface Host {
  readonly services: AdminServices;
  readonly identity: IdentityAdmin;
  /** For the start-up output: the code of the first administrator, while there is none. */
  readonly firstAdmin: FirstAdmin;
  readonly reconciler: BindingReconciler;
  /** Deliveries being handled. */
  readonly inFlight: InFlight;
  /** Starts after the host, on the listeners that it is given, and stops with it. */
  readonly mqtt: MqttService;
  /** What is measured at this moment. */
  gauges(): Promise<HostReading>;
  /** Sends what a crash left, attaches the consumers and starts the loops. */
  start(): Promise<void>;
  /** Takes nothing new and gives back what has not begun. Resolves when everything in flight is settled. */
  drain(): Promise<void>;
}

export function composeHost(adapters: Adapters, settings: HostSettings): Host {
  const { log, directory } = adapters;
  const draining = new AbortController();
  let started = false;
  // The broker needs runs, and runs the way to its devices.
  const mqtt = (): MqttService => service;
  const circuits = wireCircuits(adapters, settings, (tenant) => reconciler.followCircuits(tenant));
  const runs = wireRuns(adapters, settings, draining.signal, { circuits, mqtt });
  const service = new MqttService({
    services: { ...runs, log: log.child('app.mqtt') },
    directory,
    main: settings.mqtt,
  });
  const mover = new ParkedMover({ ...adapters, log: log.child('app.move-parked') });
  const deliveries = wireDeliveries(adapters, settings, runs, mover);
  const { reconciler, inFlight } = deliveries;
  const probes = new TenantProbes({ ...adapters, log: log.child('app.tenant-probes'), mqtt: service });
  const services = wireAdmin(adapters, settings, runs, {
    probes,
    ...deliveries,
    mover,
    mqtt: service,
    isStarted: () => started,
  });
  const identity = wireIdentity(adapters, settings.identity);
  const backlogs = new Backlogs(adapters);
  const loops: Promise<void>[] = [];
  return {
    services,
    identity: identity.admin,
    firstAdmin: identity.firstAdmin,
    reconciler,
    inFlight,
    mqtt: service,
    gauges: () => readGauges({ ...adapters, ...circuits, inFlight, backlogs, mqtt: service }),
    async start() {
      await runs.relay.recover(directory);
      await reconciler.reconcile();
      loops.push(...startLoops(adapters, settings, draining.signal, { ...runs, mover, reconciler, probes }));
      started = true;
    },
    async drain() {
      // First no new deliveries, then give back what waits: given back earlier, it would be delivered here again.
      await reconciler.stop();
      draining.abort();
      await inFlight.idle();
      await reconciler.left();
      // What just ended may have sent something to devices.
      await service.stop();
      await Promise.all(loops);
      await runs.relay.flush();
      runs.forget();
      identity.close();
      await Promise.all(directory.open().map((store) => store.journal.flush()));
    },
  };
}

/** What goes on as long as the host runs. */
function startLoops(
  { clock, log, directory }: Adapters,
  { reconcileMs, retention }: HostSettings,
  signal: AbortSignal,
  work: {
    readonly relay: OutboxRelay;
    readonly mover: ParkedMover;
    readonly reconciler: BindingReconciler;
    readonly probes: TenantProbes;
  },
): readonly Promise<void>[] {
  return [
    work.relay.run(directory, signal),
    work.mover.run(directory, signal),
    work.reconciler.run(reconcileMs, signal),
    runRetention({ clock, log, directory, retention }, signal),
    work.probes.run(signal),
  ];
}

/** What people and programs ask of the host over HTTP. */
function wireAdmin(
  { clock, ids, log, queue, directory, runner, brokerAdmin, backup, tracer }: Adapters,
  { consumerTimeoutMs, mqtt: mainMqtt }: HostSettings,
  runs: ReturnType<typeof wireRuns>,
  parts: {
    readonly reconciler: BindingReconciler;
    readonly mover: ParkedMover;
    readonly probes: TenantProbes;
    readonly mqtt: MqttService;
    readonly isStarted: () => boolean;
  },
): AdminServices {
  return createHostServices({
    directory,
    probes: parts.probes,
    runner,
    backup,
    lang: runs.lang,
    deadLetters: { clock, ids, mover: parts.mover },
    trials: { ...runs, log: log.child('app.try-message') },
    relay: runs.relay,
    mqtt: parts.mqtt,
    broker: {
      directory,
      queue,
      brokerAdmin,
      mq: runs.mq,
      turns: new KeyedLock(),
      log: log.child('admin'),
      reconcile: () => parts.reconciler.reconcile(),
    },
    tenantSettings: {
      mainMqtt,
      settings: runs.settings,
      refreshMqtt: () => parts.mqtt.refreshTenants(),
    },
    log: log.child('admin'),
    calls: { ...runs, log: log.child('app.call-engine') },
    pushes: { runner, ids, consumerTimeoutMs, engines: runs.engines, reconcile: () => parts.reconciler.reconcile() },
    sends: { queue, clock, ids, tracer },
    limits: runs,
    bindingStates: (store, lang) => parts.reconciler.statusOf(store, lang),
    draining: runs.draining,
    isStarted: parts.isStarted,
  });
}

/** What pauses bindings and engines that keep failing. */
function wireCircuits({ clock, log, metrics }: Adapters, { circuits }: HostSettings, follow: (tenant: string) => void) {
  const book = (kind: CircuitKind) =>
    new CircuitBook(circuits[kind], {
      clock,
      onChange: (view) => {
        noteCircuit(kind, view, { log: log.child('app.circuits'), metrics });
        follow(view.tenant);
      },
    });
  return { breakers: new BindingBreakers(book('binding')), pauses: new EnginePauses(book('engine'), clock) };
}

/** What every run uses, whoever starts it. */
function wireRuns(
  adapters: Adapters,
  { lang, limits, mq, entryCallsPerSecond }: HostSettings,
  draining: AbortSignal,
  { circuits, mqtt }: { readonly circuits: ReturnType<typeof wireCircuits>; readonly mqtt: () => MqttService },
) {
  const { clock, log, invalidation } = adapters;
  const downlink: Downlink = {
    check: (tenant, draft) => mqtt().check(tenant, draft),
    publish: (tenant, message, id) => mqtt().publish(tenant, message, id),
    subscribers: (tenant, topic) => mqtt().subscribers(tenant, topic),
  };
  const queue = withDownlinks(adapters.queue, downlink);
  const addresses = new EngineAddresses(clock, invalidation);
  const engines = new EngineCache({ clock, invalidation, log: log.child('app.engine-cache') });
  return {
    ...adapters,
    ...circuits,
    queue,
    downlink,
    limits: new LimitBook(limits, log.child('app.limit-book'), lang),
    rates: new CallRates(limits, clock),
    addresses,
    entryRates: new EntryRates(entryCallsPerSecond, clock),
    lang,
    mq,
    draining,
    relay: new OutboxRelay({ ...adapters, queue, log: log.child('app.relay-outbox') }),
    outboxLimit: new OutboxLimit(clock),
    engineLocks: new LockKeeper({ ...adapters, log: log.child('app.lock-keeper') }),
    settings: new TenantSettingsCache(adapters),
    engines,
    /** What was remembered of engines. */
    forget: () => {
      engines.close();
      addresses.close();
    },
  };
}

/** From the binding rows to settled deliveries. */
function wireDeliveries(
  { clock, log, queue, directory, databases, modules }: Adapters,
  { lang, consumerTimeoutMs }: HostSettings,
  runs: ReturnType<typeof wireRuns>,
  mover: ParkedMover,
): Pick<Host, 'reconciler' | 'inFlight'> {
  const reconciler: BindingReconciler = new BindingReconciler({
    queue,
    clock,
    lang,
    directory,
    databases,
    modules,
    log: log.child('app.reconcile-bindings'),
    workers: () => workers,
  });
  const settler = new DeliverySettler({
    ...runs,
    log: log.child('app.settle-delivery'),
    onParked: (store, delayMs) => mover.expect(store, delayMs),
    onStore: (store, state) => reconciler.reportStore(store, state),
  });
  const deliveries = {
    ...runs,
    settler,
    locks: new MessageLocks(),
    profiles: new EngineProfiles(),
    log: log.child('app.handle-delivery'),
  };
  const single = new DeliveryHandler(deliveries);
  const inFlight = new InFlight();
  const batch = new BatchHandler(deliveries, single);
  const workers = { ...deliveries, single, batch, inFlight, consumerTimeoutMs };
  return { reconciler, inFlight };
}
