import type { BindingStatus } from '../app/binding-status.ts';
import type { EntryCall } from '../app/call-entry.ts';
import type { DeadLetterChange, DeadLetterChoice, ReplayOutcome } from '../app/dead-letters.ts';
import type { LogFollower, LogFollowerOptions } from '../app/log-follower.ts';
import type { EngineDiff, EngineDraft, EngineHistory, EngineSaved } from '../app/manage-engines.ts';
import type { TopicBindingView } from '../app/manage-topic-bindings.ts';
import type { TenantLimits } from '../app/read-limits.ts';
import type { TenantOverview } from '../app/read-overview.ts';
import type { ProbePair } from '../app/tenant-probes.ts';
import type { SettingsChange, SettingView } from '../app/tenant-settings.ts';
import type { TrialRequest } from '../app/trial-message.ts';
import type { TrialReport } from '../app/try-message.ts';
import type { Caller } from '../core/access.ts';
import type { BindingDraft } from '../core/binding-draft.ts';
import type { BrokerAccount } from '../core/broker-account.ts';
import type { ChangeOrigin } from '../core/change-origin.ts';
import type { DosResult } from '../core/dos-result.ts';
import type { EngineSource } from '../core/engine.ts';
import type { EntryAnswer } from '../core/entry-answer.ts';
import type { ErrorRecord, Lang } from '../core/errors.ts';
import type { JsonValue } from '../core/json.ts';
import type { ParkedState } from '../core/parked.ts';
import type { NoteProgress } from '../core/progress.ts';
import type { TopicBindingDraft } from '../core/topic-binding.ts';
import type { TraceContext } from '../core/trace-parent.ts';
import type { BackupReport } from '../ports/backup.ts';
import type { BrokerListener, RetainedView, SessionView } from '../ports/broker.ts';
import type { BrokerAdminAccess } from '../ports/broker-admin.ts';
import type { DeadFilter, DeadGroup, ParkedFilter, ParkedPage, ParkedPlace } from '../ports/dead-letters.ts';
import type { DownlinkDraft } from '../ports/downlink.ts';
import type { SandboxStatus, TenantLoad } from '../ports/engine-runner.ts';
import type { EngineVersion } from '../ports/engine-versions.ts';
import type { AttemptRecord, EventStory, LogFilter, LogLine, SysLogRecord } from '../ports/journal.ts';
import type { OutboxChoice, OutboxInspection, OutboxRowView, OutboxRowWhole } from '../ports/outbox-inspection.ts';
import type { LeftOut, PushReport } from '../ports/push.ts';
import type { RunUser } from '../ports/run-context.ts';
import type { TableInfo } from '../ports/table-store.ts';
import type { ParkedRow, StoredBinding, TenantStatus } from '../ports/tenant-store.ts';
import type { SecretServices } from './secret-services.ts';

/**
 * What the routes need of the host. Every `tenant` is a checked tenant name in the caller's case; a method that gets
 * one throws AppError TENANT_UNKNOWN or TENANT_UNAVAILABLE when there is no open store for it. A method that changes
 * something writes who did it into the log of changes; without an `origin` that is the host itself. Long work tells
 * `note` how far it is.
 */
