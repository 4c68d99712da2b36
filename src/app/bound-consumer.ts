import type { Binding } from '../core/binding.ts';
import type { Consumer, Queue } from '../ports/queue.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { BindingWorker, type WorkerServices } from './binding-worker.ts';

/**
 * A binding that is attached to its queue. Modes: `detached` -> `attached` -> `detached`; a binding edited meanwhile
 * is used from the next message on.
 */
export class BoundConsumer {
  readonly store: TenantStore;
  readonly #worker: BindingWorker;
  #consumer: Consumer | undefined;

  constructor(services: WorkerServices, store: TenantStore, binding: Binding) {
    this.store = store;
    this.#worker = new BindingWorker(services, store, binding);
  }

  get binding(): Binding {
    return this.#worker.binding;
  }

  get isAttached(): boolean {
    return this.#consumer !== undefined;
  }

  /** Attaches; a second call does nothing. @throws QUEUE_UNAVAILABLE. */
  async attach(queue: Queue): Promise<void> {
    if (this.#consumer !== undefined) return;
    const { queueType } = this.binding;
    const options = { prefetch: this.#worker.wirePrefetch, ...(queueType === undefined ? {} : { queueType }) };
    this.#consumer = await queue.consume(this.store.tenant, this.binding.physicalQueue, options, (delivery) =>
      this.#worker.offer(delivery),
    );
  }

  /** Takes over an edited row. Another kind of queue is asked for by attaching anew, which is left to the caller. */
  async update(binding: Binding): Promise<void> {
    const before = this.#worker.wirePrefetch;
    if (binding.queueType !== this.binding.queueType) await this.cancel();
    this.#worker.binding = binding;
    if (this.#worker.wirePrefetch !== before) await this.#consumer?.setPrefetch(this.#worker.wirePrefetch);
  }

  /** Takes no more deliveries and gives back what has not begun; what runs settles as usual. */
  async cancel(): Promise<void> {
    const consumer = this.#consumer;
    this.#consumer = undefined;
    await consumer?.cancel();
    await this.#worker.giveBack();
  }
}
