import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, coerceError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { ConsumeOptions, Consumer, Delivery, OutgoingMessage, Queue } from '../../ports/queue.ts';
import { AttachedQueue, type ConsumerState, type Handout } from './attached-queue.ts';
import { GroupCommit } from './group-commit.ts';
import { QueueStore } from './queue-store.ts';
import { ReadyMessages } from './ready-messages.ts';
import { SettlementBook } from './settlement-book.ts';

/** What the embedded queue tells about itself. */
export interface EmbeddedQueueStatus {
  /** Settlements dropped because their delivery was settled before or its consumer closed. */
  readonly staleSettlements: number;
  /** Settlements decided and not yet written. */
  readonly owedSettlements: number;
  /** False after a failed write, until one works. */
  readonly available: boolean;
}

export interface EmbeddedQueue extends Queue {
  status(): EmbeddedQueueStatus;
}

export interface EmbeddedQueueOptions {
  /** Path of `host.db`; its folder is made. */
  readonly file: string;
  readonly log: Log;
  readonly clock: Clock;
}

/** Messages handed out of one queue in one turn; the rest follow in the next, after other queues. */
const MAX_HANDOUTS_PER_TURN = 32;

/** Wait after a failed write before the file is tried again. Milliseconds. */
const RETRY_MS = 500;

/**
 * Opens the durable queue of the embedded default.
 * @throws AppError QUEUE_STORE_UNUSABLE naming the file and the reason, SCHEMA_NEWER.
 */
export async function createEmbeddedQueue(options: EmbeddedQueueOptions): Promise<EmbeddedQueue> {
  try {
    await mkdir(dirname(options.file), { recursive: true });
    // Messages are the tenants' own: SQLite gives its side files the rights of this one.
    await (await open(options.file, 'a', 0o600)).close();
    return new SqliteQueue(new QueueStore(options.file), options);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('QUEUE_STORE_UNUSABLE', { file: options.file, reason }, { cause: error });
  }
}

/**
 * Everything that changes the file happens in turns: one turn writes the settlements decided so far and the
 * delivered marks of the messages it takes, commits, and only then hands those out. So a message that a script may
 * have seen always bears its mark, whenever the process is killed.
 */
class SqliteQueue implements EmbeddedQueue {
  readonly #store: QueueStore;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #publications: GroupCommit;
  readonly #settlements = new SettlementBook();
  readonly #queues = new Map<string, AttachedQueue>();
  /** Queues that may have something to hand out. */
  readonly #awake = new Set<AttachedQueue>();
  readonly #closing = new AbortController();
  #turnScheduled = false;
  #available = true;
  #retrying = false;
  #staleSettlements = 0;

  constructor(store: QueueStore, options: EmbeddedQueueOptions) {
    this.#store = store;
    this.#log = options.log.child('adapters.embedded-queue');
    this.#clock = options.clock;
    this.#publications = new GroupCommit((messages) => this.#storeMessages(messages));
  }

  async publish(_tenant: string, messages: readonly OutgoingMessage[]): Promise<void> {
    this.#refuseWhenClosed();
    if (messages.length > 0) await this.#publications.add(messages);
  }

  async consume(
    _tenant: string,
    queue: string,
    options: ConsumeOptions,
    onDelivery: (delivery: Delivery) => void,
  ): Promise<Consumer> {
    this.#refuseWhenClosed();
    const attached = this.#attach(queue);
    const state: ConsumerState = { mode: 'active', prefetch: options.prefetch, unsettled: new Set(), onDelivery };
    attached.consumers.push(state);
    this.#wake(attached);
    return {
      cancel: async () => {
        if (state.mode === 'active') state.mode = 'cancelled';
      },
      close: async () => this.#closeConsumer(attached, state),
      setPrefetch: async (prefetch) => {
        state.prefetch = prefetch;
        this.#wake(attached);
      },
    };
  }

  /** One file and one process: there are no accounts and no connections. */
  connections(): readonly [] {
    return [];
  }

  async refreshTenant(): Promise<void> {}

  async closeTenant(): Promise<void> {}

  /** Nothing about it depends on a server. */
  async inspect(): Promise<undefined> {}

  async depth(_tenant: string, queue: string): Promise<{ ready: number; unsettled: number }> {
    this.#refuseWhenClosed();
    const unsettled = this.#queues.get(queue)?.unsettled() ?? 0;
    try {
      return { ready: this.#store.count(queue) - unsettled - this.#settlements.removals(queue), unsettled };
    } catch (error) {
      throw this.#unavailable(error);
    }
  }

  status(): EmbeddedQueueStatus {
    return {
      staleSettlements: this.#staleSettlements,
      owedSettlements: this.#settlements.size,
      available: this.#available,
    };
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#publications.flush();
    this.#closing.abort();
    for (const attached of [...this.#queues.values()]) {
      for (const consumer of [...attached.consumers]) this.#closeConsumer(attached, consumer);
    }
    this.#awake.clear();
    this.#runTurn();
    this.#store.close();
  }

  #refuseWhenClosed(): void {
    if (this.#closing.signal.aborted) throw new AppError('QUEUE_UNAVAILABLE');
  }

  #attach(name: string): AttachedQueue {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const attached = new AttachedQueue(name, new ReadyMessages(this.#store, name));
    this.#queues.set(name, attached);
    return attached;
  }

  /** What the consumer still holds may have started a run, so its delivered mark stays. */
  #closeConsumer(attached: AttachedQueue, state: ConsumerState): void {
    if (state.mode === 'closed') return;
    state.mode = 'closed';
    for (const handout of [...state.unsettled]) attached.takeBack(handout);
    attached.consumers.splice(attached.consumers.indexOf(state), 1);
    if (attached.consumers.length > 0) this.#wake(attached);
    // Without consumers nothing is in flight, and a new reader starts at the oldest message anyway.
    else this.#queues.delete(attached.name);
  }

