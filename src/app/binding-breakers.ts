import { breakerSample } from '../core/breaker-sample.ts';
import type { CircuitBook, CircuitName } from './circuit-book.ts';
import type { ReceivedMessage } from './received-message.ts';
import type { Settlement } from './settlement.ts';

/**
 * The breaker of each binding: when most of its runs fail and the messages are not to blame, they wait in the queue,
 * uncounted, instead of becoming dead letters. Messages that no script saw say nothing about the binding.
 */
export class BindingBreakers {
  readonly book: CircuitBook;

  constructor(book: CircuitBook) {
    this.book = book;
  }

  /** Takes in how a message was settled. */
  record(message: ReceivedMessage, settlement: Settlement): void {
    const name = breakerOf(message.store.tenant, message.binding);
    if (settlement.act === 'done') this.book.record(name, 'good');
    else if (settlement.act === 'parked' && settlement.tree !== undefined) {
      this.book.record(name, breakerSample(settlement.error?.code, settlement.tree.dependencyFailed));
    } else this.book.forgo(name);
  }
}

export function breakerOf(tenant: string, binding: { readonly physicalQueue: string }): CircuitName {
  return { tenant, subject: binding.physicalQueue };
}
