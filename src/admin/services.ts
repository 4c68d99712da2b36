import type { DeadLetterChange, DeadLetterChoice, ReplayOutcome } from '../app/dead-letters.ts';
import type { TopicBinding } from '../app/mqtt-hand-over.ts';
import type { TenantLimits } from '../app/read-limits.ts';
import type { TrialRequest } from '../app/trial-message.ts';
import type { TrialReport } from '../app/try-message.ts';
import type { BrokerAccount } from '../core/broker-account.ts';
import type { DosResult } from '../core/dos-result.ts';
import type { ErrorRecord, Lang } from '../core/errors.ts';
import type { JsonValue } from '../core/json.ts';
import type { ParkedState } from '../core/parked.ts';
import type { BrokerListener, RetainedView, SessionView } from '../ports/broker.ts';
import type { BrokerAdminAccess } from '../ports/broker-admin.ts';
import type { DeadFilter, DeadGroup, ParkedFilter, ParkedPage, ParkedPlace } from '../ports/dead-letters.ts';
import type { DownlinkDraft } from '../ports/downlink.ts';
import type { SandboxStatus, TenantLoad } from '../ports/engine-runner.ts';
import type { AttemptRecord, EventStory } from '../ports/journal.ts';
import type { ParkedRow, PushReport, TenantStatus } from '../ports/tenant-store.ts';

/**
 * What the routes need of the host. Every `tenant` is a checked tenant name in the caller's case; a method that gets
 * one throws AppError TENANT_UNKNOWN or TENANT_UNAVAILABLE when there is no open store for it.
 */
export interface AdminServices {
  /** Every tenant, main tenant first. */
  listTenants(): Promise<readonly TenantStatus[]>;
  /** Creates a tenant. @throws AppError TENANT_EXISTS, TENANT_INVALID. */
  addTenant(tenant: string, databaseUrl: string | undefined): Promise<TenantStatus>;
  /** Reads the tenant's settings again and rebuilds its queue connections; what is under way is settled first. */
  reloadTenant(tenant: string): Promise<void>;
  /**
   * Gives the tenant its own RabbitMQ account through the management interface and uses it from now on.
   * @throws AppError QUEUE_IDENTITY_*, BROKER_*.
   */
  setUpBroker(tenant: string, access: BrokerAdminAccess): Promise<BrokerAccount>;
  /** Pushes engines, bindings and tables, all or nothing: one refused file refuses them all. */
  push(tenant: string, request: PushFiles): Promise<PushOutcome>;
  /**
   * Runs an engine as a call that no message started. The platform's sentences in its results are in `lang`, else in
   * the host's language.
   * @returns the script's result; null when it returned nothing.
   * @throws AppError ENGINE_MISSING, ENGINE_DISABLED, ENGINE_KEY_INVALID or how the run failed (SCRIPT_*, V8_*).
   */
  run(tenant: string, engineKey: string, param: JsonValue, lang?: Lang): Promise<JsonValue>;
  /** Sends a message as `V8.MQ.SendMsg` does; refusals are the result's `Code: 0` in `lang`. */
  sendMessage(tenant: string, queue: string, message: IncomingMessage, lang: Lang): Promise<DosResult>;
  /** Everything known about one EventId; empty lists when nothing is. */
  story(tenant: string, eventId: string): Promise<EventStory>;
  /** Latest attempts, newest first. */
  deliveries(tenant: string, filter: DeliveryFilter): Promise<readonly AttemptRecord[]>;
  /** A page of parked messages, those that failed last first. */
  deadLetters(tenant: string, filter: DeadLetterFilter): Promise<ParkedPage>;
  /** Dead letters by reason and cause, largest group first. */
  deadLetterGroups(tenant: string, filter: ParkedFilter): Promise<readonly DeadGroup[]>;
  /** One parked message whole. @throws AppError NOT_FOUND. */
  deadLetter(tenant: string, choice: DeadLetterChoice): Promise<ParkedRow>;
  /** Makes dead messages wait again under their EventIds, due now; refusals are told in `lang`. */
  replayDeadLetters(tenant: string, filter: ChangeFilter, lang: Lang): Promise<ReplayOutcome>;
  /** Replays a dead message with another content. @returns its EventId. @throws as app/dead-letters.ts. */
  editDeadLetter(tenant: string, choice: DeadLetterChoice, change: DeadLetterChange, lang: Lang): Promise<string>;
  /**
   * Runs the handler of a stored or given message and undoes everything; refusals are told in `lang`.
   * @throws as app/try-message.ts.
   */
  tryMessage(tenant: string, request: TrialRequest, lang: Lang): Promise<TrialReport>;
  /** Removes dead messages for good. @returns how many. */
  purgeDeadLetters(tenant: string, filter: ChangeFilter, lang: Lang): Promise<number>;
  /** Limits of the tenant's engines and what is paused; sentences in `lang`. */
  limits(tenant: string, lang: Lang): Promise<TenantLimits>;
  readonly mqtt: MqttAdmin;
  health(): Promise<HostHealth>;
}

