import type { BrokerMessage } from '../../ports/broker.ts';
import type { BrokerLimits } from './broker-limits.ts';
import { messageBytes } from './kept-bytes.ts';

export interface Retained {
  readonly message: BrokerMessage;
  /** Milliseconds UTC. */
  readonly expiresAt: number | undefined;
  /** Client id of whoever published it; unknown after a restart. */
  readonly publisher: string | undefined;
}

/** The retained messages of one tenant by their topics, and what they weigh. */
export class RetainedMessages {
  readonly #limits: Pick<BrokerLimits, 'retainedMessages' | 'retainedBytesPerTenant'>;
  readonly #byTopic = new Map<string, Retained>();
  #bytes = 0;

  constructor(limits: Pick<BrokerLimits, 'retainedMessages' | 'retainedBytesPerTenant'>) {
    this.#limits = limits;
  }

  get(topic: string): Retained | undefined {
    return this.#byTopic.get(topic);
  }

  [Symbol.iterator](): Iterator<[topic: string, retained: Retained]> {
    return this.#byTopic[Symbol.iterator]();
  }

  /** False when the message, in place of the one of its topic, is more than the tenant may have. */
  hasRoomFor(message: BrokerMessage): boolean {
    const known = this.#byTopic.get(message.topic);
    if (known === undefined && this.#byTopic.size >= this.#limits.retainedMessages) return false;
    const more = messageBytes(message) - (known === undefined ? 0 : messageBytes(known.message));
    return more <= 0 || this.#bytes + more <= this.#limits.retainedBytesPerTenant;
  }

  set(retained: Retained): void {
    const { topic } = retained.message;
    this.delete(topic);
    this.#byTopic.set(topic, retained);
    this.#bytes += messageBytes(retained.message);
  }

  delete(topic: string): boolean {
    const known = this.#byTopic.get(topic);
    if (known !== undefined) this.#bytes -= messageBytes(known.message);
    return this.#byTopic.delete(topic);
  }
}
