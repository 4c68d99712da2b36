/**
 * What the API answers, as docs/api.md describes it. Times are milliseconds UTC. What a route sends as the host has it
 * is typed by the host's own type, so that a change there does not compile here; the rest is what a route makes of it.
 */
import type { TenantOverview } from '../../../app/read-overview.ts';
import type { ParkedState } from '../../../core/parked.ts';
import type { RetainedView } from '../../../ports/broker.ts';
import type { AttemptRecord, EventStory, HostCallTrace, RunCount } from '../../../ports/journal.ts';

export type { ParkedState, RetainedView };
export type AttemptView = AttemptRecord;
export type HostCallView = HostCallTrace;
export type OverviewView = TenantOverview;
export type RunCountView = RunCount;
export type StoryView = EventStory;

export interface TenantView {
  readonly tenant: string;
  readonly main: boolean;
  readonly state: 'open' | 'disabled' | 'unavailable';
  readonly reason: string | null;
}

export interface DeadGroupView {
  readonly group: string;
  readonly reason: string;
  readonly pattern: string;
  readonly error: string;
  readonly rows: number;
  readonly queues: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

export interface DeadLetterView {
  readonly queue: string;
  readonly eventId: string;
  readonly cycle: number;
  readonly attempt: number;
  readonly state: ParkedState;
  readonly reason: string;
  readonly error: string;
  readonly engineKey: string | null;
  readonly version: string | null;
  readonly dueAt: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly bytes: number;
  readonly body: string;
  readonly messageId?: string | null;
  readonly headers?: Readonly<Record<string, unknown>>;
}

export interface ReplayView {
  readonly replayed: number;
  readonly refusedCount: number;
  readonly refused: readonly { readonly code: string; readonly message: string; readonly eventId?: string }[];
}

export type Row = Readonly<Record<string, unknown>>;

export interface TableDiffView {
  readonly table: string;
  readonly inserted: readonly Row[];
  readonly updated: readonly { readonly before: Row; readonly after: Row }[];
  readonly deleted: readonly Row[];
  readonly complete: boolean;
}

export interface TrialView {
  readonly eventId: string;
  readonly queue: string;
  readonly engineKey: string;
  readonly version: string;
  readonly would: 'acknowledge' | 'retry' | 'dead' | 'run-again' | 'already-done';
  readonly reason: string;
  readonly reasonCode: string;
  readonly result: unknown;
  readonly durationMs: number;
  readonly tables: readonly TableDiffView[] | null;
  readonly messages: readonly { readonly queue: string; readonly eventId: string; readonly message: string }[];
  readonly requests: readonly Row[];
  readonly cacheWrites: readonly Row[];
  readonly logs: readonly Row[];
  readonly hostCalls: readonly HostCallView[];
}

export interface EngineView {
  readonly key: string;
  readonly name: string;
  /** Empty for one that is not saved yet. */
  readonly version: string;
  readonly enabled: boolean;
  readonly stopHttp: boolean;
  readonly source?: string;
}

/** A row that cannot be served has a `refusal` and lacks the settings. */
export interface BindingView {
  readonly id: string;
  readonly queue: string;
  readonly engineKey: string;
  readonly enabled: boolean;
  /** A script's header asks for it. */
  readonly pushed: boolean;
  readonly retryCount?: number;
  readonly inbox?: boolean;
  readonly legacyAck?: boolean;
  readonly prefetch?: number;
  readonly timeoutSeconds?: number | null;
  readonly backoff?: string;
  readonly queueType?: 'classic' | 'quorum' | null;
  readonly orderKey?: string | null;
  readonly refusal: string;
}

export interface BindingStateView {
  readonly queue: string;
  readonly state: 'attached' | 'waits' | 'paused' | 'failed' | 'refused';
  readonly notes: readonly string[];
}

export interface MqttStatusView {
  readonly isRunning: boolean;
  /** Another host runs it; with shared sessions it is reached through this one, too, and there are listeners. */
  readonly isStandby: boolean;
  readonly listeners: readonly { readonly kind: string; readonly bind: string; readonly port: number }[];
  readonly connected: number;
  readonly sessions: number;
  readonly queued: number;
  readonly dropped: number;
}

/** A topic whose messages go into a queue. `engineKey` is null while nobody handles the queue. */
export interface TopicBindingView {
  readonly id: string;
  readonly filter: string;
  readonly queue: string;
  readonly engineKey: string | null;
  readonly eventIdPath: string;
  readonly enabled: boolean;
  readonly refusal: string;
}

export interface DeviceView {
  readonly clientId: string;
  readonly online: boolean;
  readonly address: string | null;
  readonly userName: string | null;
  readonly protocolVersion: number | null;
  readonly connectedAt: number | null;
  readonly subscriptions: readonly { readonly filter: string; readonly qos: number }[];
  readonly queued: number;
  readonly dropped: number;
}
