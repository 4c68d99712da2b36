/**
 * One tenant's database as the delivery algorithm needs it (delivery.md 3). Implementations: adapters/sql.
 * Every method may throw AppError DB_BUSY, DB_UNAVAILABLE or INTERNAL; other codes are named where they occur.
 */
import type { RoutedEngine } from '../core/api-route.ts';
import type { Binding, BindingRefusal, BindingRow } from '../core/binding.ts';
import type { BindingColumns } from '../core/binding-draft.ts';
import type { EngineSource } from '../core/engine.ts';
import type { Parsed } from '../core/errors.ts';
import type { ExtraDatabaseRow } from '../core/extra-database.ts';
import type { DeadReason, ParkedState, ParkingState } from '../core/parked.ts';
import type { SettingsRow } from '../core/sealed-secret.ts';
import type { DeadLetterStore } from './dead-letters.ts';
import type { DocumentStore } from './documents.ts';
import type { EngineVersionStore } from './engine-versions.ts';
import type { AuditEntry, IdentityStore } from './identity.ts';
import type { Journal } from './journal.ts';
import type { PoolUse } from './metrics.ts';
import type { OutboxInspection } from './outbox-inspection.ts';
import type { PushReport, PushRequest } from './push.ts';
import type { MessageProps } from './queue.ts';
import type { SecretUpkeep } from './secret-box.ts';
import type { SingleStatementStore } from './single-statements.ts';
import type { SqlSession } from './sql-session.ts';
import type { TableDesigner } from './table-designer.ts';
import type { TableStore } from './table-store.ts';
import type { TopicBindingStore } from './topic-bindings.ts';

/** Identity of an event inside a tenant's database: the unit of "exactly once". */
export interface EventKey {
  /** Physical queue name. */
  readonly queue: string;
  readonly eventId: string;
}

/** An event with what its message says: two contents under one EventId are two messages. */
export interface EventContent extends EventKey {
  /** SHA-256 of the envelope's Message; empty for a message that could not be read. */
  readonly messageHash: string;
}

/** The inbox row a run claims. */
export interface InboxClaim extends EventKey {
  /** SHA-256 of the envelope's Message text: the same EventId with another payload is refused. */
  readonly messageHash: string;
  readonly attempt: number;
  readonly engineKey: string;
  readonly version: string;
  readonly runId: string;
}

export interface InboxEntry {
  /** A committed row that is not `done` is a torn transaction (F2). */
  readonly status: 'run' | 'done';
  readonly messageHash: string;
}

/** A message written with the transaction that sends it. */
export interface OutboxMessage {
  readonly runId: string;
  /** Sending order inside the run, from 0. */
  readonly ordinal: number;
  readonly queue: string;
  readonly eventId: string;
  readonly body: Uint8Array;
  readonly props: MessageProps;
}

export interface OutboxRow extends OutboxMessage {
  readonly seq: number;
  readonly attempts: number;
}

/** A claim whose run succeeded. */
export interface FinishedClaim extends EventContent {
  /** True for a redelivered or retried message: its parked and crash rows end with it. */
  readonly resolveParked: boolean;
}

/** What commits together with the scripts' effects, in one packet (3.1 step 7). */
export interface CommitPacket {
  /** Claims to turn from `run` to `done`: none outside inbox runs, several in a batch. */
  readonly claims: readonly FinishedClaim[];
  readonly outbox: readonly OutboxMessage[];
}

/** Why a transaction can no longer commit. */
export type Doom = 'DB_BUSY' | 'DB_TX_LOST' | 'DB_TORN' | 'DB_UNAVAILABLE';

/**
 * The platform transaction of one run. After a doom every statement throws it again and `commit` refuses: nothing of
 * a lost transaction may autocommit (F1). Exactly one of commit and rollback ends it; rollback never throws.
 */
