import { bilingual } from '../core/bilingual.ts';
import { AppError, coerceError, orThrow } from '../core/errors.ts';
import { mqttEventParam } from '../core/mqtt-event.ts';
import type { MainMqtt, MqttTenant } from '../core/mqtt-settings.ts';
import { type TopicScope, toTopicName } from '../core/mqtt-topic.ts';
import { CALL_QUEUE_WAIT_MS } from '../core/run-limits.ts';
import type {
  Broker,
  BrokerListener,
  BrokerMessage,
  BrokerRules,
  LocalBroker,
  Qos,
  SessionView,
} from '../ports/broker.ts';
import type { Downlink, DownlinkDraft } from '../ports/downlink.ts';
import type { TenantDirectory, TenantStore } from '../ports/tenant-store.ts';
import { PublishGate } from './gate-publish.ts';
import { MqttDevices } from './mqtt-devices.ts';
import { type MqttRunServices, runMqttEvent, settleEventRun } from './mqtt-event-run.ts';
import { ConnectGuard, DEFAULT_GUARD_LIMITS } from './mqtt-guard.ts';
import { MqttHandOver } from './mqtt-hand-over.ts';
import { MqttLog } from './mqtt-log.ts';
import { MqttRules } from './mqtt-rules.ts';
import { MqttTenants } from './mqtt-tenants.ts';

/** Messages that one tenant may publish to its devices in a second. */
const DOWNLINKS_PER_SECOND = 1_000;

/** Largest payload of a downlink (mq-mqtt.md 8.2). Bytes. */
const MAX_DOWNLINK_BYTES = 1024 * 1024;
const MAX_DOWNLINK_TOPIC = 512;
/** Length of a text on the wire (MQTT 5, 1.5.4), and of all user properties of a downlink together. Bytes. */
const MAX_TEXT_BYTES = 65_535;

export interface MqttServiceParts {
  readonly services: MqttRunServices;
  readonly directory: TenantDirectory;
  readonly main: MainMqtt;
}

/** The MQTT engine of the host: its broker, its events, and the way from the host to devices. */
export class MqttService implements Downlink {
  readonly handOver: MqttHandOver;
  readonly #parts: MqttServiceParts;
  readonly #tenants: MqttTenants;
  readonly #devices: MqttDevices;
  readonly #audit: MqttLog;
  #stopping = new AbortController();
  readonly #rates = new Map<string, { second: number; sent: number }>();
  #broker: LocalBroker | undefined;
  /** Another host of this database runs the broker. */
  isStandby = false;
  /** The way to the broker of that host, where hosts share their sessions. */
  elsewhere: Broker | undefined;
  #refreshing: Promise<void> = Promise.resolve();

  constructor(parts: MqttServiceParts) {
    const { services, directory, main } = parts;
    this.#parts = parts;
    this.#tenants = new MqttTenants({ directory, clock: services.clock, log: services.log, main });
    this.#devices = new MqttDevices(services);
    this.#audit = new MqttLog(services);
    this.handOver = new MqttHandOver(services);
  }

  /** True when the main tenant's settings ask for a broker. */
  async isWanted(): Promise<boolean> {
    await this.#tenants.refresh();
    return this.#tenants.registry.tenants.some(({ isMain, enabled }) => isMain && enabled);
  }