  #storeMessages(messages: readonly OutgoingMessage[]): void {
    try {
      this.#store.insert(messages, this.#clock.now());
      this.#recovered();
    } catch (error) {
      throw this.#unavailable(error);
    } finally {
      // Also after an error: a failed commit may have stored them.
      for (const { queue } of messages) this.#wake(this.#queues.get(queue));
    }
  }

  #settle(attached: AttachedQueue, handout: Handout, act: 'ack' | 'requeue'): Promise<void> {
    if (!handout.consumer.unsettled.delete(handout)) {
      this.#staleSettlements++;
      return Promise.resolve();
    }
    const { seq, delivered } = handout.message;
    this.#wake(attached);
    if (act === 'ack') return this.#owe('remove', attached, seq);
    attached.ready.giveBack(seq);
    // A living host that gives a message back has not crashed on it: it bears the mark it had before.
    return delivered ? Promise.resolve() : this.#owe('unmark', attached, seq);
  }

  #owe(act: 'remove' | 'unmark', attached: AttachedQueue, seq: number): Promise<void> {
    this.#scheduleTurn();
    return this.#settlements.add({ act, queue: attached.name, seq });
  }

  #wake(attached: AttachedQueue | undefined): void {
    if (attached === undefined || !attached.hasFreeConsumer()) return;
    this.#awake.add(attached);
    this.#scheduleTurn();
  }

  /** While the file cannot be written, the retry alone makes turns. */
  #scheduleTurn(): void {
    if (this.#turnScheduled || !this.#available || this.#closing.signal.aborted) return;
    this.#turnScheduled = true;
    setImmediate(() => {
      this.#turnScheduled = false;
      if (!this.#closing.signal.aborted) this.#runTurn();
    });
  }

  #runTurn(): void {
    const awake = [...this.#awake];
    if (awake.length === 0 && this.#settlements.size === 0) return;
    this.#awake.clear();
    const taken: [AttachedQueue, Handout][] = [];
    try {
      this.#store.transact(() => {
        this.#settlements.write(this.#store);
        for (const attached of awake) this.#takeMessages(attached, taken);
      });
    } catch (error) {
      this.#undoTurn(awake, taken, error);
      return;
    }
    this.#settlements.written();
    this.#recovered();
    for (const [attached, handout] of taken) this.#deliver(attached, handout);
  }

  #takeMessages(attached: AttachedQueue, taken: [AttachedQueue, Handout][]): void {
    for (let count = 0; count < MAX_HANDOUTS_PER_TURN; count++) {
      const handout = attached.handOut();
      if (handout === undefined) return;
      taken.push([attached, handout]);
      if (!handout.message.delivered) this.#store.setDelivered(handout.message.seq, true);
    }
    this.#wake(attached);
  }

  #undoTurn(awake: readonly AttachedQueue[], taken: readonly [AttachedQueue, Handout][], error: unknown): void {
    for (const [attached, handout] of taken) attached.takeBack(handout);
    for (const attached of awake) this.#awake.add(attached);
    this.#settlements.failed(this.#unavailable(error));
  }

  #deliver(attached: AttachedQueue, handout: Handout): void {
    const { consumer, message } = handout;
    const delivery: Delivery = {
      queue: attached.name,
      body: message.body,
      props: message.props,
      redelivered: message.delivered,
      ack: () => this.#settle(attached, handout, 'ack'),
      requeue: () => this.#settle(attached, handout, 'requeue'),
    };
    // A handler of this same turn may have cancelled the consumer.
    if (consumer.mode === 'active') this.#give(consumer, delivery);
    else if (consumer.mode === 'cancelled') void delivery.requeue().catch(() => undefined);
  }

  /** A handler that throws against its contract keeps its delivery; the others of this turn must still go out. */
  #give(consumer: ConsumerState, delivery: Delivery): void {
    try {
      consumer.onDelivery(delivery);
    } catch (thrown) {
      this.#log.error('task.failed', { queue: delivery.queue, err: coerceError(thrown) });
    }
  }

  /** Notes a failed access, logs the first of a row, and tries again later. */
  #unavailable(cause: unknown): AppError {
    const error = new AppError('QUEUE_UNAVAILABLE', {}, { cause });
    if (this.#available && !this.#closing.signal.aborted) {
      this.#available = false;
      this.#log.error('queue.write_failed', { err: error });
      if (!this.#retrying) void this.#retryUntilAvailable();
    }
    return error;
  }

  /** Every turn that fails leaves the queue unavailable; the loop ends with the first that works. */
  async #retryUntilAvailable(): Promise<void> {
    this.#retrying = true;
    while (!this.#available && !this.#closing.signal.aborted) {
      await this.#clock.sleep(RETRY_MS, this.#closing.signal);
      if (this.#closing.signal.aborted) return;
      if (this.#awake.size === 0 && this.#settlements.size === 0) this.#recovered();
      else this.#runTurn();
    }
    this.#retrying = false;
  }

  #recovered(): void {
    if (this.#available) return;
    this.#available = true;
    this.#log.info('queue.write_recovered');
    if (this.#awake.size > 0 || this.#settlements.size > 0) this.#scheduleTurn();
  }
}
