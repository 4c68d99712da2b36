/** What one client, and one tenant, may ask of the broker. */
export interface BrokerLimits {
  /** Largest packet that is read. Bytes. */
  readonly packetBytes: number;
  /** Connections at once, of all tenants. */
  readonly connections: number;
  /** Subscriptions of one client. */
  readonly subscriptions: number;
  /** Messages that wait for one session; the oldest makes room. */
  readonly queuedMessages: number;
  /** Bytes that wait for all sessions of a tenant; the oldest of the session that gets more make room. */
  readonly queuedBytesPerTenant: number;
  /** Bytes of all sessions of a tenant with their subscriptions and wills, as kept-bytes.ts counts them. */
  readonly sessionBytesPerTenant: number;
  /** Retained messages of one tenant. */
  readonly retainedMessages: number;
  /** Bytes of all retained messages of a tenant. */
  readonly retainedBytesPerTenant: number;
  /** Ids of downlinks that are known of one tenant, so that none is sent twice; the oldest makes room. */
  readonly downlinkIds: number;
  /** Time that such an id is known. Seconds. */
  readonly downlinkIdSeconds: number;
  /** Bytes that wait in one socket before messages wait in the session. */
  readonly outputBytes: number;
  /** A client whose output is full for so long is cut off. Milliseconds. */
  readonly stalledMs: number;
  /** Time from the connection to its CONNECT. Milliseconds. */
  readonly connectMs: number;
  /** Longest wait of a CONNECT for the end of the client's former connection; then it is refused. Milliseconds. */
  readonly takeoverMs: number;
  /** Longest time that a session outlives its connection. Seconds. */
  readonly sessionExpirySeconds: number;
  /** QoS 1 and 2 messages that a client of MQTT 5 may have under way to us. */
  readonly receiveMaximum: number;
  /** Topic aliases of one connection, in either direction. */
  readonly topicAliases: number;
}

export const DEFAULT_BROKER_LIMITS: BrokerLimits = Object.freeze({
  packetBytes: 1024 * 1024,
  connections: 10_000,
  subscriptions: 200,
  queuedMessages: 100_000,
  queuedBytesPerTenant: 64 * 1024 * 1024,
  sessionBytesPerTenant: 128 * 1024 * 1024,
  retainedMessages: 100_000,
  retainedBytesPerTenant: 64 * 1024 * 1024,
  downlinkIds: 50_000,
  downlinkIdSeconds: 24 * 3_600,
  outputBytes: 1024 * 1024,
  stalledMs: 60_000,
  connectMs: 10_000,
  takeoverMs: 30_000,
  sessionExpirySeconds: 7 * 24 * 3_600,
  receiveMaximum: 100,
  topicAliases: 16,
});
