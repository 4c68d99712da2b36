import type { TenantLoad } from './engine-runner.ts';

/** What the host counts for operators. Labels hold tenants and outcomes, never EventIds. */
export interface Metrics {
  /** A delivery ended: `done`, `duplicate`, `retry`, `dead` or `deferred`. */
  deliverySettled(tenant: string, outcome: string): void;
  /** A lane was killed or died under a run; `reason` is the error code. */
  laneKilled(reason: string): void;
  /** A limit ended or slowed a run; `code` is its error code. */
  limitHit(tenant: string, code: string): void;
}

/** What is measured at the moment somebody asks. */
export interface GaugeReading {
  /** Deliveries being handled. */
  readonly inFlight: number;
  readonly lanes: { readonly lanes: number; readonly busy: number; readonly waiting: number };
  readonly tenants: readonly TenantLoad[];
  readonly outbox: readonly OutboxReading[];
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
