/**
 * The gate: the script of `MessageReceived` runs, and its transaction commits, before the device gets its
 * acknowledgement (delivery.md 3.4).
 *
 *   run -> allow: commit, then acknowledged and forwarded
 *       -> block, or the script failed: roll back, acknowledged, not forwarded, told in the log
 *       -> the host's own failure: again for a while, then the connection is closed without an acknowledgement
 */
import { AppError, coerceError, describeError, type ErrorRecord } from '../core/errors.ts';
import { mqttEventParam } from '../core/mqtt-event.ts';
import { judgeGate } from '../core/mqtt-gate.ts';
import type { TraceContext } from '../core/trace-parent.ts';
import type { BrokerMessage, ClientInfo, PublishDecision } from '../ports/broker.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { LaneShares } from './lane-shares.ts';
import { startDeviceSpan } from './message-spans.ts';
import {
  commitEventRun,
  databaseFault,
  type EndedEventRun,
  isHostFault,
  journalEventRun,
  type MqttEvent,
  type MqttRunServices,
  runMqttEvent,
} from './mqtt-event-run.ts';

/** Longest time for the host's own failures to pass (F5). Milliseconds. */
const RETRY_MS = 5_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** A message that closed its connection so often is blocked: sent again for ever, it would block the device. */
const CLOSES_BEFORE_BLOCK = 3;
const REMEMBERED_CLOSES = 10_000;

/** Longest device EventId (core/event-id.ts). */
const MAX_EVENT_ID = 128;

export interface GateRequest {
  readonly client: ClientInfo;
  readonly message: BrokerMessage;
  readonly engineKey: string;
  readonly isWill: boolean;
}

/** Asks scripts about messages. */
export class PublishGate {
  readonly #services: MqttRunServices;
  /** The gates of many devices at once, each device's one after the other. */
  readonly #shares: LaneShares;
  readonly #closes = new Map<string, number>();

  constructor(services: MqttRunServices) {
    this.#services = services;
    this.#shares = new LaneShares(services);
  }

