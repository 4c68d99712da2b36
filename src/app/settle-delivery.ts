import { ERROR_TABLE } from '../core/error-table.ts';
import { coerceError, type Lang } from '../core/errors.ts';
import { ulidTime } from '../core/ulid-time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Delivery } from '../ports/queue.ts';
import type { OutboxRow, TenantStore } from '../ports/tenant-store.ts';
import type { Span } from '../ports/tracer.ts';
import type { BindingBreakers } from './binding-breakers.ts';
import { DeferralLedger } from './deferral-ledger.ts';
import { journalDelivery, journalRefusal } from './journal-delivery.ts';
import { park, parkInvalid } from './park-message.ts';
import { isRepeated, mayBeParked, type ReceivedMessage, type RefusedMessage } from './received-message.ts';
import type { OutboxRelay } from './relay-outbox.ts';
import type { Settlement } from './settlement.ts';

export interface SettleServices {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly lang: Lang;
  /** Aborted when the host drains: nothing is held any longer. */
  readonly draining: AbortSignal;
  readonly relay: Pick<OutboxRelay, 'dispatch'>;
  readonly metrics: Metrics;
  readonly breakers: BindingBreakers;
  /** Told when a message waits for a time, so that the mover wakes. */
  readonly onParked: (store: TenantStore, delayMs: number) => void;
  /** Told how the tenant's store fares, so that its consumers can be paused (G4). */
  readonly onStore: (store: TenantStore, state: 'served' | 'down') => void;
}

/** Ends deliveries: parks, acknowledges or gives back, writes their journal, sends onward (delivery.md 3.1 step 8). */
export class DeliverySettler {
  readonly #services: SettleServices;
  readonly #deferrals = new DeferralLedger();

  constructor(services: SettleServices) {
    this.#services = services;
  }

  /** Parks a message. @returns the settlement, or a deferral when its row could not be written. */
  async park(
    store: TenantStore,
    settlement: Extract<Settlement, { act: 'parked' }>,
    crashCounted: boolean,
  ): Promise<Settlement> {
    const { request } = settlement;
    try {
      await park(store, request, crashCounted);
    } catch (e) {
      return this.defer(store, e);
    }
    this.#services.onStore(store, 'served');
    if (request.state === 'waiting') this.#services.onParked(store, request.delayMs);
    return settlement;
  }

  /** The deferral that an error of the store or the sandbox asks for. */
  defer(store: TenantStore, thrown: unknown): Settlement {
    const error = coerceError(thrown);
    if (error.code === 'DB_UNAVAILABLE' || error.code === 'TENANT_UNAVAILABLE') this.#services.onStore(store, 'down');
    return { act: 'defer', error };
  }

  /** Parks a delivery that no script may see, and settles it. */
  async refuse(store: TenantStore, delivery: Delivery, refusal: RefusedMessage): Promise<void> {
    const startedAt = this.#services.clock.now();
    const request = parkInvalid(delivery, refusal, this.#services.lang);
    const settlement = await this.park(store, { act: 'parked', request, tree: undefined, error: refusal.error }, false);
    if (settlement.act === 'parked') journalRefusal(this.#services, store, settlement, startedAt);
    await this.#end(store, delivery, request.eventId, settlement, startedAt);
  }

  /** Settles a message. Never rejects: an unknown settlement is the queue's redelivery, which the inbox answers. */
  async settle(message: ReceivedMessage, settlement: Settlement, startedAt: number): Promise<void> {
    this.#noteAge(message, startedAt);
    this.#services.breakers.record(message, settlement);
    if (settlement.act === 'done') this.#services.onStore(message.store, 'served');
    // Those that wait behind it may be next. Without any the mover finds that out with one look.
    if (settlement.act !== 'defer' && mayBeParked(message) && message.orderKey !== undefined)
      this.#services.onParked(message.store, 0);
    if (settlement.act !== 'defer') journalDelivery(this.#services, message, settlement, startedAt);
    await this.#end(message.store, message.delivery, message.key.eventId, settlement, startedAt);
    endDeliverySpan(message.span, settlement);
    if (settlement.act === 'done') await this.dispatch(message.store, settlement.outbox);
  }

  /** Sends onward what was committed. */
  async dispatch(store: TenantStore, rows: readonly OutboxRow[]): Promise<void> {
    if (rows.length > 0) await this.#services.relay.dispatch(store, rows);
  }

  /** An EventId that the host made tells when; a message that comes again tells nothing about its queue. */
  #noteAge(message: ReceivedMessage, startedAt: number): void {
    const madeAt = isRepeated(message) ? undefined : ulidTime(message.key.eventId);
    if (madeAt === undefined || madeAt > startedAt) return;
    this.#services.metrics.deliveryBegan(message.store.tenant, (startedAt - madeAt) / 1000);
  }

  async #end(
    store: TenantStore,
    delivery: Delivery,
    eventId: string,
    settlement: Settlement,
    startedAt: number,
  ): Promise<void> {
    const { log, clock } = this.#services;
    const fields = { tenantId: store.tenant, queue: delivery.queue, eventId };
    const seconds = (clock.now() - startedAt) / 1000;
    this.#services.metrics.deliverySettled(store.tenant, outcomeOf(settlement), seconds);
    try {
      if (settlement.act === 'defer') return await this.#giveBack(delivery, eventId, store, settlement);
      this.#deferrals.settled(eventOf(store, delivery, eventId));
      await delivery.ack();
      log.info('delivery.settled', {
        ...fields,
        act: settlement.act,
        ...codeOf(settlement),
        durationMs: clock.now() - startedAt,
      });
    } catch (e) {
      log.warn('delivery.failed_internally', { ...fields, err: coerceError(e) });
    }
  }

  /** Holds first: a message that is given back returns to the head of its queue at once. */
  async #giveBack(
    delivery: Delivery,
    eventId: string,
    store: TenantStore,
    { error }: Extract<Settlement, { act: 'defer' }>,
  ): Promise<void> {
    const { log, clock, ids, draining } = this.#services;
    log[ERROR_TABLE[error.code].level]('delivery.deferred', {
      tenantId: store.tenant,
      queue: delivery.queue,
      eventId,
      code: error.code,
      err: error,
    });
    await clock.sleep(this.#deferrals.nextHoldMs(eventOf(store, delivery, eventId), ids.random()), draining);
    await delivery.requeue();
  }
}

function endDeliverySpan(span: Span, settlement: Settlement): void {
  span.set({ 'v8host.outcome': outcomeOf(settlement) });
  if (settlement.act === 'parked') span.end(settlement.error?.code ?? settlement.request.reason);
  else span.end(settlement.act === 'defer' ? settlement.error.code : undefined);
}

/** Why the run failed, where one did. */
function codeOf(settlement: Settlement): { code?: string } {
  return settlement.act === 'parked' && settlement.error !== undefined ? { code: settlement.error.code } : {};
}

const OUTCOME_OF_PARKING = { waiting: 'retry', behind: 'behind', dead: 'dead' } as const;

/** The outcome as metrics name it. */
function outcomeOf(settlement: Settlement): string {
  switch (settlement.act) {
    case 'parked':
      return OUTCOME_OF_PARKING[settlement.request.state];
    case 'defer':
      return 'deferred';
    default:
      return settlement.act;
  }
}

function eventOf(store: TenantStore, delivery: Delivery, eventId: string): string {
  return JSON.stringify([store.tenant, delivery.queue, eventId]);
}
