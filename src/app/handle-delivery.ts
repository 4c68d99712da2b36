/**
 * The spine: what happens to one message, from its delivery to its settlement (delivery.md 3.1).
 *
 *   check envelope -> one at a time per event -> ask the inbox -> claim, run, commit -> acknowledge -> send onward
 *
 * A delivery is acknowledged only when its effects, its parked row or an earlier run's effects are stored. Whatever
 * cannot be decided now is held for a moment and given back, uncounted.
 */
import type { Binding } from '../core/binding.ts';
import { AppError, coerceError } from '../core/errors.ts';
import type { Delivery } from '../ports/queue.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { consultInbox, countCrash, type InboxAnswer } from './consult-inbox.ts';
import { DeferralLedger } from './deferral-ledger.ts';
import { journalDelivery, journalRefusal } from './journal-delivery.ts';
import { KeyedLock } from './keyed-lock.ts';
import { park, parkFailed, parkInvalid, parkRefused } from './park-message.ts';
import { type ReceivedMessage, receiveMessage } from './received-message.ts';
import type { OutboxRelay } from './relay-outbox.ts';
import { type MessageOutcome, type RunMessageServices, runMessage } from './run-message.ts';
import type { Settlement } from './settlement.ts';

/** How long a copy waits for the running one before it is given back (G3). Milliseconds. */
const COPY_WAIT_MS = 3_000;

/** Tries in place for what is not the message's fault. */
const MAX_TRIES = 3;

export interface DeliveryServices extends RunMessageServices {
  readonly relay: Pick<OutboxRelay, 'dispatch'>;
  /** Told when a message waits for a time, so that the mover wakes. */
  readonly onParked: (store: TenantStore, delayMs: number) => void;
  /** Told how the tenant's store fares, so that its consumers can be paused (G4). */
  readonly onStore: (store: TenantStore, state: 'served' | 'down') => void;
}

/** Handles the deliveries of every tenant of this process. */
export class DeliveryHandler {
  readonly #services: DeliveryServices;
  readonly #events = new KeyedLock();
  readonly #writers = new KeyedLock();
  readonly #deferrals = new DeferralLedger();
  readonly #running = new Set<Promise<void>>();

  constructor(services: DeliveryServices) {
    this.#services = services;
  }

  /** Settles one delivery. Never rejects. */
  handle(store: TenantStore, binding: Binding, delivery: Delivery): Promise<void> {
    const handled = this.#handle(store, binding, delivery).finally(() => this.#running.delete(handled));
    this.#running.add(handled);
    return handled;
  }

  /** Deliveries being handled. */
  get inFlight(): number {
    return this.#running.size;
  }

