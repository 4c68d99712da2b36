import { EventEmitter, once } from 'node:events';
import type { Delivery } from '../../src/ports/queue.ts';

/** Collects deliveries, so that a test can await the next ones instead of sleeping. */
export class DeliveryInbox {
  readonly all: Delivery[] = [];
  readonly #arrivals = new EventEmitter();
  readonly take = (delivery: Delivery): void => {
    this.all.push(delivery);
    this.#arrivals.emit('arrived');
  };

  /** Resolves when `count` deliveries have come in all, with all of them. */
  async until(count: number): Promise<readonly Delivery[]> {
    while (this.all.length < count) await once(this.#arrivals, 'arrived');
    return this.all;
  }

  texts(): string[] {
    return this.all.map((delivery) => Buffer.from(delivery.body).toString());
  }

  at(index: number): Delivery {
    const delivery = this.all[index];
    if (delivery === undefined) throw new Error(`no delivery ${index}`);
    return delivery;
  }
}
