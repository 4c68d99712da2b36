import type { Binding } from '../core/binding.ts';
import type { Consumer, Queue } from '../ports/queue.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { breakerOf } from './binding-breakers.ts';
import { BindingWorker, type WorkerServices } from './binding-worker.ts';

/**
 * A binding that is attached to its queue. Modes: `detached` -> `attached` -> `detached`; a binding edited meanwhile
 * is used from the next message on.
 */
export class BoundConsumer {
  readonly store: TenantStore;
  readonly #worker: BindingWorker;
  readonly #services: WorkerServices;
  #consumer: Consumer | undefined;
  /** Prefetch that the queue was asked for last. */
  #asked = 0;

  constructor(services: WorkerServices, store: TenantStore, binding: Binding) {
    this.#services = services;
    this.store = store;
    this.#worker = new BindingWorker(services, store, binding);
  }

  get binding(): Binding {
    return this.#worker.binding;
  }

  get isAttached(): boolean {
    return this.#consumer !== undefined;
  }

  /** When the circuit of the binding or of its engine may be probed, milliseconds UTC; undefined: it runs. */
  get pausedUntil(): number | undefined {
    const { breakers, pauses } = this.#services;
    const { tenant } = this.store;
    const ofBinding = breakers.book.openUntil(breakerOf(tenant, this.binding));
    const ofEngine = pauses.book.openUntil({ tenant, subject: this.binding.engineKey });
    if (ofBinding === undefined || ofEngine === undefined) return ofBinding ?? ofEngine;
    return Math.max(ofBinding, ofEngine);
  }

  /** Begins nothing more, until `goOn`. */
  hold(): void {
    this.#worker.isHeld = true;
  }

  goOn(): void {
    this.#worker.isHeld = false;
  }

  /** Attaches; a second call does nothing. @throws QUEUE_UNAVAILABLE. */
  async attach(queue: Queue): Promise<void> {
    if (this.#consumer !== undefined) return;
    await this.#learnLimits();
    const { queueType } = this.binding;
    this.#asked = this.#worker.wirePrefetch;
    const options = { prefetch: this.#asked, ...(queueType === undefined ? {} : { queueType }) };
    this.#consumer = await queue.consume(this.store.tenant, this.binding.physicalQueue, options, (delivery) =>
      this.#worker.offer(delivery),
    );
  }

  /** Takes over an edited row. Another kind of queue is asked for by attaching anew, which is left to the caller. */
  async update(binding: Binding): Promise<void> {
    if (binding.queueType !== this.binding.queueType) await this.cancel();
    this.#worker.binding = binding;
    await this.adjust();
  }

  /** Asks the queue for as many messages as may wait here now, and goes on with those that do. */
  async adjust(): Promise<void> {
    this.#worker.pump();
    const wanted = this.#worker.wirePrefetch;
    if (wanted === this.#asked || this.#consumer === undefined) return;
    this.#asked = wanted;
    await this.#consumer.setPrefetch(wanted);
  }

  /** How long the engine's runs may take decides how many of its messages may wait here; unknown, the default does. */
  async #learnLimits(): Promise<void> {
    const { limits } = this.#services;
    // Not from memory: asking there would keep an engine for the first run that may be edited until then.
    const engine = await this.store.engines.find(this.binding.engineKey).catch(() => undefined);
    if (engine !== undefined) limits.of(this.store, engine, this.binding.timeoutSeconds);
  }

  /** Takes no more deliveries and gives back what has not begun; what runs settles as usual. */
  async cancel(): Promise<void> {
    const consumer = this.#consumer;
    this.#consumer = undefined;
    await consumer?.cancel();
    await this.#worker.giveBack();
  }
}
