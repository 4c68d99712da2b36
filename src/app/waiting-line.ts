import type { Delivery } from '../ports/queue.ts';

interface Waiting {
  readonly delivery: Delivery;
  readonly orderKey: string | undefined;
  /** When it came. Milliseconds UTC. */
  readonly since: number;
}

/** Deliveries of a binding that have not begun, in the order they came; of one order key one at a time may begin. */
export class WaitingLine {
  #waiting: Waiting[] = [];
  readonly #busy = new Set<string>();

  get length(): number {
    return this.#waiting.length;
  }

  /** When the first one in line came; undefined when nobody waits. Milliseconds UTC. */
  get oldestSince(): number | undefined {
    return this.#waiting[0]?.since;
  }

  /** @param orderKey undefined for a message that needs no order. @param since when it came. Milliseconds UTC. */
  add(delivery: Delivery, orderKey: string | undefined, since: number): void {
    this.#waiting.push({ delivery, orderKey, since });
  }

  /** Back to the head, before its followers. Its key stays taken until `release`. @param since as `add`. */
  putBack(delivery: Delivery, orderKey: string | undefined, since: number): void {
    this.#waiting.unshift({ delivery, orderKey, since });
  }

  /** Takes the first `count` deliveries without a key, or the first one whose key is free. */
  take(count: number): { readonly deliveries: readonly Delivery[]; readonly orderKey: string | undefined } | undefined {
    const place = this.#waiting.findIndex(({ orderKey }) => orderKey === undefined || !this.#busy.has(orderKey));
    const first = this.#waiting[place];
    if (first === undefined) return undefined;
    if (first.orderKey !== undefined) {
      this.#busy.add(first.orderKey);
      this.#waiting.splice(place, 1);
      return { deliveries: [first.delivery], orderKey: first.orderKey };
    }
    const after = this.#waiting.slice(place).findIndex(({ orderKey }) => orderKey !== undefined);
    const most = after === -1 ? count : Math.min(count, after);
    const taken = this.#waiting.splice(place, Math.max(1, most));
    return { deliveries: taken.map(({ delivery }) => delivery), orderKey: undefined };
  }

  /** The message of this key that was taken is decided or put back. */
  release(orderKey: string | undefined): void {
    if (orderKey !== undefined) this.#busy.delete(orderKey);
  }

  /** Takes everything out, in the order they came. */
  clear(): readonly Delivery[] {
    return this.#waiting.splice(0).map(({ delivery }) => delivery);
  }
}
