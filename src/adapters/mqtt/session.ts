import type { SessionView } from '../../ports/broker.ts';
import type {
  BrokerStore,
  SessionKey,
  StoredFlight,
  StoredMessage,
  StoredSubscription,
} from '../../ports/broker-store.ts';
import { messageBytes } from './kept-bytes.ts';

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
  /** The client has it; only the packet id is still taken. */
  released: boolean;
  /** It went out over the present connection. */
  sent: boolean;
  /** The store knows the packet id, where it has to. */
  kept: boolean;
}

const MAX_PACKET_ID = 0xffff;

/** Stands for a message of QoS 2 that its client has, of which only the packet id was kept. */
const RELEASED: SessionMessage = {
  seq: 0,
  message: { topic: '', payload: new Uint8Array(), qos: 2, retain: false, properties: {} },
  qos: 2,
  retain: false,
  expiresAt: undefined,
  identifiers: [],
  stored: true,
};

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
  /** Of the will that it came with, until that is published. */
  willBytes = 0;
  readonly #shelf: SessionShelf;
  readonly #waiting = new Set<SessionMessage>();
  readonly #inFlight = new Map<number, InFlight>();
  #lastPacketId = 0;
  /** Of those under way, how many the present connection has not sent again. */
  #unsent = 0;

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

  /** Takes up what a store kept: packet ids of QoS 2 are the client's, too, and go on where they were. */
  restore(queued: readonly StoredMessage[], flights: readonly StoredFlight[]): void {
    const sent = new Map(flights.map(({ packetId, seq }) => [seq, packetId]));
    for (const stored of queued) {
      const message = { ...stored, stored: true };
      const packetId = sent.get(stored.seq);
      if (packetId === undefined) this.#wait(message);
      else this.#takeUp(packetId, message, false);
    }
    for (const { packetId, seq } of flights) if (seq === undefined) this.#takeUp(packetId, RELEASED, true);
  }

  #takeUp(packetId: number, message: SessionMessage, released: boolean): void {
    this.#inFlight.set(packetId, { message, released, sent: false, kept: true });
    if (!released) this.#shelf.queuedBytes += messageBytes(message.message);
    this.#lastPacketId = Math.max(this.#lastPacketId, packetId);
  }

  #wait(message: SessionMessage): void {
    this.#waiting.add(message);
    this.#shelf.queuedBytes += messageBytes(message.message);
  }

  /** A message for this client. */
  offer(message: SessionMessage): void {
    if (message.stored) this.#shelf.store.addMessage(this.key, message);
    this.take(message);
  }

  /** One that the store has, or need not have. QoS 0 goes out now or never; the others wait for their turn. */
  take(message: SessionMessage): void {
    if (message.qos === 0) {
      if (this.link?.canSend()) this.link.sendMessage(message, 0, false);
      else this.#countDropped();
      return;
    }
    if (this.link === undefined && !this.isPersistent) return;
    this.#wait(message);
    this.pump();
    this.#makeRoom();
  }

  /** Sends what waits, as far as the window and the output allow: what was under way before, then what is new. */
  pump(): void {
    const { link } = this;
    if (link === undefined || !this.#resend(link)) return;
    for (const message of this.#waiting) {
      if (this.#inFlight.size >= link.sendWindow || !link.canSend()) return;
      this.#waiting.delete(message);
      if (message.expiresAt !== undefined && message.expiresAt <= this.#shelf.now()) this.#forget(message);
      else this.#send(link, message);
    }
  }

  #send(link: SessionLink, message: SessionMessage): void {
    const packetId = this.#nextPacketId();
    const inFlight = { message, released: false, sent: true, kept: !isKept(message) };
    this.#inFlight.set(packetId, inFlight);
    if (!inFlight.kept) this.#sendWhenKept(link, packetId, inFlight);
    else if (!link.sendMessage(message, packetId, false)) this.#giveUp(packetId, message);
  }

  /** Once and only once also for a broker that takes over: it must know the packet id before the client does. */
  #sendWhenKept(link: SessionLink, packetId: number, inFlight: InFlight): void {
    const { message } = inFlight;
    const isCurrent = (): boolean => this.link === link && this.#inFlight.get(packetId) === inFlight;
    this.#shelf.store.saveFlight(this.key, { packetId, seq: message.seq });
    this.#shelf.store.flushed().then(
      () => {
        if (!isCurrent()) return;
        inFlight.kept = true;
        if (!link.sendMessage(message, packetId, false)) this.#giveUp(packetId, message);
      },
      () => {
        // It goes out with what the next connection takes up, or when this one is pumped again.
        if (!isCurrent()) return;
        inFlight.sent = false;
        this.#unsent++;
      },
    );
  }

  /** The client takes no packet of that size: as if it had it [MQTT-3.1.2-25]. */
  #giveUp(packetId: number, message: SessionMessage): void {
    this.#inFlight.delete(packetId);
    this.#forget(message);
    if (isKept(message)) this.#shelf.store.dropFlight(this.key, packetId);
    this.#countDropped();
  }

  /** Goes on with what a store that was away kept back. */
  goOn(): void {
    if (this.#unsent > 0 && this.#shelf.store.isUsable) this.pump();
  }

  /** After a reconnect: what was under way goes out again, in its order, before anything new [MQTT-4.4.0-1]. */
  resume(): void {
    this.#unsent = this.#inFlight.size;
    for (const inFlight of this.#inFlight.values()) inFlight.sent = false;
    this.pump();
  }

  /** A new connection may have a smaller window than the one before. @returns false while something is left. */
  #resend(link: SessionLink): boolean {
    if (this.#unsent === 0) return true;
    for (const [packetId, inFlight] of this.#inFlight) {
      if (inFlight.sent) continue;
      if (this.#inFlight.size - this.#unsent >= link.sendWindow || !link.canSend()) return false;
      inFlight.sent = true;
      this.#unsent--;
      if (inFlight.released) link.sendRelease(packetId);
      else if (!inFlight.kept) this.#sendWhenKept(link, packetId, inFlight);
      else if (!link.sendMessage(inFlight.message, packetId, true)) this.#giveUp(packetId, inFlight.message);
    }
    return true;
  }

  /** PUBACK, PUBCOMP, or a PUBREC that refuses; one that the message is not waiting for changes nothing. */
  acknowledged(packetId: number, by: 'puback' | 'pubrec' | 'pubcomp'): void {
    const inFlight = this.#inFlight.get(packetId);
    if (inFlight === undefined || !inFlight.sent) return;
    const expected = inFlight.message.qos === 1 ? 'puback' : inFlight.released ? 'pubcomp' : 'pubrec';
    if (by !== expected) return;
    this.#inFlight.delete(packetId);
    if (!inFlight.released) this.#forget(inFlight.message);
    if (isKept(inFlight.message)) this.#shelf.store.dropFlight(this.key, packetId);
    this.pump();
  }

  /** PUBREC: the message has arrived, its id is still taken. @returns false for an unknown packet id. */
  received2(packetId: number): boolean {
    const inFlight = this.#inFlight.get(packetId);
    if (inFlight === undefined || inFlight.message.qos !== 2 || !inFlight.sent) return false;
    if (!inFlight.released) {
      this.#forget(inFlight.message);
      if (isKept(inFlight.message)) this.#shelf.store.saveFlight(this.key, { packetId, seq: undefined });
    }
    inFlight.released = true;
    return true;
  }

  /** Nothing waits for it any more. */
  clear(): void {
    for (const message of this.#waiting) this.#release(message);
    for (const { message, released } of this.#inFlight.values()) if (!released) this.#release(message);
    this.#waiting.clear();
    this.#inFlight.clear();
    this.#unsent = 0;
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
    if (message.stored) this.#shelf.store.dropMessage(this.key, message.seq);
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

/** A message of QoS 2 whose packet id outlives the process. */
function isKept({ qos, stored }: SessionMessage): boolean {
  return qos === 2 && stored;
}