export interface AdminServices extends SecretServices {
  /** Every tenant, main tenant first. */
  listTenants(): Promise<readonly TenantStatus[]>;
  /** Creates a tenant. @throws AppError TENANT_EXISTS, TENANT_INVALID. */
  addTenant(tenant: string, databaseUrl: string | undefined, origin?: ChangeOrigin): Promise<TenantStatus>;
  /** Makes two tenants for a check of the isolation. @throws as app/tenant-probes.ts, also the next one. */
  openProbes(origin?: ChangeOrigin): Promise<ProbePair>;
  closeProbes(id: string, origin?: ChangeOrigin): Promise<void>;
  /** Reads the tenant's settings again and rebuilds its queue connections; what is under way is settled first. */
  reloadTenant(tenant: string, origin?: ChangeOrigin): Promise<void>;
  /**
   * Gives the tenant its own RabbitMQ account through the management interface and uses it from now on.
   * @throws AppError QUEUE_IDENTITY_*, BROKER_*.
   */
  setUpBroker(tenant: string, access: BrokerAdminAccess, origin?: ChangeOrigin): Promise<BrokerAccount>;
  /** The tenant's settings; of secrets only whether there is one. */
  tenantSettings(tenant: string): Promise<readonly SettingView[]>;
  /** Changes what is given. @throws as app/tenant-settings.ts. */
  changeTenantSettings(
    tenant: string,
    by: ChangeOrigin & { readonly caller: Caller },
    change: SettingsChange,
  ): Promise<readonly SettingView[]>;
  /** Pushes engines, bindings and tables, all or nothing: one refused file refuses them all. */
  push(tenant: string, request: PushFiles, origin?: ChangeOrigin, note?: NoteProgress): Promise<PushOutcome>;
  /** Stores one engine. @throws as app/manage-engines.ts, also the next ones. */
  saveEngine(tenant: string, origin: ChangeOrigin, engineKey: string, draft: EngineDraft): Promise<EngineSaved>;
  rollBackEngine(
    tenant: string,
    origin: ChangeOrigin,
    engineKey: string,
    choice: { readonly no: number; readonly base?: string | undefined },
  ): Promise<EngineSaved>;
  switchEngine(tenant: string, origin: ChangeOrigin, engineKey: string, isEnabled: boolean): Promise<EngineSource>;
  engineVersions(
    tenant: string,
    engineKey: string,
    filter: { readonly before?: number; readonly limit: number },
  ): Promise<EngineHistory>;
  engineVersion(tenant: string, engineKey: string, no: number): Promise<EngineVersion>;
  engineDiff(
    tenant: string,
    engineKey: string,
    choice: { readonly from: number; readonly to: number | undefined; readonly around: number },
  ): Promise<EngineDiff>;
  /**
   * Runs an engine as a call that no message started. The platform's sentences in its results are in `lang`, else in
   * the host's language. @param user `V8.CurrentUser`; nobody without it. @param trace of the request.
   * @returns the script's result; null when it returned nothing.
   * @throws AppError ENGINE_MISSING, ENGINE_DISABLED, ENGINE_KEY_INVALID or how the run failed (SCRIPT_*, V8_*).
   */
  run(
    tenant: string,
    engineKey: string,
    param: JsonValue,
    lang?: Lang,
    user?: RunUser,
    trace?: TraceContext,
  ): Promise<JsonValue>;
  /** What scripts and the host wrote into the tenant's log, oldest first: what came after a line, else the latest. */
  logs(tenant: string, filter: LogFilter): Promise<readonly LogLine[]>;
  /** Follows the tenant's log. */
  followLogs(tenant: string, options: Omit<LogFollowerOptions, 'journal'>): LogFollower;
  /** Writes a line into the tenant's log, as far as it is there: best effort. */
  writeLog(tenant: string, line: Omit<SysLogRecord, 'runId'>): Promise<void>;
  /**
   * Takes a caller's turn at the tenant's addresses outside `/api/v1`, as `callEntry` does by itself.
   * @param caller a user's id. @throws AppError ENTRY_RATE, DRAINING.
   */
  takeTurn(tenant: string, caller: string): Promise<void>;
  /** Lets a caller from outside run an engine of the tenant. @throws as app/call-entry.ts. */
  callEntry(tenant: string, call: EntryCall): Promise<EntryAnswer>;
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
  replayDeadLetters(
    tenant: string,
    filter: ChangeFilter,
    lang: Lang,
    origin?: ChangeOrigin,
    note?: NoteProgress,
  ): Promise<ReplayOutcome>;
  /** Replays a dead message with another content. @returns its EventId. @throws as app/dead-letters.ts. */
  editDeadLetter(
    tenant: string,
    choice: DeadLetterChoice,
    change: DeadLetterChange,
    lang: Lang,
    origin?: ChangeOrigin,
  ): Promise<string>;
  /**
   * Runs the handler of a stored or given message and undoes everything; refusals are told in `lang`.
   * @throws as app/try-message.ts.
   */
  tryMessage(tenant: string, request: TrialRequest, lang: Lang): Promise<TrialReport>;
  /** Removes dead messages for good. @returns how many. */
  purgeDeadLetters(
    tenant: string,
    filter: ChangeFilter,
    lang: Lang,
    origin?: ChangeOrigin,
    note?: NoteProgress,
  ): Promise<number>;
  /** Messages that were committed and are not known to be in their queue, in the order of sending. */
  outbox(tenant: string, filter: Parameters<OutboxInspection['list']>[0]): Promise<readonly OutboxRowView[]>;
  /** @throws as app/manage-outbox.ts, also the next two. */
  outboxRow(tenant: string, seq: number): Promise<OutboxRowWhole>;
  retryOutbox(tenant: string, origin: ChangeOrigin, choice: OutboxChoice): Promise<number>;
  discardOutbox(tenant: string, origin: ChangeOrigin, choice: OutboxChoice): Promise<number>;
  /** Limits of the tenant's engines and what is paused; sentences in `lang`. */
  limits(tenant: string, lang: Lang): Promise<TenantLimits>;
  /** How the tenant's bindings do on this host; sentences in `lang`. */
  bindingStates(tenant: string, lang: Lang): Promise<readonly BindingStatus[]>;
  readonly mqtt: MqttAdmin;
  /** Copies the data directory. @param dir absolute and new, or undefined. @throws AppError BACKUP_*. */
  backUp(dir: string | undefined, origin?: ChangeOrigin, note?: NoteProgress): Promise<BackupReport>;
  health(): Promise<HostHealth>;
  /** The tenant's engines by key. */
  engines(tenant: string): Promise<readonly Omit<EngineSource, 'source'>[]>;
  /** One engine with its source. @throws AppError ENGINE_MISSING. */
  engine(tenant: string, engineKey: string): Promise<EngineSource>;
  /** Tables and views that scripts can name, with their columns, in the order of their names. */
  tables(tenant: string): Promise<readonly TableInfo[]>;
  /** Every row that binds a queue, also those that are switched off or cannot be served. */
  bindings(tenant: string): Promise<readonly StoredBinding[]>;
  /** Binds a queue. @throws as app/manage-bindings.ts, also the next two. */
  addBinding(tenant: string, origin: ChangeOrigin, draft: BindingDraft): Promise<StoredBinding>;
  changeBinding(tenant: string, origin: ChangeOrigin, id: string, draft: BindingDraft): Promise<StoredBinding>;
  removeBinding(tenant: string, origin: ChangeOrigin, id: string): Promise<void>;
  /** How the tenant's messages are doing; reasons are told in `lang`. */
  overview(tenant: string, lang: Lang): Promise<TenantOverview>;
}

