import type { Binding } from '../core/binding.ts';
import { coerceError } from '../core/errors.ts';
import { moduleOf } from '../core/trusted-module.ts';
import type { Log } from '../ports/log.ts';
import type { Delivery } from '../ports/queue.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { type BindingBreakers, breakerOf } from './binding-breakers.ts';
import { LARGE_BATCH_MESSAGES, TAIL_MS } from './engine-profile.ts';
import type { BatchHandler } from './handle-batch.ts';
import type { DeliveryHandler } from './handle-delivery.ts';
import { type DeliveryServices, engineOf } from './handle-delivery.ts';
import { InFlight } from './in-flight.ts';
import { startDeliverySpan } from './message-spans.ts';
import { type CheckedMessage, isRepeated, type ReceivedMessage, receiveMessage } from './received-message.ts';
import { UnsettledDeliveries } from './unsettled-deliveries.ts';
import { WaitingLine } from './waiting-line.ts';

/** Batches to have at hand: the next one waits here while the messages of the running one are acknowledged. */
const BATCHES_AHEAD = 2;

/** Deliveries that wait here at most beyond the places: each is in this host's memory, and may be of 16 MiB. */
const MOST_AHEAD = 512;

type WorkerNeeds = 'clock' | 'ids' | 'profiles' | 'settler' | 'tracer' | 'limits' | 'pauses' | 'draining';

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
  readonly #line = new WaitingLine();
  readonly unsettled = new UnsettledDeliveries();
  /** Runs under way, for `stop`. */
  readonly #started = new InFlight();
  #binding: Binding;
  #running = 0;
  /** While its binding or engine is paused nothing begins. */
  isHeld = false;
  #isStopped = false;

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
   * all be able to run within half of it (delivery.md F17). Those of a quick engine may be more: they are given back
   * when it was not so quick after all.
   */
  get wirePrefetch(): number {
    const { prefetch, inbox, orderKey } = this.#binding;
    // Changing it later would let another consumer in between.
    if (this.#isProbing && orderKey === undefined) return 1;
    if (!inbox) return prefetch;
    const { consumerTimeoutMs } = this.#services;
    const affordable = Math.floor(consumerTimeoutMs / 2 / this.wallMs);
    const ahead = Math.min(LARGE_BATCH_MESSAGES * BATCHES_AHEAD, Math.ceil(MOST_AHEAD / prefetch));
    // Those at hand may all be of one key, which run one after another.
    if (orderKey !== undefined) return Math.max(prefetch, Math.min(prefetch * ahead, affordable));
    const hoped = this.#mostTogether > 1 ? Math.floor(this.#patienceMs / TAIL_MS) : 0;
    return prefetch * Math.max(1, Math.min(ahead, Math.max(affordable, hoped)));
  }

  /** After a pause one message at a time shows whether the rest may follow. */
  get #isProbing(): boolean {
    const { breakers, pauses } = this.#services;
    const { tenant } = this.#store;
    const closed = breakers.book.isClosed(breakerOf(tenant, this.#binding));
    return !closed || !pauses.isFree(tenant, this.#binding.engineKey);
  }

  /** Longest run of the binding, of its engine as it last ran here. Milliseconds. */
  get wallMs(): number {
    const { timeoutSeconds, engineKey } = this.#binding;
    if (timeoutSeconds !== undefined) return timeoutSeconds * 1000;
    return this.#services.limits.knownWallMs(this.#store.tenant, engineKey);
  }

  /** Takes a delivery; it begins when one of the binding's places is free. */
  offer(delivery: Delivery): void {
    const now = this.#services.clock.now();
    const watched = this.unsettled.watch(delivery, now);
    this.#line.add(watched, this.#orderKeyOf(delivery), now);
    this.pump();
  }

  /** Begins nothing more. @returns when what runs is settled or waits in its place again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#started.idle();
  }

  /** Forgets what has not begun: its consumer is closed, so it comes again. Begins again with the next delivery. */
  reset(): void {
    this.#line.clear();
    this.unsettled.clear();
    this.#isStopped = false;
  }

  /** Gives back what has not begun, last first, so that the order stays. */
  async giveBack(): Promise<void> {
    for (const delivery of this.#line.clear().toReversed()) {
      await delivery.requeue().catch((e: unknown) => {
        this.#services.log.warn('delivery.failed_internally', { queue: delivery.queue, err: coerceError(e) });
      });
    }
  }

  /** Begins what may begin now. */
  pump(): void {
    while (!this.isHeld && !this.#isStopped && this.#running < this.#places) {
      if (this.#hasWaitedTooLong) return void this.giveBack();
      const next = this.#line.take(this.#batchSize());
      if (next === undefined) return;
      this.#running += 1;
      const work = this.#work(next).finally(() => this.#release(next.orderKey));
      void this.#started.track(this.#services.inFlight.track(work));
    }
  }

  /** For how long a delivery may wait here: its run may take long, too. Milliseconds. */
  get #patienceMs(): number {
    return this.#services.consumerTimeoutMs / 4;
  }

  /** In order nothing is given back, which others could overtake; there deadlines alone say how much may wait. */
  get #hasWaitedTooLong(): boolean {
    const since = this.#line.oldestSince;
    if (since === undefined || this.#binding.orderKey !== undefined) return false;
    return this.#services.clock.now() - since > this.#patienceMs;
  }

  get #places(): number {
    return this.#isProbing ? 1 : this.#binding.prefetch;
  }

  #release(orderKey: string | undefined): void {
    this.#running -= 1;
    this.#line.release(orderKey);
    this.pump();
  }

  async #work({ deliveries: taken, orderKey }: Turn): Promise<void> {
    const deliveries = orderKey === undefined ? taken : taken.map((delivery) => this.#inPlace(delivery, orderKey));
    if (!(await this.#mayRun(deliveries, orderKey))) return;
    const messages: ReceivedMessage[] = [];
    for (const delivery of deliveries) {
      const received = receiveMessage(this.#store, this.#binding, delivery, this.#services.ids);
      if (received.ok) messages.push(this.#traced(received.value));
      else await this.#services.settler.refuse(this.#store, delivery, received.value);
    }
    if (messages.length < 2 || messages.some(isRepeated)) {
      for (const message of messages) await this.#services.single.handleMessage(message);
    } else {
      await this.#services.batch.handle(messages);
    }
  }

  #traced(message: CheckedMessage): ReceivedMessage {
    return { ...message, span: startDeliverySpan(this.#services.tracer, message) };
  }

  /** Takes the binding's turn. Without it the deliveries are held for a moment and given back, uncounted. */
  async #mayRun(deliveries: readonly Delivery[], orderKey: string | undefined): Promise<boolean> {
    const { breakers, clock, draining } = this.#services;
    const waitMs = breakers.book.ask(breakerOf(this.#store.tenant, this.#binding));
    if (waitMs === undefined) return true;
    await clock.sleep(waitMs, draining);
    const now = clock.now();
    for (const delivery of deliveries.toReversed()) this.#line.putBack(delivery, orderKey, now);
    if (orderKey === undefined) await this.giveBack();
    return false;
  }

  #orderKeyOf(delivery: Delivery): string | undefined {
    if (this.#binding.orderKey === undefined) return undefined;
    const received = receiveMessage(this.#store, this.#binding, delivery, this.#services.ids);
    return received.ok ? received.value.orderKey : undefined;
  }

  /** Given back to the queue, it would come again behind those of its key that wait here: it keeps its place instead. */
  #inPlace(delivery: Delivery, orderKey: string): Delivery {
    const again: Delivery = { ...delivery, redelivered: true };
    return { ...delivery, requeue: async () => this.#line.putBack(again, orderKey, this.#services.clock.now()) };
  }

  get #mostTogether(): number {
    return this.#services.profiles.batchSize(engineOf({ store: this.#store, binding: this.#binding }));
  }

  /** Places share what waits, so that a binding with several runs its messages side by side first. */
  #batchSize(): number {
    if (this.#isProbing || !this.#binding.inbox) return 1;
    // What a module does outside nobody sees, so a neighbour's failure must not run it again.
    if (moduleOf(this.#binding.engineKey) !== undefined) return 1;
    const most = this.#mostTogether;
    const free = this.#store.singleWriter ? 1 : this.#binding.prefetch - this.#running;
    return Math.max(1, Math.min(most, Math.ceil(this.#line.length / Math.max(1, free))));
  }
}

/** What begins together. */
type Turn = NonNullable<ReturnType<WaitingLine['take']>>;
