import type { BrokerStore } from '../../ports/broker-store.ts';

export interface DownlinkLimits {
  /** Ids of downlinks that are known of one tenant; the oldest makes room. */
  readonly downlinkIds: number;
  /** Time that an id is known. Seconds. */
  readonly downlinkIdSeconds: number;
}

interface Answer {
  /** Sessions that the message went to. */
  readonly sessions: number;
  /** Milliseconds UTC. */
  readonly sentAt: number;
}

interface Kept extends Answer {
  readonly stored: boolean;
}

/**
 * The messages of a tenant's host to its devices that have been sent, by their ids: whoever did not hear our answer
 * sends the same again, and gets the same answer.
 */
export class AnsweredDownlinks {
  readonly #tenant: string;
  readonly #store: BrokerStore;
  readonly #limits: DownlinkLimits;
  /** In the order of their time. */
  readonly #answers = new Map<string, Kept>();
  readonly #running = new Map<string, Promise<number>>();

  constructor(tenant: string, store: BrokerStore, limits: DownlinkLimits) {
    this.#tenant = tenant;
    this.#store = store;
    this.#limits = limits;
  }

  /** Does what sends the message of an id, unless that is done or under way. @returns sessions. @throws what `send` throws. */
  async once(id: string, send: () => Promise<number>): Promise<number> {
    const running = this.#running.get(id);
    if (running !== undefined) return running;
    const answer = this.#answers.get(id);
    if (answer !== undefined) return answer.sessions;
    const sending = send().finally(() => this.#running.delete(id));
    this.#running.set(id, sending);
    return sending;
  }

  /** Notes an answer. @param stored it is written together with what the message leaves in the store. */
  note(id: string, answer: Answer, stored: boolean): void {
    this.#answers.set(id, { ...answer, stored });
    if (stored) this.#store.saveDownlink({ tenant: this.#tenant, id, ...answer });
    if (this.#answers.size > this.#limits.downlinkIds) this.#forgetOldest();
  }

  /** It was not sent after all. */
  takeBack(id: string): void {
    const known = this.#answers.get(id);
    this.#answers.delete(id);
    if (known?.stored === true) this.#store.dropDownlink({ tenant: this.#tenant, id });
  }

  /** Takes up what a store kept; the oldest first. */
  restore(id: string, answer: Answer): void {
    this.#answers.set(id, { ...answer, stored: true });
  }

  expire(now: number): void {
    for (const { sentAt } of this.#answers.values()) {
      if (sentAt + this.#limits.downlinkIdSeconds * 1000 > now) return;
      this.#forgetOldest();
    }
  }

  #forgetOldest(): void {
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined) this.takeBack(oldest);
  }
}
