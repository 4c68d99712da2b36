import type { SessionView } from '../../ports/broker.ts';
import type { BrokerStore, SessionKey, StoredMessage, StoredSubscription } from '../../ports/broker-store.ts';
import { messageBytes } from './packet-codec.ts';

/** A message for one session. */
export interface SessionMessage extends StoredMessage {
  /** It is in the store. */
  readonly stored: boolean;
}

/** The connection of a session, as the session needs it. */
export interface SessionLink {
  readonly epoch: number;
  /** Messages of QoS 1 and 2 that may be under way at once. */
  readonly sendWindow: number;
  readonly view: Pick<SessionView, 'address' | 'userName' | 'protocolVersion' | 'connectedAt' | 'epoch'>;
  /** False while its output is full. */
  canSend(): boolean;
  /** @returns false when the client takes no packet of that size, so that the message is done with. */
  sendMessage(message: SessionMessage, packetId: number, dup: boolean): boolean;
  sendRelease(packetId: number): void;
}

export interface SessionLimits {
  /** Messages that wait for one session; the oldest makes room. */
  readonly queuedMessages: number;
  /** Bytes that wait for all sessions of a tenant. */
  readonly queuedBytesPerTenant: number;
}

/** What the sessions of a tenant share. */
export interface SessionShelf {
  readonly store: BrokerStore;
  readonly limits: SessionLimits;
  /** Bytes that wait now. */
  queuedBytes: number;
  onDropped(session: Session): void;
  now(): number;
}

interface InFlight {
  readonly message: SessionMessage;
  released: boolean;
}

const MAX_PACKET_ID = 0xffff;

/**
 * What the broker keeps for one client: its subscriptions and the messages that it has not acknowledged. It outlives
 * the connection when the client asked for that.
 */
export class Session {
  readonly key: SessionKey;
  readonly subscriptions = new Map<string, StoredSubscription>();
  /** Packet ids of QoS 2 received and not yet released: their messages came already. */
  readonly received = new Set<number>();
  /** Seconds that it outlives its connection; undefined for ever, 0 not at all. */
  expirySeconds: number | undefined = 0;
  offlineSince: number | undefined;
  link: SessionLink | undefined;
  dropped = 0;
  readonly #shelf: SessionShelf;
  readonly #waiting = new Set<SessionMessage>();
  readonly #inFlight = new Map<number, InFlight>();
  #lastPacketId = 0;

  constructor(key: SessionKey, shelf: SessionShelf) {
    this.key = key;
    this.#shelf = shelf;
  }

  get isPersistent(): boolean {
    return this.expirySeconds !== 0;
  }

  get queued(): number {
    return this.#waiting.size + this.#inFlight.size;
  }

  /** True when its time without a connection is over. */
  isExpired(now: number): boolean {
    if (this.link !== undefined || this.offlineSince === undefined || this.expirySeconds === undefined) return false;
    return now >= this.offlineSince + this.expirySeconds * 1000;
  }

  /** Takes up what a store kept. */
  restore(message: SessionMessage): void {
    this.#waiting.add(message);
    this.#shelf.queuedBytes += messageBytes(message.message);
  }

  /** A message for this client. QoS 0 goes out now or never; the others wait for their turn. */
  offer(message: SessionMessage): void {
    if (message.qos === 0) {
      if (this.link?.canSend()) this.link.sendMessage(message, 0, false);
      else this.#countDropped();
      return;
    }
    if (this.link === undefined && !this.isPersistent) return;
    if (message.stored) this.#shelf.store.addMessage(this.key, message);
    this.restore(message);
    this.pump();
    this.#makeRoom();
  }

  /** Sends what waits, as far as the window and the output allow. */
  pump(): void {
    const { link } = this;
    if (link === undefined) return;
    for (const message of this.#waiting) {
      if (this.#inFlight.size >= link.sendWindow || !link.canSend()) return;
      this.#waiting.delete(message);
      if (message.expiresAt !== undefined && message.expiresAt <= this.#shelf.now()) this.#forget(message);
      else this.#send(link, message);
    }
  }

  #send(link: SessionLink, message: SessionMessage): void {
    const packetId = this.#nextPacketId();
    this.#inFlight.set(packetId, { message, released: false });
    if (link.sendMessage(message, packetId, false)) return;
    this.#inFlight.delete(packetId);
    this.#forget(message);
    this.#countDropped();
  }

  /** After a reconnect: what was under way goes out again, in its order, before anything new (MQTT 3.1.1, 4.4). */
  resume(): void {
    const { link } = this;
    if (link === undefined) return;
    for (const [packetId, { message, released }] of this.#inFlight) {
      if (released) link.sendRelease(packetId);
      else link.sendMessage(message, packetId, true);
    }
    this.pump();
  }

  /** PUBACK, or a PUBREC that refuses. @returns false for an unknown packet id. */
  acknowledged(packetId: number): boolean {
    const inFlight = this.#inFlight.get(packetId);
    if (inFlight === undefined) return false;
    this.#inFlight.delete(packetId);
    if (!inFlight.released) this.#forget(inFlight.message);
    this.pump();
    return true;
  }

  /** PUBREC: the message has arrived, its id is still taken. @returns false for an unknown packet id. */
  received2(packetId: number): boolean {
    const inFlight = this.#inFlight.get(packetId);
    if (inFlight === undefined) return false;
    if (!inFlight.released) this.#forget(inFlight.message);
    inFlight.released = true;
    return true;
  }

  /** Nothing waits for it any more. */
  clear(): void {
    for (const message of this.#waiting) this.#release(message);
    for (const { message, released } of this.#inFlight.values()) if (!released) this.#release(message);
    this.#waiting.clear();
    this.#inFlight.clear();
    this.received.clear();
  }

  view(): SessionView {
    const offline = { address: null, userName: null, protocolVersion: null, connectedAt: null, epoch: null };
    return {
      clientId: this.key.clientId,
      online: this.link !== undefined,
      ...(this.link?.view ?? offline),
      subscriptions: [...this.subscriptions.values()].map(({ filter, qos }) => ({ filter, qos })),
      queued: this.queued,
      dropped: this.dropped,
    };
  }

  #makeRoom(): void {
    const { limits } = this.#shelf;
    for (const oldest of this.#waiting) {
      const over = this.#waiting.size > limits.queuedMessages || this.#shelf.queuedBytes > limits.queuedBytesPerTenant;
      if (!over) return;
      this.#waiting.delete(oldest);
      this.#forget(oldest);
      this.#countDropped();
    }
  }

  #forget(message: SessionMessage): void {
    this.#release(message);
    if (message.stored) this.#shelf.store.dropMessage(message.seq);
  }

  #release(message: SessionMessage): void {
    this.#shelf.queuedBytes -= messageBytes(message.message);
  }

  #countDropped(): void {
    this.dropped++;
    this.#shelf.onDropped(this);
  }

  /** The window is smaller than the ids there are, so one is free. */
  #nextPacketId(): number {
    do this.#lastPacketId = this.#lastPacketId === MAX_PACKET_ID ? 1 : this.#lastPacketId + 1;
    while (this.#inFlight.has(this.#lastPacketId));
    return this.#lastPacketId;
  }
}
