import { filterMatches } from '../../core/mqtt-topic.ts';
import type { BrokerMessage, Qos, RetainedView } from '../../ports/broker.ts';
import type { BrokerStore, StoredSubscription } from '../../ports/broker-store.ts';
import { AnsweredDownlinks, type DownlinkLimits } from './answered-downlinks.ts';
import type { BrokerLimits } from './broker-limits.ts';
import { Departures } from './departures.ts';
import { SESSION_BYTES, subscriptionBytes } from './kept-bytes.ts';
import { type Retained, RetainedMessages } from './retained-messages.ts';
import { Session, type SessionLimits, type SessionMessage, type SessionShelf } from './session.ts';
import { type Delivery, SubscriptionTree } from './subscription-tree.ts';

/** What a tenant may leave with the broker (broker-limits.ts). */
type SpaceLimits = Pick<BrokerLimits, 'sessionBytesPerTenant' | 'retainedMessages' | 'retainedBytesPerTenant'>;

/** What a tenant may have so much of. */
export type QuotaKind = 'retained messages' | 'sessions' | 'subscriptions';

export interface SpaceParts {
  readonly store: BrokerStore;
  readonly limits: SessionLimits & DownlinkLimits & SpaceLimits;
  nextSeq(): number;
  now(): number;
  onDropped(session: Session): void;
  /** Something was refused because the tenant has as much as it may. */
  onFull(tenant: string, what: QuotaKind): void;
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
  readonly #retained: RetainedMessages;
  readonly #parts: SpaceParts;
  readonly #shelf: SessionShelf;
  #sessionBytes = 0;

  constructor(tenant: string, parts: SpaceParts) {
    this.tenant = tenant;
    this.#parts = parts;
    const { store, limits, onDropped, now } = parts;
    this.#retained = new RetainedMessages(limits);
    this.downlinks = new AnsweredDownlinks(tenant, store, limits);
    this.#shelf = { store, limits, queuedBytes: 0, onDropped, now };
  }

  makeSession(clientId: string): Session {
    const session = new Session({ tenant: this.tenant, clientId }, this.#shelf);
    this.sessions.set(clientId, session);
    this.#sessionBytes += SESSION_BYTES;
    return session;
  }

  /** Counts the will of a session; 0 when it has none any more. */
  keepWill(session: Session, bytes: number): void {
    this.#sessionBytes += bytes - session.willBytes;
    session.willBytes = bytes;
  }

  /** False when the session of a client, new or with a larger will, is more than the tenant may have. */
  hasRoomFor(clientId: string, willBytes: number): boolean {
    const known = this.sessions.get(clientId);
    return this.#hasRoom(known === undefined ? SESSION_BYTES + willBytes : willBytes - known.willBytes, 'sessions');
  }

  /** False when one more subscription is more than the tenant may have. */
  hasRoomToSubscribe(filter: string): boolean {
    return this.#hasRoom(subscriptionBytes(filter), 'subscriptions');
  }

  #hasRoom(more: number, what: QuotaKind): boolean {
    const fits = more <= 0 || this.#sessionBytes + more <= this.#parts.limits.sessionBytesPerTenant;
    if (!fits) this.#parts.onFull(this.tenant, what);
    return fits;
  }

  /** Ends a session with its subscriptions and everything that waits for it. */
  dropSession(session: Session): void {
    for (const filter of [...session.subscriptions.keys()]) this.unsubscribe(session, filter);
    this.keepWill(session, 0);
    session.clear();
    if (this.sessions.get(session.key.clientId) === session) {
      this.sessions.delete(session.key.clientId);
      this.#sessionBytes -= SESSION_BYTES;
    }
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
    if (isNew) this.#sessionBytes += subscriptionBytes(subscription.filter);
    session.subscriptions.set(subscription.filter, subscription);
    this.#tree.add(session, subscription);
    return isNew;
  }

  /** @returns false when there was no such subscription. */
  unsubscribe(session: Session, filter: string): boolean {
    this.#tree.remove(session, filter);
    const had = session.subscriptions.delete(filter);
    if (had) this.#sessionBytes -= subscriptionBytes(filter);
    return had;
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
   * @returns whether payload or QoS changed; `full` when the tenant has too many, and the topic then has none: an older
   * one would pass for the present state.
   */
  retain(message: BrokerMessage, publisher: string | undefined): 'changed' | 'same' | 'full' {
    const known = this.#retained.get(message.topic);
    if (message.payload.byteLength === 0) {
      if (known === undefined) return 'same';
      this.#dropRetained(message);
      return 'changed';
    }
    if (!this.#retained.hasRoomFor(message)) {
      if (known !== undefined) this.#dropRetained(message);
      this.#parts.onFull(this.tenant, 'retained messages');
      return 'full';
    }
    const expiresAt = this.#expiryOf(message);
    this.#retained.set({ message, expiresAt, publisher });
    this.#parts.store.saveRetained({ tenant: this.tenant, message, expiresAt });
    const same = known?.message.qos === message.qos && Buffer.compare(known.message.payload, message.payload) === 0;
    return same ? 'same' : 'changed';
  }

  #dropRetained(message: BrokerMessage): void {
    this.#retained.delete(message.topic);
    const gone = { ...message, payload: new Uint8Array() };
    this.#parts.store.saveRetained({ tenant: this.tenant, message: gone, expiresAt: undefined });
  }

  /** Takes up what a store kept. */
  restoreRetained(message: BrokerMessage, expiresAt: number | undefined): void {
    this.#retained.set({ message, expiresAt, publisher: undefined });
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
    for (const [, { message, expiresAt }] of this.#retained) {
      if (expiresAt !== undefined && expiresAt <= now) this.#dropRetained(message);
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