export interface TenantTx {
  readonly tables: TableStore;
  /** A script's own SQL in the transaction. */
  readonly sql: SqlSession;
  /** Documents of a tenant without a MongoDB, in the transaction. */
  readonly documents: DocumentStore;
  readonly doom: Doom | undefined;
  /** Inserts the inbox row as `run`. `duplicate` when a committed row is there: the caller rolls back. */
  claim(claim: InboxClaim): Promise<'claimed' | 'duplicate'>;
  /**
   * Inserts the rows of a batch (3.1 b), in one statement when none is known. @returns an answer for each; a duplicate
   * leaves nothing behind and the transaction goes on.
   */
  claimAll(claims: readonly InboxClaim[]): Promise<readonly ('claimed' | 'duplicate')[]>;
  /**
   * Commits effects, outbox and inbox state, all or nothing.
   * @returns the stored outbox rows, leased to this host for 30 s.
   * @throws AppError DB_TORN (the claim is gone), DB_TX_LOST, DB_BUSY (rolled back), DB_COMMIT_UNKNOWN.
   */
  commit(packet: CommitPacket): Promise<readonly OutboxRow[]>;
  rollback(): Promise<void>;
  /**
   * Rolls back at once, also under a statement that does not answer, whose connection is cut: for a run that was
   * killed or whose time is up. Never throws.
   */
  abort(): Promise<void>;
}

/** A message to park: waiting for its next attempt or behind others of its key, or dead (3.2). */
export interface ParkRequest extends EventContent {
  readonly cycle: number;
  /** Attempt that will run next (`waiting`, `behind`) or that failed last (`dead`). */
  readonly attempt: number;
  readonly state: ParkingState;
  /** Absent for a message without order. */
  readonly orderKey?: string;
  /** From now on the database's clock; 0 unless `waiting`. */
  readonly delayMs: number;
  readonly body: Uint8Array;
  readonly props: MessageProps;
  readonly reason: DeadReason | 'retry' | 'order';
  /** Sentence for people, at most 2,000 characters. */
  readonly error: string;
  readonly engineKey: string | null;
  readonly version: string | null;
}

