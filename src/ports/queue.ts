/**
 * The queue: RabbitMQ or the embedded durable queue. Names are physical (`microi.{tenant}.{name}`); the caller has
 * checked them. All promises settle: a queue that is away rejects with QUEUE_UNAVAILABLE, it never hangs.
 */

import type { QueueInspection } from '../core/preflight.ts';

/** Properties beside the body (mq-mqtt.md 3.6). */
export interface MessageProps {
  /** AMQP message-id; absent on foreign messages. */
  readonly messageId?: string;
  /** String headers: `traceparent`, `tracestate`, and ours `x-v8-attempt`, `x-v8-cycle`. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface OutgoingMessage {
  readonly queue: string;
  readonly body: Uint8Array;
  readonly props: MessageProps;
}

/**
 * One delivery of one message. `ack` and `requeue` settle it; the first call counts, a later one or one on a closed
 * consumer is dropped and counted as stale, because tags of an old channel mean other messages on a new one.
 */
export interface Delivery {
  readonly queue: string;
  readonly body: Uint8Array;
  readonly props: MessageProps;
  /** True when an earlier delivery of this message may have started a run (host killed, connection lost). */
  readonly redelivered: boolean;
  /** Removes the message. May be less durable than the effect it follows, never more. */
  ack(): Promise<void>;
  /** Gives the message back; it is delivered again at once, so the caller waits before calling. */
  requeue(): Promise<void>;
}

export interface ConsumeOptions {
  /** Unsettled deliveries at once. */
  readonly prefetch: number;
  /** Kind of queue to make, and to insist on where one exists; absent: the host's default, and any existing one. */
  readonly queueType?: 'classic' | 'quorum';
  /**
   * True: no other consumer of the queue, in any process, receives while this one does, and what this one leaves
   * unsettled goes to its successor in the queue's order.
   * `consume` throws QUEUE_HELD while another consumer keeps it from that.
   */
  readonly alone?: boolean;
}

/** An attached consumer. */
export interface Consumer {
  /** Stops new deliveries. Deliveries handed out stay settleable until `close`. */
  cancel(): Promise<void>;
  /** Cancels and gives every unsettled delivery back. Later settlements are stale. */
  close(): Promise<void>;
  /** Changes how many unsettled deliveries are handed out at once. */
  setPrefetch(prefetch: number): Promise<void>;
}

/** A connection to a queue server. */
export interface QueueConnection {
  readonly tenant: string;
  readonly use: 'publisher' | 'consumer';
  /** `down` also before it was up for the first time; `blocked` while the server takes no messages. */
  readonly state: 'up' | 'blocked' | 'down';
}

export interface Queue {
  /**
   * Stores messages durably, in order, each at least once; resolves when all are stored.
   * @throws AppError QUEUE_UNAVAILABLE when it is unknown whether they were; the caller may publish them again.
   */
  publish(tenant: string, messages: readonly OutgoingMessage[]): Promise<void>;
  /** Attaches a consumer; declares the queue when it does not exist. `onDelivery` must not throw. */
  consume(
    tenant: string,
    queue: string,
    options: ConsumeOptions,
    onDelivery: (delivery: Delivery) => void,
  ): Promise<Consumer>;
  /**
   * Compares a tenant's account with the connections made with it and replaces these when they differ, or always when
   * `force` is given. Consumers settle what they handed out, then attach again by themselves; the old connections end
   * in the background. Called by every reconcile pass. @throws AppError when the settings cannot be read.
   */
  refreshTenant(tenant: string, force?: boolean): Promise<void>;
  /** Ends what is open for a tenant that is gone. A later use opens it anew. */
  closeTenant(tenant: string): Promise<void>;
  /**
   * What is to be known of a queue before it is consumed. Undefined where there is no server, or where the account may
   * not ask. @throws AppError QUEUE_UNAVAILABLE and others of the queue.
   */
  inspect(tenant: string, queue: string): Promise<QueueInspection | undefined>;
  /** Messages in the queue, ready and unsettled. */
  depth(tenant: string, queue: string): Promise<{ ready: number; unsettled: number }>;
  /** The connections that are kept open; none where there is no server. */
  connections(): readonly QueueConnection[];
  /** Closes every consumer and the store behind. */
  close(): Promise<void>;
}
