/**
 * The MQTT broker as the host sees it. It speaks the protocol and keeps sessions; every decision (whose client, which
 * topics, what is forwarded) is asked of `BrokerRules`. Implementation: adapters/mqtt.
 */
import type { UserPropertyList } from '../core/mqtt-event.ts';
import type { BrokerMessage, MessageProperties, Qos } from '../core/mqtt-message.ts';

export type { BrokerMessage, MessageProperties, Qos };

/** A CONNECT before it is answered. */
export interface ConnectRequest {
  /** Empty when the client leaves its id to the server. */
  readonly clientId: string;
  readonly userName: string | undefined;
  readonly password: Uint8Array | undefined;
  readonly userProperties: UserPropertyList;
  readonly protocolVersion: 3 | 4 | 5;
  readonly clean: boolean;
  /** IP address of the other end. */
  readonly address: string;
  readonly will: BrokerMessage | undefined;
}

/** Refusals of a CONNECT, by what the client is told. */
export type ConnectReason =
  | 'client-id'
  | 'not-authorized'
  | 'bad-credentials'
  | 'banned'
  | 'quota'
  | 'unavailable'
  | 'topic-invalid'
  | 'busy';

export type ConnectDecision =
  | {
      readonly ok: true;
      /** In its own case. */
      readonly tenant: string;
      readonly will: BrokerMessage | undefined;
      /** The device sees topics without the tenant's prefix. */
      readonly shortTopics: boolean;
    }
  | { readonly ok: false; readonly reason: ConnectReason };

/** One connection of a client. */
export interface ClientInfo {
  readonly tenant: string;
  readonly clientId: string;
  readonly userName: string | undefined;
  readonly address: string;
  readonly protocolVersion: 3 | 4 | 5;
  /** Seconds; 0 for none. */
  readonly keepAlive: number;
  /** Rises with every connection of this host. */
  readonly epoch: number;
  /** Milliseconds UTC. */
  readonly connectedAt: number;
  readonly userProperties: UserPropertyList;
  /** False once the connection is gone. */
  isOpen(): boolean;
}

export type FilterDecision =
  | { readonly ok: true; readonly filter: string }
  | { readonly ok: false; readonly reason: 'invalid' | 'not-authorized' | 'shared' | 'quota' | 'unspecified' };

/**
 * What becomes of a published message.
 *
 * - `forward`: to the subscribers, and into the retained store, as `message` says; then acknowledged.
 * - `stored`: done with already (a duplicate): acknowledged and not forwarded.
 * - `refuse`: acknowledged with the reason where the protocol has one; not forwarded.
 * - `close`: not acknowledged; the connection ends, so that the client sends it again.
 */
export type PublishDecision =
  | { readonly kind: 'forward'; readonly message: BrokerMessage }
  | { readonly kind: 'stored' }
  | {
      readonly kind: 'refuse';
      readonly reason: 'topic' | 'not-authorized' | 'blocked' | 'failed' | 'quota';
      readonly text: string;
    }
  | { readonly kind: 'close' };

/** How a connection ended. */
export interface DisconnectInfo {
  /** The client said goodbye, was lost, was replaced by another connection of its id, or the host ended it. */
  readonly cause: 'disconnect' | 'lost' | 'taken-over' | 'ended';
  /** Of the DISCONNECT packet. */
  readonly userProperties: UserPropertyList;
}

/** The decisions. They must not reject; a promise holds up this client's packets and nobody else's. */
export interface BrokerRules {
  connect(request: ConnectRequest): Promise<ConnectDecision>;
  /** After the CONNACK and before the client's packets are read. @returns false to end the connection. */
  connected(client: ClientInfo): Promise<boolean>;
  subscribe(
    client: ClientInfo,
    filters: readonly string[],
    userProperties: UserPropertyList,
  ): Promise<readonly FilterDecision[]>;
  /** The canonical filter of an UNSUBSCRIBE; undefined for one that cannot have been subscribed to. */
  unsubscribe(client: ClientInfo, filter: string): string | undefined;
  /** One at a time for each client, in order. Also of a will, whose connection is gone. */
  publish(client: ClientInfo, message: BrokerMessage, isWill: boolean): PublishDecision | Promise<PublishDecision>;
  /** A retained message came, changed or went. */
  retainedChanged(client: ClientInfo | undefined, tenant: string, message: BrokerMessage): Promise<void>;
  disconnected(client: ClientInfo, info: DisconnectInfo): Promise<void>;
}

/** What is told of a session, for people. */
export interface SessionView {
  readonly clientId: string;
  readonly online: boolean;
  readonly address: string | null;
  readonly userName: string | null;
  readonly protocolVersion: number | null;
  /** Milliseconds UTC. */
  readonly connectedAt: number | null;
  readonly epoch: number | null;
  readonly subscriptions: readonly { readonly filter: string; readonly qos: Qos }[];
  /** Messages that wait for it. */
  readonly queued: number;
  readonly dropped: number;
}

export interface RetainedView {
  readonly topic: string;
  readonly qos: Qos;
  readonly bytes: number;
}

/** Where the broker listens. */
export interface BrokerListener {
  readonly kind: 'mqtt' | 'mqtts' | 'ws' | 'wss';
  readonly bind: string;
  readonly port: number;
}

/** The broker, in this process or in that of another host, which is asked over a connection. */
export interface Broker {
  /** Where devices reach it on this host. */
  readonly listeners: readonly BrokerListener[];
  /**
   * Publishes a message of the host's own, past the rules.
   * @param id of its own: with an id that was there already the answer is that of the first time, and nobody gets it again.
   * @returns sessions that it goes to.
   */
  publish(tenant: string, message: BrokerMessage, id?: string): Promise<number>;
  /** Sessions that a message to this topic would go to. */
  subscribers(tenant: string, topic: string): number | Promise<number>;
  sessions(tenant: string): readonly SessionView[] | Promise<readonly SessionView[]>;
  retained(tenant: string): readonly RetainedView[] | Promise<readonly RetainedView[]>;
  /** Ends a client's connection. @returns false when there is none. */
  disconnect(tenant: string, clientId: string): boolean | Promise<boolean>;
}

/** The broker of this process. */
export interface LocalBroker extends Broker {
  subscribers(tenant: string, topic: string): number;
  sessions(tenant: string): readonly SessionView[];
  retained(tenant: string): readonly RetainedView[];
  disconnect(tenant: string, clientId: string): boolean;
  /** Connections at this moment, of all tenants. */
  connectionCount(): number;
  /** Takes no more connections, ends those there are, and calls `disconnected` for each. */
  stop(): Promise<void>;
}