  /** Starts the broker, first or again; then the tenants with MQTT and an engine hear of it. @throws what `open` throws. */
  async start(open: (rules: BrokerRules) => Promise<LocalBroker>): Promise<LocalBroker> {
    const { services, directory } = this.#parts;
    this.#stopping = new AbortController();
    await this.#tenants.refresh();
    // Before anybody can connect: what a host that died left online is offline.
    for (const { store } of this.#enabled()) await this.#devices.sweep(store);
    const broker = await open(
      new MqttRules({
        services,
        directory,
        tenants: this.#tenants,
        devices: this.#devices,
        gate: new PublishGate(services),
        handOver: this.handOver,
        audit: this.#audit,
        guard: new ConnectGuard(DEFAULT_GUARD_LIMITS, services.clock),
      }),
    );
    this.#broker = broker;
    this.#refreshing = this.#tenants.run((tenant) => this.#endClients(tenant), this.#stopping.signal);
    const ports = broker.listeners.map(({ kind, port }) => `${kind} ${port}`).join(', ');
    await this.#lifecycle('StartServer', 'ServerStart', `MQTT server started: ${ports}`);
    return broker;
  }

  /** Ends every connection, whose devices go offline, and tells the tenants. */
  async stop(): Promise<void> {
    const broker = this.#broker;
    this.#stopping.abort();
    await this.#refreshing;
    if (broker !== undefined) {
      await broker.stop();
      this.#broker = undefined;
      this.#parts.services.log.info('mqtt.stopped');
      await this.#lifecycle('StopServer', 'ServerStop', 'MQTT server stopped');
    }
    await this.#audit.end();
  }

  get isRunning(): boolean {
    return this.#broker !== undefined;
  }

  /** Of all tenants; 0 while no broker runs here. */
  get connectionCount(): number {
    return this.#broker?.connectionCount() ?? 0;
  }

  /** The running broker, here or on another host. @throws AppError MQTT_NOT_RUNNING, MQTT_STANDBY. */
  get broker(): Broker {
    const broker = this.#broker ?? (this.isStandby ? this.elsewhere : undefined);
    if (broker === undefined) throw new AppError(this.isStandby ? 'MQTT_STANDBY' : 'MQTT_NOT_RUNNING');
    return broker;
  }

  /** Where devices connect to this host; none where nothing listens. */
  get listeners(): readonly BrokerListener[] {
    return (this.#broker ?? (this.isStandby ? this.elsewhere : undefined))?.listeners ?? [];
  }

  /** Sessions of the running broker; none while there is no broker, or it is not reached. */
  async sessions(tenant: string): Promise<readonly SessionView[]> {
    try {
      return await this.broker.sessions(tenant);
    } catch {
      return [];
    }
  }

  /** Whose topics a tenant's are. */
  topicScope(tenant: string): TopicScope {
    return this.#tenants.scope(tenant);
  }

  check(tenant: string, draft: DownlinkDraft): BrokerMessage {
    void this.broker;
    if (this.#tenants.find(tenant)?.enabled !== true) throw new AppError('MQTT_DISABLED', { tenant });
    const scope = this.#tenants.scope(tenant);
    const { payload, qos, retain, responseTopic, contentType, userProperties } = draft;
    if (draft.topic.length > MAX_DOWNLINK_TOPIC) {
      throw new AppError('PARAM_INVALID', { field: 'Topic', rule: `1…${MAX_DOWNLINK_TOPIC}` });
    }
    if (![0, 1, 2].includes(qos)) throw new AppError('PARAM_INVALID', { field: 'Qos', rule: '0, 1, 2' });
    if (payload.byteLength > MAX_DOWNLINK_BYTES) {
      throw new AppError('MESSAGE_TOO_LARGE', { size: payload.byteLength, limit: MAX_DOWNLINK_BYTES });
    }
    assertText('ContentType', contentType ?? '');
    assertText('UserProperties', userProperties.flat().join(''));
    const others = userProperties.filter(([name]) => name.toLowerCase() !== 'osclient');
    return {
      topic: orThrow(toTopicName(draft.topic, scope)),
      payload,
      qos: qos as Qos,
      retain,
      properties: {
        userProperties: [...others, ['OsClient', tenant]],
        ...(responseTopic === undefined ? {} : { responseTopic: orThrow(toTopicName(responseTopic, scope)) }),
        ...(contentType === undefined ? {} : { contentType }),
      },
    };
  }

  async publish(tenant: string, message: BrokerMessage, id?: string): Promise<number> {
    this.#keepToRate(tenant);
    const sessions = await this.broker.publish(tenant, message, id);
    this.#parts.services.metrics.mqttPublished(tenant, 'downlink');
    return sessions;
  }

  async subscribers(tenant: string, topic: string): Promise<number> {
    return this.broker.subscribers(tenant, topic);
  }

  #keepToRate(tenant: string): void {
    const second = Math.floor(this.#parts.services.clock.now() / 1000);
    let rate = this.#rates.get(tenant);
    if (rate?.second !== second) {
      rate = { second, sent: 0 };
      this.#rates.set(tenant, rate);
    }
    rate.sent++;
    if (rate.sent > DOWNLINKS_PER_SECOND) throw new AppError('MQTT_RATE', { tenant, limit: DOWNLINKS_PER_SECOND });
  }

  /** Reads the tenants' settings at once; devices that are no longer welcome as they are get disconnected. */
  async refreshTenants(): Promise<void> {
    for (const tenant of await this.#tenants.refresh()) this.#endClients(tenant);
  }

  /** A tenant lost MQTT or got other credentials: its devices must show that they may still come. */
  #endClients(tenant: string): void {
    const broker = this.#broker;
    if (broker === undefined) return;
    for (const { clientId, online } of broker.sessions(tenant)) if (online) broker.disconnect(tenant, clientId);
  }

  *#enabled(): Generator<{ readonly tenant: MqttTenant; readonly store: TenantStore }> {
    for (const store of this.#parts.directory.open()) {
      const tenant = this.#tenants.find(store.tenant);
      if (tenant?.enabled) yield { tenant, store };
    }
  }

  /** One tenant's slow script holds up no other's event. */
  async #lifecycle(
    name: 'StartServer' | 'StopServer',
    type: 'ServerStart' | 'ServerStop',
    data: string,
  ): Promise<void> {
    const concerned = [...this.#enabled()].filter(({ tenant }) => tenant.engine !== '');
    for (const { store } of concerned) this.#audit.add(store, { clientId: null, type, topic: null, data });
    await this.#audit.flush();
    await Promise.all(concerned.map((entry) => this.#tell(entry, name)));
  }

  async #tell(
    { tenant, store }: { readonly tenant: MqttTenant; readonly store: TenantStore },
    name: 'StartServer' | 'StopServer',
  ): Promise<void> {
    const { services } = this.#parts;
    try {
      const engineKey = await this.#devices.tenantEngineKey(store, tenant.engine);
      const mqtt = mqttEventParam({ tenant: tenant.tenant });
      const result = await runMqttEvent(services, store, { engineKey, name, mqtt, waitMs: CALL_QUEUE_WAIT_MS });
      if (result.kind === 'not-run') throw result.error;
      const error = result.kind === 'ended' ? await settleEventRun(services, result.run) : undefined;
      if (error !== undefined) throw new AppError(error.code, error.params);
    } catch (e) {
      services.log.warn('mqtt.event_failed', { tenantId: store.tenant, eventName: name, err: coerceError(e) });
    }
  }
}

/** A longer text would end the stream of every device that gets it. @throws AppError PARAM_INVALID. */
function assertText(field: string, text: string): void {
  if (new TextEncoder().encode(text).byteLength <= MAX_TEXT_BYTES) return;
  const rule = bilingual(`最多 ${MAX_TEXT_BYTES} 字节`, `at most ${MAX_TEXT_BYTES} bytes`);
  throw new AppError('PARAM_INVALID', { field, rule });
}
