import { filterMatches } from '../../core/mqtt-topic.ts';
import type { BrokerMessage, Qos, RetainedView } from '../../ports/broker.ts';
import type { BrokerStore, StoredSubscription } from '../../ports/broker-store.ts';
import { AnsweredDownlinks, type DownlinkLimits } from './answered-downlinks.ts';
import { Departures } from './departures.ts';
import { Session, type SessionLimits, type SessionMessage, type SessionShelf } from './session.ts';
import { type Delivery, SubscriptionTree } from './subscription-tree.ts';

interface Retained {
  readonly message: BrokerMessage;
  readonly expiresAt: number | undefined;
  /** Client id of whoever published it; unknown after a restart. */
  readonly publisher: string | undefined;
}

export interface SpaceParts {
  readonly store: BrokerStore;
  readonly limits: SessionLimits & DownlinkLimits & { readonly retainedMessages: number };
  nextSeq(): number;
  now(): number;
  onDropped(session: Session): void;
}

/**
 * Sessions, subscriptions and retained messages of one tenant. Tenants share none of them, so nothing that a client
 * names can lead into another tenant.
 */
export class TenantSpace {
  /** In lower case. */
  readonly tenant: string;
  readonly sessions = new Map<string, Session>();
  readonly departures = new Departures();
  readonly downlinks: AnsweredDownlinks;
  readonly #tree = new SubscriptionTree<Session>();
  readonly #retained = new Map<string, Retained>();
  readonly #parts: SpaceParts;
  readonly #shelf: SessionShelf;

  constructor(tenant: string, parts: SpaceParts) {
    this.tenant = tenant;
    this.#parts = parts;
    const { store, limits, onDropped, now } = parts;
    this.downlinks = new AnsweredDownlinks(tenant, store, limits);
    this.#shelf = { store, limits, queuedBytes: 0, onDropped, now };
  }

