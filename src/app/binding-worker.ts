import type { Binding } from '../core/binding.ts';
import { coerceError } from '../core/errors.ts';
import { moduleOf } from '../core/trusted-module.ts';
import type { Log } from '../ports/log.ts';
import type { Delivery } from '../ports/queue.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { type BindingBreakers, breakerOf } from './binding-breakers.ts';
import { BATCH_MESSAGES } from './engine-profile.ts';
import type { BatchHandler } from './handle-batch.ts';
import type { DeliveryHandler } from './handle-delivery.ts';
import { type DeliveryServices, engineOf } from './handle-delivery.ts';
import type { InFlight } from './in-flight.ts';
import { isRepeated, type ReceivedMessage, receiveMessage } from './received-message.ts';

/** Batches to have at hand: the next one waits here while the messages of the running one are acknowledged. */
const BATCHES_AHEAD = 2;

type WorkerNeeds = 'clock' | 'ids' | 'profiles' | 'settler' | 'limits' | 'pauses' | 'draining';

/** What a worker of any binding uses. */
export interface WorkerServices extends Pick<DeliveryServices, WorkerNeeds> {
  readonly single: DeliveryHandler;
  readonly batch: BatchHandler;
  readonly inFlight: InFlight;
  readonly breakers: BindingBreakers;
  readonly log: Log;
  /** How long the queue server lets a delivery stay unsettled. Milliseconds. */
  readonly consumerTimeoutMs: number;
}

/**
 * Runs the deliveries of one binding: at most `Prefetch` at once, in the order they came. The queue hands out some
 * more, so that messages of quick engines are there to share a transaction; what has not begun can be given back.
 */
export class BindingWorker {
  readonly #services: WorkerServices;
  readonly #store: TenantStore;
  readonly #waiting: Delivery[] = [];
  #binding: Binding;
  #running = 0;
  /** While its binding or engine is paused nothing begins. */
  isHeld = false;

  constructor(services: WorkerServices, store: TenantStore, binding: Binding) {
    this.#services = services;
    this.#store = store;
    this.#binding = binding;
  }

  /** The binding as edited last; used from the next message on. */
  get binding(): Binding {
    return this.#binding;
  }

  set binding(binding: Binding) {
    this.#binding = binding;
    this.pump();
  }

  /**
   * Unsettled deliveries to ask the queue for. Waiting ones count against the server's consumer timeout, so they must
   * all be able to run within half of it (delivery.md F17).
   */
  get wirePrefetch(): number {
    const { prefetch, inbox, timeoutSeconds } = this.#binding;
    if (this.#isProbing) return 1;
    if (!inbox) return prefetch;
    const runMs = timeoutSeconds === undefined ? this.#knownWallMs() : timeoutSeconds * 1000;
    const affordable = Math.floor(this.#services.consumerTimeoutMs / 2 / runMs);
    return prefetch * Math.max(1, Math.min(BATCH_MESSAGES * BATCHES_AHEAD, affordable));
  }

  /** After a pause one message at a time shows whether the rest may follow. */
  get #isProbing(): boolean {
    const { breakers, pauses } = this.#services;
    const { tenant } = this.#store;
    const closed = breakers.book.isClosed(breakerOf(tenant, this.#binding));
    return !closed || !pauses.isFree(tenant, this.#binding.engineKey);
  }

  /** Of the engine as it last ran here. */
  #knownWallMs(): number {
    return this.#services.limits.knownWallMs(this.#store.tenant, this.#binding.engineKey);
  }

  /** Takes a delivery; it begins when one of the binding's places is free. */
  offer(delivery: Delivery): void {
    this.#waiting.push(delivery);
    this.pump();
  }

  /** Gives back what has not begun, last first, so that the order stays. */
  async giveBack(): Promise<void> {
    for (const delivery of this.#waiting.splice(0).reverse()) {
      await delivery.requeue().catch((e: unknown) => {
        this.#services.log.warn('delivery.failed_internally', { queue: delivery.queue, err: coerceError(e) });
      });
    }
  }

  /** Begins what may begin now. */
  pump(): void {
    while (!this.isHeld && this.#running < this.#places && this.#waiting.length > 0) {
      this.#running += 1;
      void this.#services.inFlight.track(this.#work().finally(() => this.#release()));
    }
  }

  get #places(): number {
    return this.#isProbing ? 1 : this.#binding.prefetch;
  }

  #release(): void {
    this.#running -= 1;
    this.pump();
  }

  async #work(): Promise<void> {
    const deliveries = this.#waiting.splice(0, this.#batchSize());
    if (!(await this.#mayRun(deliveries))) return;
    const messages: ReceivedMessage[] = [];
    for (const delivery of deliveries) {
      const received = receiveMessage(this.#store, this.#binding, delivery, this.#services.ids);
      if (received.ok) messages.push(received.value);
      else await this.#services.settler.refuse(this.#store, delivery, received.value);
    }
    if (messages.length < 2 || messages.some(isRepeated)) {
      for (const message of messages) await this.#services.single.handleMessage(message);
    } else {
      await this.#services.batch.handle(messages);
    }
  }

  /** Takes the binding's turn. Without it the deliveries are held for a moment and given back, uncounted. */
  async #mayRun(deliveries: readonly Delivery[]): Promise<boolean> {
    const { breakers, clock, draining } = this.#services;
    const waitMs = breakers.book.ask(breakerOf(this.#store.tenant, this.#binding));
    if (waitMs === undefined) return true;
    await clock.sleep(waitMs, draining);
    this.#waiting.unshift(...deliveries);
    await this.giveBack();
    return false;
  }

  /** Places share what waits, so that a binding with several runs its messages side by side first. */
  #batchSize(): number {
    if (this.#isProbing || !this.#binding.inbox) return 1;
    // What a module does outside nobody sees, so a neighbour's failure must not run it again.
    if (moduleOf(this.#binding.engineKey) !== undefined) return 1;
    const most = this.#services.profiles.batchSize(engineOf({ store: this.#store, binding: this.#binding }));
    const free = this.#store.singleWriter ? 1 : this.#binding.prefetch - this.#running + 1;
    return Math.max(1, Math.min(most, Math.ceil(this.#waiting.length / Math.max(1, free))));
  }
}
