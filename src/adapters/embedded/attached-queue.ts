import type { Delivery } from '../../ports/queue.ts';
import type { StoredMessage } from './queue-store.ts';
import type { ReadyMessages } from './ready-messages.ts';

/** One delivery of one message to one consumer. Its identity tells a settlement from one of an older delivery. */
export interface Handout {
  readonly consumer: ConsumerState;
  readonly message: StoredMessage;
}

/**
 * A consumer's modes: `active` takes messages; `cancelled` takes none and settles what it has; `closed` has nothing
 * and settles nothing. It only moves down this list.
 */
export interface ConsumerState {
  mode: 'active' | 'cancelled' | 'closed';
  prefetch: number;
  readonly unsettled: Set<Handout>;
  readonly onDelivery: (delivery: Delivery) => void;
}

/** A queue with the consumers that compete for its messages, in turn. */
export class AttachedQueue {
  readonly name: string;
  readonly ready: ReadyMessages;
  readonly consumers: ConsumerState[] = [];
  #turn = 0;

  constructor(name: string, ready: ReadyMessages) {
    this.name = name;
    this.ready = ready;
  }

  /** Takes the next message for the consumer whose turn it is; undefined when no message or no consumer is free. */
  handOut(): Handout | undefined {
    const consumer = this.#nextFree();
    if (consumer === undefined) return undefined;
    const message = this.ready.take();
    if (message === undefined) return undefined;
    const handout: Handout = { consumer, message };
    consumer.unsettled.add(handout);
    this.#turn = this.consumers.indexOf(consumer) + 1;
    return handout;
  }

  /** Undoes a hand-out: the message is ready again. @returns false when it was settled before. */
  takeBack(handout: Handout): boolean {
    if (!handout.consumer.unsettled.delete(handout)) return false;
    this.ready.giveBack(handout.message.seq);
    return true;
  }

  hasFreeConsumer(): boolean {
    return this.#nextFree() !== undefined;
  }

  unsettled(): number {
    return this.consumers.reduce((sum, consumer) => sum + consumer.unsettled.size, 0);
  }

  #nextFree(): ConsumerState | undefined {
    for (let step = 0; step < this.consumers.length; step++) {
      const consumer = this.consumers[(this.#turn + step) % this.consumers.length];
      if (consumer !== undefined && consumer.mode === 'active' && consumer.unsettled.size < consumer.prefetch) {
        return consumer;
      }
    }
    return undefined;
  }
}
