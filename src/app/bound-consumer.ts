import type { Binding } from '../core/binding.ts';
import type { Consumer, Queue } from '../ports/queue.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import type { DeliveryHandler } from './handle-delivery.ts';

/**
 * A binding that is attached to its queue. Modes: `detached` -> `attached` -> `detached`; a binding edited meanwhile
 * is used from the next message on.
 */
export class BoundConsumer {
  readonly store: TenantStore;
  #binding: Binding;
  #consumer: Consumer | undefined;

  constructor(store: TenantStore, binding: Binding) {
    this.store = store;
    this.#binding = binding;
  }

  get binding(): Binding {
    return this.#binding;
  }

  get isAttached(): boolean {
    return this.#consumer !== undefined;
  }

  /** Attaches; a second call does nothing. @throws QUEUE_UNAVAILABLE. */
  async attach(queue: Queue, handler: DeliveryHandler): Promise<void> {
    if (this.#consumer !== undefined) return;
    const options = { prefetch: this.#binding.prefetch };
    this.#consumer = await queue.consume(this.store.tenant, this.#binding.physicalQueue, options, (delivery) => {
      void handler.handle(this.store, this.#binding, delivery);
    });
  }

  /** Takes over an edited row. */
  async update(binding: Binding): Promise<void> {
    const prefetchChanged = binding.prefetch !== this.#binding.prefetch;
    this.#binding = binding;
    if (prefetchChanged) await this.#consumer?.setPrefetch(binding.prefetch);
  }

  /** Takes no more deliveries; those being handled settle as usual. */
  async cancel(): Promise<void> {
    const consumer = this.#consumer;
    this.#consumer = undefined;
    await consumer?.cancel();
  }
}
