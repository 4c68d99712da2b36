import type { ErrorRecord, Parsed } from '../core/errors.ts';
import { coerceError } from '../core/errors.ts';
import {
  type MqttEventFacts,
  type MqttEventName,
  mqttEventParam,
  payloadMembers,
  type UserPropertyList,
} from '../core/mqtt-event.ts';
import { judgeGate } from '../core/mqtt-gate.ts';
import { identifyClient } from '../core/mqtt-identity.ts';
import type { MqttTenant } from '../core/mqtt-settings.ts';
import { type TopicScope, toTopicFilter, toTopicName } from '../core/mqtt-topic.ts';
import { CALL_QUEUE_WAIT_MS } from '../core/run-limits.ts';
import type {
  BrokerMessage,
  BrokerRules,
  ClientInfo,
  ConnectDecision,
  ConnectRequest,
  DisconnectInfo,
  FilterDecision,
  PublishDecision,
} from '../ports/broker.ts';
import type { TenantDirectory, TenantStore } from '../ports/tenant-store.ts';
import type { PublishGate } from './gate-publish.ts';
import type { MqttDevices } from './mqtt-devices.ts';
import { type EndedEventRun, type MqttRunServices, runMqttEvent, settleEventRun } from './mqtt-event-run.ts';
import type { ConnectGuard } from './mqtt-guard.ts';
import type { MqttHandOver } from './mqtt-hand-over.ts';
import type { MqttLog } from './mqtt-log.ts';
import type { MqttTenants } from './mqtt-tenants.ts';

export interface MqttRuleParts {
  readonly services: MqttRunServices;
  readonly directory: TenantDirectory;
  readonly tenants: MqttTenants;
  readonly devices: MqttDevices;
  readonly gate: PublishGate;
  readonly handOver: MqttHandOver;
  readonly audit: MqttLog;
  readonly guard: ConnectGuard;
}

const UTF8 = new TextDecoder('utf-8');

/** Whose client, which topics, what is forwarded: the broker's questions, answered by settings and scripts. */
export class MqttRules implements BrokerRules {
  readonly #parts: MqttRuleParts;

  constructor(parts: MqttRuleParts) {
    this.#parts = parts;
  }