  /** Never rejects. */
  async decide(store: TenantStore, request: GateRequest): Promise<PublishDecision> {
    const span = startDeviceSpan(this.#services.tracer, request.message, store.tenant);
    const decision = await this.#decideTraced(store, request, span);
    span.set({ 'v8host.outcome': decision.kind });
    span.end(decision.kind === 'refuse' ? decision.reason : undefined);
    return decision;
  }

  async #decideTraced(store: TenantStore, request: GateRequest, trace: TraceContext): Promise<PublishDecision> {
    const { clock } = this.#services;
    const { client, message } = request;
    const patience = client.keepAlive > 0 ? Math.min(RETRY_MS, client.keepAlive * 500) : RETRY_MS;
    const until = clock.now() + patience;
    const event = { ...this.#eventOf(request), trace };
    let pause = FIRST_PAUSE_MS;
    for (;;) {
      const decision = await this.#attempt(store, { ...event, waitMs: Math.max(1, until - clock.now()) }, message);
      if (!('transient' in decision)) {
        this.#forgetCloses(request);
        return decision;
      }
      const { transient } = decision;
      this.#services.log.warn('mqtt.gate_retried', {
        tenantId: store.tenant,
        clientId: client.clientId,
        code: transient.code,
      });
      // QoS 0 is at most once: there is no one to send it again, and nobody waits for an acknowledgement.
      if (clock.now() + pause >= until || this.#services.draining.aborted)
        return this.#giveUp(store, request, transient);
      await clock.sleep(pause, this.#services.draining);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }

  #eventOf({ client, message, engineKey }: GateRequest): MqttEvent {
    const { userProperties, ...properties } = message.properties;
    const eventId = userProperties?.find(([name]) => name === 'EventId')?.[1] ?? '';
    const mqtt = mqttEventParam({
      tenant: client.tenant,
      clientId: client.clientId,
      topic: message.topic,
      payload: message.payload,
      qos: message.qos,
      retain: message.retain,
      userProperties,
      ...properties,
      epoch: client.epoch,
    });
    const event = { engineKey, name: 'MessageReceived', mqtt, waitMs: RETRY_MS } as const;
    if (eventId === '' || eventId.length > MAX_EVENT_ID || message.qos === 0) return event;
    const messageHash = this.#services.ids.sha256Hex(message.payload);
    return { ...event, claim: { queue: `mqtt:${engineKey}`, eventId, messageHash } };
  }

  async #attempt(
    store: TenantStore,
    event: MqttEvent,
    message: BrokerMessage,
  ): Promise<PublishDecision | { readonly transient: AppError }> {
    const result = await runMqttEvent(this.#services, store, event, this.#shares);
    if (result.kind === 'duplicate') return this.#judgeDuplicate(store, event);
    if (result.kind === 'not-run') {
      return isHostFault(result.error) ? { transient: result.error } : this.#failed(store, event, result.error);
    }
    return this.#judge(store, event, result.run, message);
  }

  /** The same EventId with another payload is another reading: to acknowledge it in silence would lose it. */
  async #judgeDuplicate(store: TenantStore, event: MqttEvent): Promise<PublishDecision> {
    const { claim } = event;
    const entry = claim === undefined ? undefined : await store.findInbox(claim).catch(() => undefined);
    if (claim === undefined || entry === undefined || entry.messageHash === claim.messageHash) {
      return { kind: 'stored' };
    }
    return this.#failed(store, event, { code: 'MQTT_EVENT_ID_REUSED', params: { eventId: claim.eventId } });
  }

  async #judge(
    store: TenantStore,
    event: MqttEvent,
    run: EndedEventRun,
    message: BrokerMessage,
  ): Promise<PublishDecision | { readonly transient: AppError }> {
    const verdict = judgeGate(run.outcome, run.engine.key);
    const fault = databaseFault(run);
    if (fault === undefined && verdict.kind === 'allow') {
      try {
        await commitEventRun(this.#services, run);
        journalEventRun(run, undefined);
        return { kind: 'forward', message };
      } catch (e) {
        const error = coerceError(e);
        return isHostFault(error) ? { transient: error } : this.#failed(store, event, error);
      }
    }
    await run.transaction.rollback();
    if (fault !== undefined) return isHostFault(fault) ? { transient: fault } : this.#failed(store, event, fault);
    if (verdict.kind === 'transient') return { transient: new AppError(verdict.error.code, verdict.error.params) };
    if (verdict.kind === 'block') {
      this.#audit(store, event, 2, 'PublishRejectedByV8', verdict.message);
      return { kind: 'refuse', reason: 'blocked', text: verdict.message };
    }
    const error = verdict.kind === 'fail' ? verdict.error : ({ code: 'INTERNAL', params: {} } as const);
    journalEventRun(run, error);
    return this.#failed(store, event, error);
  }

  #failed(store: TenantStore, event: MqttEvent, error: ErrorRecord | AppError): PublishDecision {
    this.#audit(store, event, 2, 'V8EventFailed', describeError(error, this.#services.lang));
    // What went wrong inside is the tenant's, and the device may be anybody's.
    return { kind: 'refuse', reason: 'failed', text: error.code };
  }

  #giveUp(store: TenantStore, { client, message, isWill }: GateRequest, error: AppError): PublishDecision {
    const text = describeError(error, this.#services.lang);
    const event = { mqtt: { ClientId: client.clientId, Topic: message.topic } };
    if (message.qos === 0 || isWill) {
      this.#audit(store, event, 3, 'PublishLost', text);
      return { kind: 'refuse', reason: 'failed', text: error.code };
    }
    const key = this.#keyOf({ client, message });
    const closes = (this.#closes.get(key) ?? 0) + 1;
    this.#closes.delete(key);
    if (closes > CLOSES_BEFORE_BLOCK) {
      this.#audit(store, event, 3, 'PublishGivenUp', text);
      return { kind: 'refuse', reason: 'failed', text: error.code };
    }
    this.#closes.set(key, closes);
    for (const oldest of this.#closes.keys()) {
      if (this.#closes.size <= REMEMBERED_CLOSES) break;
      this.#closes.delete(oldest);
    }
    return { kind: 'close' };
  }

  /** It was decided: the same payload may be another message the next time. */
  #forgetCloses(request: GateRequest): void {
    if (this.#closes.size > 0) this.#closes.delete(this.#keyOf(request));
  }

  #keyOf({ client, message }: Pick<GateRequest, 'client' | 'message'>): string {
    const digest = this.#services.ids.sha256Hex(message.payload);
    return [client.tenant, client.clientId, message.topic, digest].join('\u001f');
  }

  /** A row of the system log, outside of any transaction: a rollback must not take it away. */
  #audit(store: TenantStore, { mqtt }: Pick<MqttEvent, 'mqtt'>, level: 2 | 3, title: string, content: string): void {
    const otherInfo = JSON.stringify({ ClientId: mqtt.ClientId, Topic: mqtt.Topic });
    store.journal.sysLog({ type: 'MQTT', title, content, otherInfo, level, eventId: '', runId: '' });
  }
}