/** The MQTT broker as the routes need it. What asks the broker itself throws MQTT_NOT_RUNNING where there is none. */
export interface MqttAdmin {
  status(tenant: string): Promise<MqttStatus>;
  sessions(tenant: string): Promise<readonly SessionView[]>;
  retained(tenant: string): Promise<readonly RetainedView[]>;
  /** Publishes to the tenant's devices. @returns sessions that it goes to. @throws AppError TOPIC_*, MQTT_*. */
  publish(tenant: string, draft: DownlinkDraft, origin?: ChangeOrigin): Promise<number>;
  /** @returns false when there is no such connection. */
  disconnect(tenant: string, clientId: string, origin?: ChangeOrigin): Promise<boolean>;
  /** Every row of `mci_mqtt_binding`, also those that are switched off or wrong. */
  bindings(tenant: string): Promise<readonly TopicBindingView[]>;
  /** Binds a topic to a queue. @throws as app/manage-topic-bindings.ts, also the next two. */
  addBinding(tenant: string, origin: ChangeOrigin, draft: TopicBindingDraft): Promise<TopicBindingView>;
  changeBinding(tenant: string, origin: ChangeOrigin, id: string, draft: TopicBindingDraft): Promise<TopicBindingView>;
  removeBinding(tenant: string, origin: ChangeOrigin, id: string): Promise<void>;
}

export interface MqttStatus {
  readonly isRunning: boolean;
  /** Another host of this database runs the broker; with shared sessions devices reach it through this one, too. */
  readonly isStandby: boolean;
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
  | {
      readonly ok: true;
      readonly report: PushReport;
      readonly tables: readonly string[];
      readonly leftOut: readonly LeftOut[];
    }
  | { readonly ok: false; readonly refusals: readonly ErrorRecord[] };

export interface IncomingMessage {
  /** Undefined: the host makes a ULID. */
  readonly eventId: string | undefined;
  /** The message's own JSON text, so that integers beyond 2^53-1 reach the queue as they were written. */
  readonly messageJson: string;
  /** `CurrentUserId` of the envelope; null or absent: nobody's. */
  readonly userId?: string | null;
  /** Of the request that brings it. */
  readonly trace?: TraceContext | undefined;
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
  /** `starting` until the consumers are attached, `draining` from the signal to the end. */
  readonly phase: 'starting' | 'running' | 'draining';
  readonly tenants: readonly TenantStatus[];
  readonly queue: { readonly ready: boolean; readonly reason?: string };
  /** The host is ready without it: nothing is lost, `V8.Cache` fails and other hosts learn of changes later. */
  readonly cache: { readonly ready: boolean; readonly reason?: string };
  readonly lanes: SandboxStatus;
  /** Tenants that run, wait, are quarantined or have used CPU time lately. */
  readonly load: readonly TenantLoad[];
}
