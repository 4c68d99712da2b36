import { coerceError, describeError } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { payloadMembers } from '../core/mqtt-event.ts';
import { compareFilters, filterMatches, type TopicScope } from '../core/mqtt-topic.ts';
import { tenantKey } from '../core/tenant.ts';
import { type TopicBinding, topicBindingInForce } from '../core/topic-binding.ts';
import type { BrokerMessage, ClientInfo, PublishDecision } from '../ports/broker.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { buildMessage } from './message-build.ts';
import { contextOfDevice, describeSend, placeOf, startSendSpan } from './message-spans.ts';
import type { MqttRunServices } from './mqtt-event-run.ts';

/** A changed binding is seen after this at the latest. Milliseconds. */
const TTL_MS = 5_000;

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

  /** The most specific binding that takes a topic. @throws what the store throws: where a message goes must not be guessed. */
  async find(store: TenantStore, scope: TopicScope, topic: string): Promise<TopicBinding | undefined> {
    return (await this.#bindings(store, scope)).find(({ filter }) => filterMatches(filter, topic));
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
    const { queue, ids, lang, log, tracer } = this.#services;
    const content = contentOf(client, message);
    const draft = {
      queueName: binding.queueName,
      eventId: eventIdOf(binding, message, content.Payload ?? null),
      messageJson: JSON.stringify(content),
      osClient: undefined,
    };
    const span = startSendSpan(tracer, 'send', contextOfDevice(message));
    const built = buildMessage(draft, { tenant: store.tenant, userId: null, trace: span }, ids);
    if (!built.ok) {
      span.end(built.refusal.error.code);
      const text = describeError(built.refusal.error, lang);
      const otherInfo = JSON.stringify({ ClientId: client.clientId, Topic: message.topic });
      const title = 'PublishLost';
      // An older device sees a plain acknowledgement: the log is the only place that tells.
      store.journal.sysLog({ type: 'MQTT', title, content: text, otherInfo, level: 3, eventId: '', runId: '' });
      return { kind: 'refuse', reason: 'failed', text };
    }
    describeSend(span, tracer, 'send', placeOf(built.value, store.tenant));
    try {
      await queue.publish(store.tenant, [built.value]);
      span.end();
      return { kind: 'forward', message };
    } catch (e) {
      span.end(coerceError(e).code);
      log.warn('mqtt.gate_retried', { tenantId: store.tenant, clientId: client.clientId, err: coerceError(e) });
      return message.qos === 0 ? { kind: 'refuse', reason: 'failed', text: '' } : { kind: 'close' };
    }
  }

  async #bindings(store: TenantStore, scope: TopicScope): Promise<readonly TopicBinding[]> {
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
}

async function readBindings(store: TenantStore, scope: TopicScope): Promise<readonly TopicBinding[]> {
  const rows = await store.topicBindings.list();
  const inForce = rows.flatMap(({ row }) => topicBindingInForce(row, scope) ?? []);
  return inForce.sort((one, other) => compareFilters(one.filter, other.filter));
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
