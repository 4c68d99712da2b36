import type { TenantLoad } from './engine-runner.ts';
import type { QueueConnection } from './queue.ts';

/** What the host counts for operators. Labels hold tenants and outcomes, never EventIds. */
export interface Metrics {
  /** A delivery ended after so long: `done`, `duplicate`, `retry`, `behind`, `dead` or `deferred`. */
  deliverySettled(tenant: string, outcome: string, seconds: number): void;
  /** A message that comes for the first time waited so long between its making and its handling. */
  deliveryBegan(tenant: string, ageSeconds: number): void;
  /** An engine of a run ended, nested ones included; `outcome` is the kind of the run's outcome. */
  engineEnded(tenant: string, engineKey: string, outcome: string): void;
  /** A host call was answered; `failed` when it threw or its result has the Code 0. */
  hostCallAnswered(name: string, seconds: number, failed: boolean): void;
  /** A device published: `forward`, `stored`, `refuse` or `close`; `downlink` for what the host itself publishes. */
  mqttPublished(tenant: string, decision: string): void;
  /** A settlement was dropped, because its channel was over: the queue gives the message again. */
  settlementDropped(tenant: string): void;
  /** A lane was killed or died under a run; `reason` is the error code. */
  laneKilled(reason: string): void;
  /** Spans left for the collector, were refused by it, or were dropped because too many waited. */
  spansSent(outcome: 'exported' | 'failed' | 'dropped', count: number): void;
  /** A limit ended or slowed a run; `code` is its error code. */
  limitHit(tenant: string, code: string): void;
  /** A breaker opened or an engine was paused; `subject` is the physical queue or the engine's key. */
  circuitOpened(kind: 'binding' | 'engine', tenant: string, subject: string): void;
}

/** What the host measures at the moment somebody asks. */
export interface HostReading {
  /** Deliveries being handled. */
  readonly inFlight: number;
  readonly lanes: { readonly lanes: number; readonly busy: number; readonly waiting: number };
  readonly tenants: readonly TenantLoad[];
  readonly outbox: readonly OutboxReading[];
  readonly backlog: readonly BacklogReading[];
  readonly pools: readonly (PoolUse & { readonly tenant: string })[];
  readonly mqttConnections: number;
  readonly queueConnections: readonly QueueConnection[];
  /** Those that are not closed. */
  readonly circuits: readonly CircuitReading[];
}

/** The same with what the HTTP server knows. */
export interface GaugeReading extends HostReading {
  /** Open connections to the HTTP server, event streams included. */
  readonly httpConnections: number;
}

export interface CircuitReading {
  readonly kind: 'binding' | 'engine';
  readonly tenant: string;
  /** Physical queue or engine key. */
  readonly subject: string;
}

export interface OutboxReading {
  readonly tenant: string;
  /** Rows not sent yet. */
  readonly rows: number;
  /** Rows that people must look at. */
  readonly failed: number;
  /** Age of the oldest unsent row. Seconds; 0 when there is none. */
  readonly lagSeconds: number;
}

/** What waits for a tenant outside the host. Counts of rows and messages. */
export interface BacklogReading {
  readonly tenant: string;
  readonly deadLetters: number;
  /** Messages that wait for another attempt. */
  readonly waiting: number;
  /** Bound queues that could be asked. */
  readonly queues: readonly { readonly queue: string; readonly ready: number; readonly unsettled: number }[];
}

/** Connections of one kind to a tenant's database server. */
export interface PoolUse {
  readonly use: 'run' | 'script' | 'system';
  readonly used: number;
  readonly size: number;
  /** Who waits for one. */
  readonly waiting: number;
}