  async connect(request: ConnectRequest): Promise<ConnectDecision> {
    const { guard, tenants } = this.#parts;
    if (guard.isBanned(request.address)) return this.#refused(request, 'banned', 'AddressBanned');
    const identity = identifyClient(
      {
        clientId: request.clientId,
        userName: request.userName,
        password: request.password === undefined ? undefined : UTF8.decode(request.password),
        osClient: firstOf(request.userProperties, 'osclient'),
      },
      tenants.registry,
    );
    if (!identity.ok) {
      if (identity.refusal === 'bad-credentials') guard.failed(request.address);
      return this.#refused(request, identity.refusal, identity.action);
    }
    const { tenant, shortTopics } = identity.tenant;
    if (this.#storeOf(tenant) === undefined) return this.#refused(request, 'unavailable', 'TenantUnavailable', tenant);
    if (!guard.hasRoom(tenant)) return this.#refused(request, 'quota', 'TooManyConnections', tenant);
    if (!guard.admits(tenant, request.clientId)) return this.#refused(request, 'banned', 'ClientFlapping', tenant);
    const will = request.will === undefined ? undefined : this.#normalised(tenant, request.will);
    if (will?.ok === false) return this.#refused(request, 'topic-invalid', 'WillRejected', tenant);
    return { ok: true, tenant, will: will?.value, shortTopics };
  }

  async connected(client: ClientInfo): Promise<boolean> {
    const { devices, audit, services, guard } = this.#parts;
    guard.opened(client.tenant, client.clientId);
    const found = this.#found(client);
    if (found === undefined) return false;
    const { store, tenant } = found;
    services.log.info('mqtt.client_connected', { tenantId: store.tenant, clientId: client.clientId });
    await devices.connected(store, client);
    const data = JSON.stringify({ ClientId: client.clientId, UserName: client.userName ?? null });
    audit.add(store, { clientId: client.clientId, type: 'Connect', topic: null, data });
    const facts = { userName: client.userName, userProperties: client.userProperties };
    return (await this.#event(found, client, 'Connected', facts, tenant.veto)) === 'allowed';
  }

  async subscribe(
    client: ClientInfo,
    filters: readonly string[],
    userProperties: UserPropertyList,
  ): Promise<readonly FilterDecision[]> {
    const found = this.#found(client);
    const decisions: FilterDecision[] = [];
    for (const raw of filters) decisions.push(await this.#subscribeTo(client, found, raw, userProperties));
    return decisions;
  }

  unsubscribe(client: ClientInfo, raw: string): string | undefined {
    const filter = toTopicFilter(raw, this.#scope(client.tenant));
    return filter.ok ? filter.value : undefined;
  }

  publish(client: ClientInfo, raw: BrokerMessage, isWill: boolean): PublishDecision | Promise<PublishDecision> {
    const found = this.#found(client);
    if (found === undefined) return { kind: 'refuse', reason: 'not-authorized', text: 'MQTT is not enabled' };
    const message = this.#normalised(client.tenant, raw);
    if (!message.ok) return this.#counted(client, this.#topicRefused(client, message.error));
    const decision = this.#decide(found, client, message.value, isWill);
    return decision instanceof Promise
      ? decision.then((made) => this.#counted(client, made))
      : this.#counted(client, decision);
  }

  #counted({ tenant }: ClientInfo, decision: PublishDecision): PublishDecision {
    this.#parts.services.metrics.mqttPublished(tenant, decision.kind);
    return decision;
  }

  async retainedChanged(client: ClientInfo | undefined, name: string, message: BrokerMessage): Promise<void> {
    const clientId = client?.clientId ?? `__microi_internal__:${name}`;
    const found = this.#found({ tenant: name });
    if (found === undefined) return;
    const { topic, payload, qos, retain } = message;
    await this.#event(
      found,
      { clientId, epoch: client?.epoch },
      'MessageChanged',
      { topic, payload, qos, retain },
      false,
    );
  }

  async disconnected(client: ClientInfo, info: DisconnectInfo): Promise<void> {
    const { devices, audit, services, guard } = this.#parts;
    guard.closed(client.tenant, client.clientId);
    const { tenant: name, clientId } = client;
    services.log.info('mqtt.client_disconnected', { tenantId: name, clientId, reason: info.cause });
    const store = this.#storeOf(name);
    const tenant = this.#parts.tenants.find(name);
    if (store === undefined || tenant === undefined) return;
    // A connection that was replaced tells nothing: its device is still there (mq-mqtt.md 6.5).
    if (info.cause === 'taken-over' || !devices.isNewest(client)) return;
    await devices.disconnected(store, client);
    audit.add(store, { clientId, type: 'Disconnect', topic: null, data: null });
    await this.#event({ store, tenant }, client, 'Disconnected', { userProperties: info.userProperties }, false);
  }

  async #subscribeTo(
    client: ClientInfo,
    found: Found | undefined,
    raw: string,
    userProperties: UserPropertyList,
  ): Promise<FilterDecision> {
    if (found === undefined) return { ok: false, reason: 'not-authorized' };
    const filter = toTopicFilter(raw, this.#scope(client.tenant));
    if (!filter.ok) {
      this.#topicRefused(client, filter.error);
      if (filter.error.code === 'TOPIC_RESERVED') {
        return { ok: false, reason: /^\W*\$share/i.test(raw) ? 'shared' : 'not-authorized' };
      }
      return { ok: false, reason: filter.error.code === 'TOPIC_FOREIGN' ? 'not-authorized' : 'invalid' };
    }
    const topic = filter.value;
    this.#parts.audit.add(found.store, { clientId: client.clientId, type: 'Subscribe', topic, data: null });
    const answer = await this.#event(found, client, 'Subscribing', { topic, userProperties }, found.tenant.veto);
    if (answer === 'allowed') return { ok: true, filter: topic };
    return { ok: false, reason: answer === 'refused' ? 'not-authorized' : 'unspecified' };
  }

  /** The receive row is written before the gate, so that blocked messages are audited, too. */
  #decide(
    { store, tenant }: Found,
    client: ClientInfo,
    message: BrokerMessage,
    isWill: boolean,
  ): PublishDecision | Promise<PublishDecision> {
    const { audit } = this.#parts;
    audit.received(store, client.clientId, message.topic, payloadMembers(message.payload));
    return this.#route(store, tenant, { client, message, isWill }).catch((e: unknown): PublishDecision => {
      // Its binding or its engine could not be read, so nobody knows who decides about it.
      const error = coerceError(e);
      this.#parts.services.log.warn('mqtt.gate_retried', {
        tenantId: store.tenant,
        clientId: client.clientId,
        err: error,
      });
      return message.qos === 0 || isWill ? { kind: 'refuse', reason: 'failed', text: error.code } : { kind: 'close' };
    });
  }

  async #route(
    store: TenantStore,
    tenant: MqttTenant,
    { client, message, isWill }: { client: ClientInfo; message: BrokerMessage; isWill: boolean },
  ): Promise<PublishDecision> {
    const { handOver, devices, gate } = this.#parts;
    const binding = await handOver.find(store, this.#scope(client.tenant), message.topic);
    if (binding !== undefined) return handOver.handOver(store, binding, client, message);
    const engineKey = await devices.engineKey(store, client.clientId, tenant.engine);
    if (engineKey === '') return { kind: 'forward', message };
    return gate.decide(store, { client, message, engineKey, isWill });
  }

  /** Runs the script of an event that forwards nothing. What goes wrong in it is told in the log. */
  async #event(
    { store, tenant }: Found,
    client: { readonly clientId: string; readonly epoch: number | undefined },
    name: MqttEventName,
    facts: Omit<MqttEventFacts, 'tenant'>,
    veto: boolean,
  ): Promise<'allowed' | 'refused' | 'failed'> {
    const { devices, services } = this.#parts;
    try {
      const engineKey = await devices.engineKey(store, client.clientId, tenant.engine);
      if (engineKey === '') return 'allowed';
      const { epoch, clientId } = client;
      const mqtt = mqttEventParam({
        tenant: tenant.tenant,
        clientId,
        ...(epoch === undefined ? {} : { epoch }),
        ...facts,
      });
      const result = await runMqttEvent(services, store, { engineKey, name, mqtt, waitMs: CALL_QUEUE_WAIT_MS });
      if (result.kind === 'not-run') throw result.error;
      if (result.kind === 'duplicate') return 'allowed';
      return await this.#eventEnded(store, name, result.run, veto);
    } catch (e) {
      services.log.warn('mqtt.event_failed', { tenantId: store.tenant, eventName: name, err: coerceError(e) });
      return veto ? 'failed' : 'allowed';
    }
  }

  async #eventEnded(
    store: TenantStore,
    name: MqttEventName,
    run: EndedEventRun,
    veto: boolean,
  ): Promise<'allowed' | 'refused' | 'failed'> {
    const { services } = this.#parts;
    const verdict = judgeGate(run.outcome, run.engine.key);
    const error = await settleEventRun(services, run);
    if (error !== undefined) {
      services.log.warn('mqtt.event_failed', { tenantId: store.tenant, eventName: name, code: error.code });
    }
    if (!veto || verdict.kind === 'allow') return 'allowed';
    return verdict.kind === 'block' ? 'refused' : 'failed';
  }

  /** Topic and response topic in their canonical form; `OsClient` is the host's word, not a device's (E 6.6). */
  #normalised(tenant: string, message: BrokerMessage): Parsed<BrokerMessage> {
    const scope = this.#scope(tenant);
    const topic = toTopicName(message.topic, scope);
    if (!topic.ok) return topic;
    const { responseTopic, userProperties, ...properties } = message.properties;
    const response = responseTopic === undefined ? undefined : toTopicName(responseTopic, scope);
    if (response?.ok === false) return response;
    const own = userProperties?.filter(([name]) => name.toLowerCase() !== 'osclient');
    return {
      ok: true,
      value: {
        ...message,
        topic: topic.value,
        properties: {
          ...properties,
          ...(response === undefined ? {} : { responseTopic: response.value }),
          ...(own === undefined ? {} : { userProperties: own }),
        },
      },
    };
  }

  #scope(tenant: string): TopicScope {
    return this.#parts.tenants.scope(tenant);
  }

  #found({ tenant: name }: Pick<ClientInfo, 'tenant'>): Found | undefined {
    const tenant = this.#parts.tenants.find(name);
    const store = this.#storeOf(name);
    return tenant?.enabled && store !== undefined ? { tenant, store } : undefined;
  }

  /** The directory throws for a tenant whose database is down. */
  #storeOf(tenant: string): TenantStore | undefined {
    try {
      return this.#parts.directory.get(tenant);
    } catch {
      return undefined;
    }
  }

  #topicRefused(client: ClientInfo, error: ErrorRecord): PublishDecision {
    const { log } = this.#parts.services;
    log.warn('mqtt.topic_refused', { tenantId: client.tenant, clientId: client.clientId, code: error.code });
    return { kind: 'refuse', reason: error.code === 'TOPIC_INVALID' ? 'topic' : 'not-authorized', text: error.code };
  }

  #refused(
    request: ConnectRequest,
    reason: Extract<ConnectDecision, { ok: false }>['reason'],
    action: string,
    tenant?: string,
  ): ConnectDecision {
    const clientId = request.clientId.slice(0, 100);
    const fields = {
      clientId,
      address: request.address,
      reason: action,
      ...(tenant === undefined ? {} : { tenantId: tenant }),
    };
    this.#parts.services.log.warn('mqtt.connection_refused', fields);
    return { ok: false, reason };
  }
}

/** A tenant with MQTT and its open database. */
interface Found {
  readonly store: TenantStore;
  readonly tenant: MqttTenant;
}

function firstOf(list: UserPropertyList, name: string): string | undefined {
  return list.find(([key]) => key.toLowerCase() === name)?.[1];
}