  /** Resolves when every delivery handed in so far is settled. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #handle(store: TenantStore, binding: Binding, delivery: Delivery): Promise<void> {
    const startedAt = this.#services.clock.now();
    const received = receiveMessage(store, binding, delivery, this.#services.ids);
    if (!received.ok) {
      const request = parkInvalid(delivery, received.value, this.#services.lang);
      const settlement = { act: 'parked', request, tree: undefined, error: received.value.error } as const;
      const stored = await this.#store(store, settlement, false);
      if (stored.act === 'parked') journalRefusal(this.#services, store, stored, startedAt);
      return this.#settle(store, delivery, request.eventId, stored, startedAt);
    }
    const message = received.value;
    const settlement = await this.#decideExclusively(message);
    if (settlement.act !== 'defer') journalDelivery(this.#services, message, settlement, startedAt);
    await this.#settle(store, delivery, message.key.eventId, settlement, startedAt);
  }

  /** Step 2: one run per event in this process. Waiters hold no lane and no connection. */
  async #decideExclusively(message: ReceivedMessage): Promise<Settlement> {
    const key = JSON.stringify([message.store.tenant.toLowerCase(), message.key.queue, message.key.eventId]);
    const waited = this.#events.isHeld(key);
    const release = await this.#events.acquire(key, this.#services.clock.sleep(COPY_WAIT_MS, this.#services.draining));
    if (release === undefined) return { act: 'defer', error: new AppError('DB_BUSY') };
    try {
      return await this.#decide(message, waited);
    } finally {
      release();
    }
  }

  async #decide(message: ReceivedMessage, waited: boolean): Promise<Settlement> {
    let counted = false;
    try {
      if (
        message.binding.inbox &&
        (waited || message.delivery.redelivered || message.attempt > 1 || message.cycle > 1)
      ) {
        const known = await this.#act(message, await consultInbox(message), false);
        if (known !== undefined) return known;
      }
      if (message.delivery.redelivered) {
        const answer = await countCrash(message);
        counted = true;
        const crashed = await this.#act(message, answer, counted);
        if (crashed !== undefined) return crashed;
      }
      const settlement = await this.#tryInPlace(message, counted);
      if (settlement.act === 'defer' && counted) await message.store.crashes.uncount(message.key);
      return settlement;
    } catch (e) {
      return this.#deferFor(message, coerceError(e));
    }
  }

  /** Steps 4 to 8: runs, and runs again at once when nothing of the message is at fault. */
  async #tryInPlace(message: ReceivedMessage, crashCounted: boolean): Promise<Settlement> {
    let last = new AppError('DB_BUSY');
    for (let round = 1; round <= MAX_TRIES; round += 1) {
      const outcome = await this.#run(message);
      if (outcome.kind === 'done') {
        this.#services.onStore(message.store, 'served');
        return { act: 'done', tree: outcome.tree, version: outcome.version, outbox: outcome.outbox };
      }
      if (outcome.kind === 'failed') return this.#fail(message, outcome, crashCounted);
      if (outcome.kind === 'later') return this.#deferFor(message, outcome.error);
      if (outcome.kind === 'transient') last = outcome.error;
      else {
        const known = await this.#act(message, await consultInbox(message), crashCounted);
        if (known !== undefined) return known;
      }
      await this.#services.clock.sleep((10 + 40 * this.#services.ids.random()) * round, this.#services.draining);
    }
    return this.#deferFor(message, last);
  }

  /** A single-writer store runs one inbox message at a time; the others wait here, not in a lane. */
  async #run(message: ReceivedMessage): Promise<MessageOutcome> {
    if (!message.store.singleWriter || !message.binding.inbox) return runMessage(this.#services, message);
    const drained = new Promise<void>((resolve) => {
      if (this.#services.draining.aborted) resolve();
      this.#services.draining.addEventListener('abort', () => resolve(), { once: true });
    });
    const release = await this.#writers.acquire(message.store.tenant.toLowerCase(), drained);
    if (release === undefined) return { kind: 'later', error: new AppError('DRAINING') };
    try {
      return await runMessage(this.#services, message);
    } finally {
      release();
    }
  }

  /** Turns what the committed state says into a settlement; undefined means: run it. */
  async #act(message: ReceivedMessage, answer: InboxAnswer, crashCounted: boolean): Promise<Settlement | undefined> {
    if (answer.kind === 'run') return undefined;
    if (answer.kind === 'duplicate') {
      if (message.attempt > 1 || message.cycle > 1) await message.store.parked.resolve(message.key);
      if (message.delivery.redelivered) await message.store.crashes.clear(message.key);
      return { act: 'duplicate' };
    }
    const request = parkRefused(message, answer.reason, this.#services.lang);
    return this.#store(message.store, { act: 'parked', request, tree: undefined, error: undefined }, crashCounted);
  }

  /** Step 8: the attempt counts; the message waits or is dead. */
  #fail(
    message: ReceivedMessage,
    outcome: Extract<MessageOutcome, { kind: 'failed' }>,
    crashCounted: boolean,
  ): Promise<Settlement> {
    const request = parkFailed(message, outcome, this.#services.ids.random(), this.#services.lang);
    const settlement = { act: 'parked', request, tree: outcome.tree, error: outcome.error } as const;
    return this.#store(message.store, settlement, crashCounted);
  }

  async #store(
    store: TenantStore,
    settlement: Extract<Settlement, { act: 'parked' }>,
    crashCounted: boolean,
  ): Promise<Settlement> {
    try {
      await park(store, settlement.request, crashCounted);
      this.#services.onStore(store, 'served');
      if (settlement.request.state === 'waiting') this.#services.onParked(store, settlement.request.delayMs);
      return settlement;
    } catch (e) {
      const error = coerceError(e);
      if (error.code === 'DB_UNAVAILABLE') this.#services.onStore(store, 'down');
      return { act: 'defer', error };
    }
  }

  #deferFor(message: ReceivedMessage, error: AppError): Settlement {
    if (error.code === 'DB_UNAVAILABLE' || error.code === 'TENANT_UNAVAILABLE') {
      this.#services.onStore(message.store, 'down');
    }
    return { act: 'defer', error };
  }

  async #settle(
    store: TenantStore,
    delivery: Delivery,
    eventId: string,
    settlement: Settlement,
    startedAt: number,
  ): Promise<void> {
    const { log, clock } = this.#services;
    const event = JSON.stringify([store.tenant, delivery.queue, eventId]);
    const fields = { tenantId: store.tenant, queue: delivery.queue, eventId };
    try {
      if (settlement.act === 'defer') {
        const level = settlement.error.code === 'INTERNAL' ? 'error' : 'debug';
        log[level]('delivery.deferred', { ...fields, code: settlement.error.code, err: settlement.error });
        await clock.sleep(this.#deferrals.nextHoldMs(event, this.#services.ids.random()), this.#services.draining);
        return await delivery.requeue();
      }
      this.#deferrals.settled(event);
      await delivery.ack();
      log.info('delivery.settled', { ...fields, act: settlement.act, durationMs: clock.now() - startedAt });
    } catch (e) {
      // An unknown settlement is the queue's redelivery; the inbox answers it.
      log.warn('delivery.failed_internally', { ...fields, err: coerceError(e) });
    }
    if (settlement.act === 'done' && settlement.outbox.length > 0) {
      await this.#services.relay.dispatch(store, settlement.outbox);
    }
  }
}