export interface ParkedRow extends ParkRequest {
  readonly parkedState: ParkedState;
  /** Milliseconds UTC. */
  readonly dueAt: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** A leased row: `claimUntil` is the proof of the lease for `published`. */
export interface LeasedParkedRow extends ParkedRow {
  readonly claimUntil: number;
}

export type OrderPlace = 'free' | 'first' | 'behind';

export interface ParkedStore {
  /**
   * Idempotent; writes nothing when the inbox says `done` of this content. Copies of one attempt meet in one row;
   * another content under the same EventId gets rows of its own, in another cycle.
   */
  park(request: ParkRequest): Promise<void>;
  /**
   * Where a message stands among the parked ones of its order key: none is parked, it is the first itself, or another
   * one comes first.
   */
  placeOf(content: EventContent, orderKey: string): Promise<OrderPlace>;
  /**
   * Makes the rows behind due whose key nothing waits for any longer, in their order, `limit` of a key at most.
   * @returns rows made due.
   */
  releaseBehind(limit: number): Promise<number>;
  /** Leases up to `limit` due rows for `leaseMs`, those of one key in their order. */
  leaseDue(limit: number, leaseMs: number): Promise<readonly LeasedParkedRow[]>;
  /**
   * The row's message is in its queue again: ends the row unless something else happened to it meanwhile. A row with an
   * order key stays and keeps its key's later messages behind it, until the message is decided; should it get lost, it
   * is due again after a while.
   */
  published(row: LeasedParkedRow): Promise<void>;
  /** Ends the rows of a content whose inbox row says `done`: a replay or retry that came too late. */
  resolve(content: EventContent): Promise<void>;
  /** Milliseconds until the next row is due; undefined when none waits. */
  nextDueInMs(): Promise<number | undefined>;
  list(filter: { state?: ParkedState; queue?: string; limit: number }): Promise<readonly ParkedRow[]>;
}

export interface OutboxStore extends OutboxInspection {
  /** Leases rows whose lease ran out; `orphans` also those still leased, for the one host that owns the file at start. */
  lease(limit: number, leaseMs: number, options?: { orphans?: boolean }): Promise<readonly OutboxRow[]>;
  /** The rows are in their queues: removes them. */
  sent(seqs: readonly number[]): Promise<void>;
  /** A permanent error: counted; `failed` and visible after 10. */
  failed(seq: number, error: string): Promise<void>;
  /** Unsent rows, those that failed for good, and the run of the oldest unsent one, whose ULID tells its age. */
  pending(): Promise<{ rows: number; failed: number; oldestRunId: string | undefined }>;
}

/** Starts of redelivered messages that never reached a verdict (F3). Cleared by any verdict. */
export interface CrashStore {
  /** Counts one and returns the new count. */
  count(key: EventKey): Promise<number>;
  /** Takes one back: the host is alive and gave the delivery back unrun. */
  uncount(key: EventKey): Promise<void>;
  clear(key: EventKey): Promise<void>;
}

export interface EngineStore {
  /** By key, any case, else by Id. Undefined when there is none. */
  find(engineKey: string): Promise<EngineSource | undefined>;
  /** Key of the engine whose `ApiAddress` this path is, in any case. Undefined when there is none. */
  keyAtAddress(address: string): Promise<string | undefined>;
  /** Engines that have further paths, `ApiRoutes`, in the order in which the first counts. */
  routed(): Promise<readonly RoutedEngine[]>;
  list(): Promise<readonly Omit<EngineSource, 'source'>[]>;
  /** Switches an engine on or off. @throws AppError ENGINE_MISSING, COLUMN_MISSING. */
  setEnabled(engineKey: string, isEnabled: boolean, audit: AuditEntry): Promise<void>;
}

export interface BindingStore {
  /** Reads the whole desired set; rows that cannot be bound come back as refusals with the field and rule. */
  readAll(): Promise<{ bindings: readonly Binding[]; refusals: readonly BindingRefusal[] }>;
  /** Every row, also those that are switched off, in the order in which later ones win. */
  list(): Promise<readonly StoredBinding[]>;
  /** @returns the Id of the new row. @throws AppError COLUMN_MISSING. */
  add(columns: BindingColumns, audit: AuditEntry): Promise<string>;
  /** Sets these columns. @throws as `add`. */
  change(id: string, columns: BindingColumns, audit: AuditEntry): Promise<void>;
  /** Marks the row as deleted, as the platform does. */
  remove(id: string, audit: AuditEntry): Promise<void>;
}

/** A row of `diy_queue_receive` as it is stored. */
export interface StoredBinding {
  readonly id: string;
  readonly isEnabled: boolean;
  /** A script's header asks for it: the next push would undo a change of it. */
  readonly isPushed: boolean;
  readonly row: BindingRow;
  /** BINDING_INVALID for a row that cannot be bound. */
  readonly binding: Parsed<Binding>;
}

/** A table of the demo or of a script project (defaults.md 4, `tables.json`). */
export interface TableDefinition {
  readonly name: string;
  readonly fields: readonly { name: string; type: string; unique: boolean }[];
  readonly rows: readonly Readonly<Record<string, string | number | null>>[];
}

/** Access without a transaction, and what the host itself keeps. */
export interface TenantStore extends SingleStatementStore {
  readonly tenant: string;
  /**
   * The same as `tables` for what nobody was promised (who is online, what was received): the end of the process takes nothing
   * away, but a cut of the power may, because the commit does not wait for the disk where the whole host would wait
   * with it (SQLite).
   */
  readonly relaxedTables: TableStore;
  readonly parked: ParkedStore;
  readonly deadLetters: DeadLetterStore;
  readonly outbox: OutboxStore;
  readonly crashes: CrashStore;
  readonly engines: EngineStore;
  readonly versions: EngineVersionStore;
  readonly bindings: BindingStore;
  readonly topicBindings: TopicBindingStore;
  /** Changes of tables that scripts ask for. */
  readonly designer: TableDesigner;
  readonly journal: Journal;
  readonly identity: IdentityStore;
  /** True when transactions of one tenant exclude each other (SQLite: one writer). */
  readonly singleWriter: boolean;
  /** Enabled rows of `microi_database`: connections for the host alone. */
  extraDatabases(): Promise<readonly ExtraDatabaseRow[]>;
  /** Committed inbox state, read outside any transaction. */
  findInbox(key: EventKey): Promise<InboxEntry | undefined>;
  /** Opens a transaction; waits at most `waitMs` for the writer where there is one. @throws DB_BUSY. */
  begin(waitMs: number): Promise<TenantTx>;
  /** @throws AppError ENGINE_CHANGED (not the `base`), COLUMN_MISSING. */
  push(request: PushRequest): Promise<PushReport>;
  /** Creates missing tables with their fixed columns, and their rows when the table was created. */
  createTables(tables: readonly TableDefinition[]): Promise<readonly string[]>;
  /**
   * Removes what is older than its retention (F12), leaving most of the time to runs; ends soon after `signal`.
   * @returns removed rows.
   */
  purge(retention: Retention, signal?: AbortSignal): Promise<number>;
  /** Connections to its server by use; none for a database that is a file. */
  pools(): readonly PoolUse[];
  /** Answers when the store can commit; rejects DB_UNAVAILABLE otherwise. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** Ages in milliseconds. The inbox outlives the dead letters by at least 7 days, or a replay could run twice. */
export interface Retention {
  readonly deadLettersMs: number;
  readonly inboxMs: number;
  readonly attemptsMs: number;
  readonly logsMs: number;
  /** The newest versions of an engine stay, however old they are. */
  readonly versionsMs: number;
  readonly auditMs: number;
}

/** The registry of tenants and their databases. The main tenant's database holds `sys_osclients`. */
export interface TenantDirectory {
  /** The secrets that are stored for all tenants. */
  readonly secrets: SecretUpkeep;
  /** Every tenant whose database is open, main tenant first. */
  open(): readonly TenantStore[];
  /** The open store, by any case of the name. Undefined when unknown; throws TENANT_UNAVAILABLE when it is down. */
  get(tenant: string): TenantStore | undefined;
  list(): Promise<readonly TenantStatus[]>;
  /**
   * Rows of `sys_osclients` of the enabled tenants, every column: settings and secrets for the host's own connections.
   * They go into no log, error or answer.
   */
  settings(): Promise<readonly TenantSettings[]>;
  /** Writes columns of the tenant's row of `sys_osclients`; the main tenant gets one. @throws AppError TENANT_UNKNOWN. */
  saveSettings(tenant: string, values: Readonly<Record<string, string | number>>): Promise<void>;
  /**
   * Runs `work`, which compares settings of several tenants and saves, while no other such work runs: on this host and on
   * every other one of the same registry. @throws AppError DB_BUSY when another one takes a minute.
   */
  changeSettingsAlone<T>(work: () => Promise<T>): Promise<T>;
  /** Creates the tenant's row and database. @throws TENANT_EXISTS, TENANT_INVALID. */
  add(tenant: string, databaseUrl: string | undefined): Promise<TenantStore>;
  /** Removes a tenant that a check made for itself, with all it has. @throws AppError TENANT_INVALID for any other one. */
  removeProbe(tenant: string): Promise<void>;
  /** Opens tenants added or repaired since; called by every reconcile pass. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** A tenant's row of `sys_osclients`, perhaps without some of the columns; its secrets opened. */
export type TenantSettings = SettingsRow;

export interface TenantStatus {
  readonly tenant: string;
  readonly main: boolean;
  readonly state: 'open' | 'disabled' | 'unavailable';
  /** Why it is unavailable. */
  readonly reason?: string;
}
