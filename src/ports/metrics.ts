import type { TenantLoad } from './engine-runner.ts';

/** What the host counts for operators. Labels hold tenants and outcomes, never EventIds. */
export interface Metrics {
  /** A delivery ended: `done`, `duplicate`, `retry`, `dead` or `deferred`. */
  deliverySettled(tenant: string, outcome: string): void;
  /** A settlement was dropped, because its channel was over: the queue gives the message again. */
  settlementDropped(tenant: string): void;
  /** A lane was killed or died under a run; `reason` is the error code. */
  laneKilled(reason: string): void;
  /** A limit ended or slowed a run; `code` is its error code. */
  limitHit(tenant: string, code: string): void;
  /** A breaker opened or an engine was paused; `subject` is the physical queue or the engine's key. */
  circuitOpened(kind: 'binding' | 'engine', tenant: string, subject: string): void;
}

/** What is measured at the moment somebody asks. */
export interface GaugeReading {
  /** Deliveries being handled. */
  readonly inFlight: number;
  readonly lanes: { readonly lanes: number; readonly busy: number; readonly waiting: number };
  readonly tenants: readonly TenantLoad[];
  readonly outbox: readonly OutboxReading[];
  /** Those that are not closed. */
  readonly circuits: readonly CircuitReading[];
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