/** The MQTT broker as the routes need it. Its methods throw MQTT_NOT_RUNNING where there is none. */
export interface MqttAdmin {
  status(tenant: string): MqttStatus;
  sessions(tenant: string): readonly SessionView[];
  retained(tenant: string): readonly RetainedView[];
  /** Publishes to the tenant's devices. @returns sessions that it goes to. @throws AppError TOPIC_*, MQTT_*. */
  publish(tenant: string, draft: DownlinkDraft): Promise<number>;
  /** @returns false when there is no such connection. */
  disconnect(tenant: string, clientId: string): boolean;
  /** Rows of `mci_mqtt_binding` in force. */
  bindings(tenant: string): Promise<readonly TopicBinding[]>;
}

export interface MqttStatus {
  readonly isRunning: boolean;
  readonly listeners: readonly BrokerListener[];
  readonly connected: number;
  readonly sessions: number;
  readonly queued: number;
  readonly dropped: number;
}

/** A script project as the caller sends it. */
export interface PushFiles {
  /** `path` is relative with forward slashes: `.js` files are engines, `tables.json` declares tables. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Removes bindings of earlier pushes that these files no longer ask for. */
  readonly prune: boolean;
  /** Checks and reports without writing. */
  readonly dryRun: boolean;
}

/** A report, or every refusal found: HEADER_INVALID, SCRIPT_SYNTAX, BINDING_INVALID with file, line and column. */
export type PushOutcome =
  | { readonly ok: true; readonly report: PushReport; readonly tables: readonly string[] }
  | { readonly ok: false; readonly refusals: readonly ErrorRecord[] };

export interface IncomingMessage {
  /** Undefined: the host makes a ULID. */
  readonly eventId: string | undefined;
  /** The message's own JSON text, so that integers beyond 2^53-1 reach the queue as they were written. */
  readonly messageJson: string;
}

export interface DeliveryFilter {
  /** Verdict of the attempt, such as `acked`, `parked`, `dead`. */
  readonly state?: string;
  readonly limit: number;
}

/** `queue` is a logical or physical name in every filter and choice here. */
export interface DeadLetterFilter extends ParkedFilter {
  readonly state: ParkedState;
  readonly limit: number;
  /** Where the page before ended. */
  readonly after?: ParkedPlace;
}

/** At least one of them is given; `all` alone means every dead letter of the tenant. */
export interface ChangeFilter extends Omit<DeadFilter, 'before'> {
  /** Failed last so long ago or longer. Milliseconds. */
  readonly olderThanMs?: number;
}

export interface HostHealth {
  /** True when messages and calls are taken. */
  readonly ready: boolean;
  readonly tenants: readonly TenantStatus[];
  readonly queue: { readonly ready: boolean; readonly reason?: string };
  readonly lanes: SandboxStatus;
  /** Tenants that run, wait, are quarantined or have used CPU time lately. */
  readonly load: readonly TenantLoad[];
}
