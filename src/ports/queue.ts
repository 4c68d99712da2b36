/**
 * The queue: RabbitMQ or the embedded durable queue. Names are physical (`microi.{tenant}.{name}`); the caller has
 * checked them. All promises settle: a queue that is away rejects with QUEUE_UNAVAILABLE, it never hangs.
 */

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
  /** Messages in the queue, ready and unsettled. */
  depth(tenant: string, queue: string): Promise<{ ready: number; unsettled: number }>;
  /** Closes every consumer and the store behind. */
  close(): Promise<void>;
}