  makeSession(clientId: string): Session {
    const session = new Session({ tenant: this.tenant, clientId }, this.#shelf);
    this.sessions.set(clientId, session);
    return session;
  }

  /** Ends a session with its subscriptions and everything that waits for it. */
  dropSession(session: Session): void {
    for (const filter of session.subscriptions.keys()) this.#tree.remove(session, filter);
    session.subscriptions.clear();
    session.clear();
    if (this.sessions.get(session.key.clientId) === session) this.sessions.delete(session.key.clientId);
    if (session.isPersistent) this.#parts.store.dropSession(session.key);
  }

  /** Writes down a session that outlives its connection. */
  saveSession(session: Session): void {
    if (!session.isPersistent) return;
    const { key, expirySeconds, offlineSince, subscriptions } = session;
    this.#parts.store.saveSession({ ...key, expirySeconds, offlineSince, subscriptions: [...subscriptions.values()] });
  }

  /** @returns true when the session had no subscription to that filter. */
  subscribe(session: Session, subscription: StoredSubscription): boolean {
    const isNew = !session.subscriptions.has(subscription.filter);
    session.subscriptions.set(subscription.filter, subscription);
    this.#tree.add(session, subscription);
    return isNew;
  }

  /** @returns false when there was no such subscription. */
  unsubscribe(session: Session, filter: string): boolean {
    this.#tree.remove(session, filter);
    return session.subscriptions.delete(filter);
  }

  /** Gives a message to every session that subscribed to its topic. @returns how many. */
  route(message: BrokerMessage, publisher: string | undefined): number {
    let sessions = 0;
    const expiresAt = this.#expiryOf(message);
    for (const { subscriber, delivery, toPublisher } of this.#tree.match(message.topic)) {
      const as = subscriber.key.clientId === publisher ? toPublisher : delivery;
      if (as === undefined) continue;
      sessions++;
      subscriber.offer(this.#messageFor(subscriber, as, message, expiresAt));
    }
    return sessions;
  }

  /**
   * As `route`, but no session has the message before the store has it.
   * @param id of the message; it is stored with what the message leaves in the store.
   * @throws what `BrokerStore.flushed` throws; the message is taken back then.
   */
  async routeStored(message: BrokerMessage, id: string | undefined): Promise<number> {
    const { store } = this.#parts;
    const expiresAt = this.#expiryOf(message);
    const offers = this.#tree.match(message.topic).map(({ subscriber, delivery }) => {
      return { subscriber, offered: this.#messageFor(subscriber, delivery, message, expiresAt) };
    });
    const kept = offers.filter(({ offered }) => offered.stored);
    // What is written for others does not concern a message that leaves nothing in the store.
    const isStored = message.retain || kept.length > 0;
    for (const { subscriber, offered } of kept) store.addMessage(subscriber.key, offered);
    if (id !== undefined) this.downlinks.note(id, { sessions: offers.length, sentAt: this.#parts.now() }, isStored);
    try {
      if (isStored) await store.flushed();
    } catch (error) {
      if (id !== undefined) this.downlinks.takeBack(id);
      for (const { subscriber, offered } of kept) store.dropMessage(subscriber.key, offered.seq);
      throw error;
    }
    for (const { subscriber, offered } of offers) {
      if (this.sessions.get(subscriber.key.clientId) === subscriber) subscriber.take(offered);
    }
    return offers.length;
  }

  subscribers(topic: string): number {
    return this.#tree.match(topic).length;
  }

  #messageFor(
    subscriber: Session,
    as: Delivery,
    message: BrokerMessage,
    expiresAt: number | undefined,
  ): SessionMessage {
    const { identifiers, retainAsPublished } = as;
    const qos = smaller(as.qos, message.qos);
    const stored = qos > 0 && subscriber.isPersistent;
    const retain = retainAsPublished && message.retain;
    const seq = qos > 0 ? this.#parts.nextSeq() : 0;
    return { message, seq, qos, retain, stored, identifiers, expiresAt };
  }

  /**
   * Keeps, replaces or (with an empty payload) removes the retained message of a topic.
   * @returns whether payload or QoS changed; `full` when the tenant has too many.
   */
  retain(message: BrokerMessage, publisher: string | undefined): 'changed' | 'same' | 'full' {
    const known = this.#retained.get(message.topic);
    if (message.payload.byteLength === 0) {
      if (known === undefined) return 'same';
      this.#retained.delete(message.topic);
      this.#parts.store.saveRetained({ tenant: this.tenant, message, expiresAt: undefined });
      return 'changed';
    }
    if (known === undefined && this.#retained.size >= this.#parts.limits.retainedMessages) return 'full';
    const expiresAt = this.#expiryOf(message);
    this.#retained.set(message.topic, { message, expiresAt, publisher });
    this.#parts.store.saveRetained({ tenant: this.tenant, message, expiresAt });
    const same = known?.message.qos === message.qos && Buffer.compare(known.message.payload, message.payload) === 0;
    return same ? 'same' : 'changed';
  }

  /** Takes up what a store kept. */
  restoreRetained(message: BrokerMessage, expiresAt: number | undefined): void {
    this.#retained.set(message.topic, { message, expiresAt, publisher: undefined });
  }

  /** Sends a new subscription the retained messages that it takes. */
  sendRetained(session: Session, subscription: StoredSubscription): void {
    const identifiers = subscription.identifier === undefined ? [] : [subscription.identifier];
    for (const { message, expiresAt, publisher } of this.#retainedFor(subscription.filter)) {
      if (subscription.noLocal && publisher === session.key.clientId) continue;
      const qos = smaller(subscription.qos, message.qos);
      const seq = qos > 0 ? this.#parts.nextSeq() : 0;
      const stored = qos > 0 && session.isPersistent;
      session.offer({ message, seq, qos, retain: true, stored, identifiers, expiresAt });
    }
  }

  *#retainedFor(filter: string): Generator<Retained> {
    const now = this.#parts.now();
    const isFresh = ({ expiresAt }: Retained) => expiresAt === undefined || expiresAt > now;
    if (!/[+#]/.test(filter)) {
      const only = this.#retained.get(filter);
      if (only !== undefined && isFresh(only)) yield only;
      return;
    }
    for (const [topic, retained] of this.#retained) {
      if (filterMatches(filter, topic) && isFresh(retained)) yield retained;
    }
  }

  retainedViews(): readonly RetainedView[] {
    return [...this.#retainedFor('#')].map(({ message }) => ({
      topic: message.topic,
      qos: message.qos,
      bytes: message.payload.byteLength,
    }));
  }

  /** Once a second: sessions go on that had to wait for the store. */
  goOn(): void {
    for (const session of this.sessions.values()) session.goOn();
  }

  /** Ends sessions, retained messages and ids whose time is over. */
  expire(): void {
    const now = this.#parts.now();
    this.downlinks.expire(now);
    for (const session of this.sessions.values()) {
      if (session.isExpired(now) && !this.departures.has(session.key.clientId)) this.dropSession(session);
    }
    for (const [topic, { message, expiresAt }] of this.#retained) {
      if (expiresAt === undefined || expiresAt > now) continue;
      this.#retained.delete(topic);
      const gone = { ...message, payload: new Uint8Array() };
      this.#parts.store.saveRetained({ tenant: this.tenant, message: gone, expiresAt: undefined });
    }
  }

  #expiryOf(message: BrokerMessage): number | undefined {
    const seconds = message.properties.messageExpiryInterval;
    return seconds === undefined ? undefined : this.#parts.now() + seconds * 1000;
  }
}

function smaller(a: Qos, b: Qos): Qos {
  return a < b ? a : b;
}
