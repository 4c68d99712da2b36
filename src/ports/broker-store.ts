/**
 * What of the broker survives a restart: sessions that asked for it, what waits for them, and retained messages.
 * Implementations: adapters/embedded, in `host.db`; adapters/redis, where the next host finds it. Changes made in one turn
 * of the event loop are written together.
 */
import type { BrokerMessage, ClientInfo, Qos } from './broker.ts';

export interface StoredSubscription {
  readonly filter: string;
  readonly qos: Qos;
  readonly noLocal: boolean;
  readonly retainAsPublished: boolean;
  readonly identifier: number | undefined;
}

/** A session's key: tenant in lower case and the client's own id. */
export interface SessionKey {
  readonly tenant: string;
  readonly clientId: string;
}

export interface StoredSession extends SessionKey {
  /** Seconds that it outlives its connection; undefined for ever. */
  readonly expirySeconds: number | undefined;
  /** When its connection ended; undefined while there is one. Milliseconds UTC. */
  readonly offlineSince: number | undefined;
  readonly subscriptions: readonly StoredSubscription[];
}

export interface StoredMessage {
  /** Place in the order of all messages of the store; never used twice. */
  readonly seq: number;
  readonly message: BrokerMessage;
  /** As this subscriber gets it. */
  readonly qos: Qos;
  readonly retain: boolean;
  /** When it can be dropped unsent; undefined never. Milliseconds UTC. */
  readonly expiresAt: number | undefined;
  /** Identifiers of the subscriptions that took it. */
  readonly identifiers: readonly number[];
}

/** A packet id of QoS 2 that a session's client has not let go of. */
export interface StoredFlight {
  readonly packetId: number;
  /** The message that went out under it; undefined when the client has it and waits for its release. */
  readonly seq: number | undefined;
}

export interface RetainedMessage {
  readonly tenant: string;
  readonly message: BrokerMessage;
  readonly expiresAt: number | undefined;
}

/** What is published for a client whose connection ends without a goodbye, also when the broker ends before it. */
export interface StoredWill extends SessionKey {
  readonly message: BrokerMessage;
  /** The connection that it is of. */
  readonly client: Omit<ClientInfo, 'isOpen'>;
  /** Seconds from the loss of the connection to the will; 0 for a session that ends with its connection. */
  readonly delaySeconds: number;
  /** When it is published; undefined while there is the connection. Milliseconds UTC. */
  readonly dueAt: number | undefined;
}

/** A message of the host's own that was sent, by its own id. */
export interface SentDownlink {
  /** In lower case. */
  readonly tenant: string;
  readonly id: string;
  /** How many sessions it went to. */
  readonly sessions: number;
  /** Milliseconds UTC. */
  readonly sentAt: number;
}

/** Everything at a start. */
export interface BrokerContent {
  readonly sessions: readonly (StoredSession & {
    readonly queued: readonly StoredMessage[];
    /** Packet ids of QoS 2 that were received and not yet released. */
    readonly received: readonly number[];
    readonly flights: readonly StoredFlight[];
  })[];
  readonly retained: readonly RetainedMessage[];
  readonly wills: readonly StoredWill[];
  /** In the order of their time. */
  readonly downlinks: readonly SentDownlink[];
  readonly lastSeq: number;
}

export interface BrokerStore {
  load(): BrokerContent;
  saveSession(session: StoredSession): void;
  /** Removes it with everything that waits for it. */
  dropSession(key: SessionKey): void;
  addMessage(key: SessionKey, message: StoredMessage): void;
  dropMessage(key: SessionKey, seq: number): void;
  /** Also of one that is known, in its new state. */
  saveFlight(key: SessionKey, flight: StoredFlight): void;
  dropFlight(key: SessionKey, packetId: number): void;
  addReceived(key: SessionKey, packetId: number): void;
  dropReceived(key: SessionKey, packetId: number): void;
  /** An empty payload removes it. */
  saveRetained(retained: RetainedMessage): void;
  /** Also of a client that has one, in its new state. */
  saveWill(will: StoredWill): void;
  dropWill(key: SessionKey): void;
  /** In one turn with what the message leaves here. */
  saveDownlink(sent: SentDownlink): void;
  dropDownlink(sent: Pick<SentDownlink, 'tenant' | 'id'>): void;
  /** Resolves when everything changed so far is stored. @throws AppError QUEUE_STORE_UNUSABLE, CACHE_UNAVAILABLE. */
  flushed(): Promise<void>;
  /** True when something changed since the last write. */
  readonly isDirty: boolean;
  /** False while nothing can be stored: nobody is let in then. */
  readonly isUsable: boolean;
  close(): void;
}
