import type { Binding } from '../core/binding.ts';
import { AppError } from '../core/errors.ts';
import { deadlineFindings, type Finding, preflight, type QueueInspection } from '../core/preflight.ts';
import type { Consumer, Queue } from '../ports/queue.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { breakerOf } from './binding-breakers.ts';
import { BindingWorker, type WorkerServices } from './binding-worker.ts';

/** For queues whose server waits for ever. Milliseconds. */
const LONGEST_PATIENCE_MS = 1_800_000;

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
  /** A consumer in order that is on its way out. */
  #leaving: Promise<void> | undefined;
  #inspection: QueueInspection | undefined;

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

  /** Attaches; a second call does nothing. @throws QUEUE_UNAVAILABLE, QUEUE_HELD while it must wait for another. */
  async attach(queue: Queue): Promise<void> {
    if (this.#consumer !== undefined) return;
    const { physicalQueue, queueType, orderKey } = this.binding;
    if (this.#leaving !== undefined) throw new AppError('QUEUE_HELD', { queue: physicalQueue });
    await this.#learnLimits();
    await this.#preflight(queue);
    this.#asked = this.#worker.wirePrefetch;
    const options = {
      prefetch: this.#asked,
      alone: orderKey !== undefined,
      ...(queueType === undefined ? {} : { queueType }),
    };
    this.#consumer = await queue.consume(this.store.tenant, physicalQueue, options, (delivery) =>
      this.#worker.offer(delivery),
    );
  }

  /** Takes over an edited row. Another kind of queue or order is asked for by attaching anew, which is left to the caller. */
  async update(binding: Binding): Promise<void> {
    const { queueType, orderKey } = this.binding;
    if (binding.queueType !== queueType || binding.orderKey !== orderKey) await this.cancel();
    this.#worker.binding = binding;
    // An edited deadline may no longer fit.
    if (this.isAttached && this.findings.some(({ kind }) => kind === 'refusal')) await this.cancel();
    await this.adjust();
  }

  /** Asks the queue for as many messages as may wait here now, and goes on with those that do. */
  async adjust(): Promise<void> {
    this.#worker.pump();
    const wanted = this.#worker.wirePrefetch;
    if (wanted === this.#asked || this.#consumer === undefined || this.binding.orderKey !== undefined) return;
    this.#asked = wanted;
    await this.#consumer.setPrefetch(wanted);
  }

  /** What was found out about the queue when it was attached last, and of the binding since. */
  get findings(): readonly Finding[] {
    const { binding } = this;
    const { consumerTimeoutMs } = this.#services;
    const ofQueue = this.#inspection === undefined ? [] : preflight(binding, this.#inspection);
    return [...ofQueue, ...deadlineFindings(binding, this.#worker.wallMs, consumerTimeoutMs)];
  }

  /** @throws AppError QUEUE_UNFIT, what `Queue.inspect` throws. */
  async #preflight(queue: Queue): Promise<void> {
    this.#inspection = await queue.inspect(this.store.tenant, this.binding.physicalQueue);
    const refused = this.findings.find(({ kind }) => kind === 'refusal');
    if (refused !== undefined) throw new AppError(refused.error.code, refused.error.params);
  }

  /** How long the engine's runs may take decides how many of its messages may wait here; unknown, the default does. */
  async #learnLimits(): Promise<void> {
    const { limits } = this.#services;
    // Not from memory: asking there would keep an engine for the first run that may be edited until then.
    const engine = await this.store.engines.find(this.binding.engineKey).catch(() => undefined);
    if (engine !== undefined) limits.of(this.store, engine, this.binding.timeoutSeconds);
  }

  /**
   * Takes no more deliveries and gives back what has not begun; what runs settles as usual. A consumer in order leaves
   * in the background (`left`): its successor must not begin before what runs here is settled.
   */
  async cancel(): Promise<void> {
    const consumer = this.#consumer;
    this.#consumer = undefined;
    if (consumer !== undefined && this.binding.orderKey !== undefined) {
      this.#leaving = this.#leaveInOrder(consumer).finally(() => {
        this.#leaving = undefined;
      });
      return;
    }
    await consumer?.cancel();
    await this.#worker.giveBack();
  }

  /**
   * Tells of deliveries that wait for their settlement for longer than half of what the queue server allows.
   * @returns true when one is beyond all of it: the consumer must be replaced, since its place is lost.
   */
  checkUnsettled(): boolean {
    const { clock, log, consumerTimeoutMs } = this.#services;
    const patienceMs = Math.min(consumerTimeoutMs, LONGEST_PATIENCE_MS);
    const { unsettled } = this.#worker;
    const now = clock.now();
    for (const { queue, props } of unsettled.overdue(now, patienceMs / 2)) {
      const eventId = props.messageId ?? '';
      log.warn('delivery.overdue', { tenantId: this.store.tenant, queue, eventId, seconds: patienceMs / 2_000 });
    }
    return unsettled.oldestMs(now) > patienceMs;
  }

  /** Gives everything back, also what runs: its settlement will be dropped, and the inbox answers its next delivery. */
  async abandon(): Promise<void> {
    const consumer = this.#consumer;
    this.#consumer = undefined;
    void this.#worker.stop();
    await consumer?.close();
    this.#worker.unsettled.clear();
  }

  /** Resolves when nothing of a cancelled consumer is left. */
  async left(): Promise<void> {
    await this.#leaving;
  }

  /** Closing gives all back at once and in its place; one by one, others could come in between. */
  async #leaveInOrder(consumer: Consumer): Promise<void> {
    await this.#worker.stop();
    await consumer.close().catch(() => undefined);
    this.#worker.reset();
  }
}
