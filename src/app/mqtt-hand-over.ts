import { isEnabled } from '../core/engine.ts';
import { coerceError, describeError } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { payloadMembers } from '../core/mqtt-event.ts';
import { filterMatches, type TopicScope, toTopicFilter } from '../core/mqtt-topic.ts';
import { tenantKey } from '../core/tenant.ts';
import type { BrokerMessage, ClientInfo, PublishDecision } from '../ports/broker.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { buildMessage } from './message-build.ts';
import type { MqttRunServices } from './mqtt-event-run.ts';
import { firstRows, MQTT_TABLES } from './mqtt-rows.ts';

/** A changed binding is seen after this at the latest. Milliseconds. */
const TTL_MS = 5_000;
const MAX_BINDINGS = 500;

/** A row of `mci_mqtt_binding`: messages to these topics go into this queue. */
export interface TopicBinding {
  /** Canonical. */
  readonly filter: string;
  readonly queueName: string;
  /** Members on the way to the EventId in the payload, such as `head.id`; empty for none. */
  readonly eventIdPath: string;
}

interface Known {
  readonly askedAt: number;
  readonly bindings: Promise<readonly TopicBinding[]>;
}

/**
 * Puts messages of devices into queues, whose consumers handle them at their own pace, with inbox, retries and dead
 * letters. The device has its acknowledgement after the queue has confirmed; no script runs before it.
 */
export class MqttHandOver {
  readonly #services: MqttRunServices;
  readonly #known = new Map<string, Known>();

  constructor(services: MqttRunServices) {
    this.#services = services;
  }

  /** The first binding that takes a topic. @throws what the store throws: where a message goes must not be guessed. */
  async find(store: TenantStore, scope: TopicScope, topic: string): Promise<TopicBinding | undefined> {
    return (await this.bindings(store, scope)).find(({ filter }) => filterMatches(filter, topic));
  }

  async bindings(store: TenantStore, scope: TopicScope): Promise<readonly TopicBinding[]> {
    const key = tenantKey(store.tenant);
    const now = this.#services.clock.now();
    const known = this.#known.get(key);
    if (known !== undefined && now >= known.askedAt && now - known.askedAt < TTL_MS) return known.bindings;
    const entry = { askedAt: now, bindings: readBindings(store, scope) };
    this.#known.set(key, entry);
    try {
      return await entry.bindings;
    } catch (e) {
      if (this.#known.get(key) === entry) this.#known.delete(key);
      throw e;
    }
  }

  /** Bindings were written: they hold at once. */
  forget(tenant: string): void {
    this.#known.delete(tenantKey(tenant));
  }

  /** Stores the message in the queue. Never rejects: a queue that is away closes the connection. */
  async handOver(
    store: TenantStore,
    binding: TopicBinding,
    client: ClientInfo,
    message: BrokerMessage,
  ): Promise<PublishDecision> {
    const { queue, ids, lang, log } = this.#services;
    const content = contentOf(client, message);
    const draft = {
      queueName: binding.queueName,
      eventId: eventIdOf(binding, message, content.Payload ?? null),
      messageJson: JSON.stringify(content),
      osClient: undefined,
    };
    const sender = { tenant: store.tenant, userId: null, traceParent: null, traceState: null };
    const built = buildMessage(draft, sender, ids);
    if (!built.ok) {
      const text = describeError(built.refusal.error, lang);
      const otherInfo = JSON.stringify({ ClientId: client.clientId, Topic: message.topic });
      const title = 'PublishLost';
      // An older device sees a plain acknowledgement: the log is the only place that tells.
      store.journal.sysLog({ type: 'MQTT', title, content: text, otherInfo, level: 3, eventId: '', runId: '' });
      return { kind: 'refuse', reason: 'failed', text };
    }
    try {
      await queue.publish(store.tenant, [built.value]);
      return { kind: 'forward', message };
    } catch (e) {
      log.warn('mqtt.gate_retried', { tenantId: store.tenant, clientId: client.clientId, err: coerceError(e) });
      return message.qos === 0 ? { kind: 'refuse', reason: 'failed', text: '' } : { kind: 'close' };
    }
  }
}

async function readBindings(store: TenantStore, scope: TopicScope): Promise<readonly TopicBinding[]> {
  if ((await store.tables.describe(MQTT_TABLES.binding)) === undefined) return [];
  const all = { table: MQTT_TABLES.binding, where: [], includeDeleted: false };
  const rows = await store.tables.select(firstRows(all, [], MAX_BINDINGS));
  return rows.flatMap((row) => {
    const filter = toTopicFilter(String(row.TopicFilter ?? ''), scope);
    const queueName = String(row.QueueName ?? '').trim();
    if (!filter.ok || queueName === '' || !isEnabled(row.IsEnable)) return [];
    return [{ filter: filter.value, queueName, eventIdPath: String(row.EventIdPath ?? '').trim() }];
  });
}

/** `V8.Param.Message.Message` of the consumer. */
function contentOf(client: ClientInfo, message: BrokerMessage): JsonObject {
  const { userProperties = [] } = message.properties;
  return {
    ClientId: client.clientId,
    Topic: message.topic,
    ...payloadMembers(message.payload),
    Qos: message.qos,
    Retain: message.retain,
    UserProperties: Object.fromEntries([...userProperties].reverse()),
  };
}

/** The device's own EventId, else none: a new one per receipt. Never one made of payload or packet id (F4). */
function eventIdOf({ eventIdPath }: TopicBinding, message: BrokerMessage, payload: JsonValue): string | undefined {
  const own = message.properties.userProperties?.find(([name]) => name === 'EventId')?.[1];
  if (own !== undefined && own !== '') return own;
  if (eventIdPath === '') return undefined;
  let value: JsonValue | undefined = payload;
  for (const name of eventIdPath.split('.')) {
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
