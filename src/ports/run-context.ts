/** What a host call may use: the capabilities of exactly one run. The tenant comes from here, never from arguments. */

import type { DosResult } from '../core/dos-result.ts';
import type { Lang } from '../core/errors.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import type { ConsoleLevel } from '../protocol/messages.ts';
import type { Cache } from './cache.ts';
import type { Clock } from './clock.ts';
import type { DocumentStore } from './documents.ts';
import type { DownlinkDraft } from './downlink.ts';
import type { HostCallAnswer } from './engine-runner.ts';
import type { HttpClient } from './http-client.ts';
import type { Ids } from './ids.ts';
import type { SysLogRecord } from './journal.ts';
import type { SqlSession } from './sql-session.ts';
import type { TableDesigner } from './table-designer.ts';
import type { AfterTableEvent, TableEventCall } from './table-events.ts';
import type { TableStore } from './table-store.ts';

export interface RunUser {
  readonly id: string;
  readonly name: string;
  /** `V8.CurrentUser`; without it that has Id and Name alone. */
  readonly current?: JsonObject;
}

/** The other databases as one run uses them; the methods are those of app/run-databases.ts. */
export interface ScriptDatabases {
  keys(): Promise<readonly string[]>;
  /** @throws AppError DBS_*. */
  sql(key: string, transaction: string | undefined): Promise<SqlSession>;
  /** @returns the transaction. */
  begin(key: string): Promise<string>;
  end(transaction: string, commit: boolean): Promise<void>;
  /** @returns the key of the database. */
  open(type: string, connection: string): Promise<string>;
}

export interface RunContext {
  readonly tenant: string;
  readonly runId: string;
  readonly engineKey: string;
  readonly lang: Lang;
  readonly user: RunUser | undefined;
  /** Aborted when the run ends, whatever way. */
  readonly signal: AbortSignal;
  /** Set in runs of a message: requests derive their Idempotency-Key from it. */
  readonly event: { readonly queue: string; readonly eventId: string } | undefined;
  /** W3C headers for a request of this run: a new span of the message's trace, or of the run's own. */
  traceHeaders(): Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly http: HttpClient;
  readonly cache: Cache;
  /** How many requests to this target the run has made, this one included; with the event it names a request. */
  requestNumber(target: string): number;
  /** Milliseconds of wall time left. */
  remainingMs(): number;
  /**
   * Where this call reads and writes. In an inbox run always the run's transaction; elsewhere the platform
   * transaction when `joins` asks for it or one is open on a single-writer store, else auto-commit.
   */
  tables(joins: boolean): Promise<TableStore>;
  /** Where this call's own SQL runs, by the same rule. */
  sql(joins: boolean): Promise<SqlSession>;
  /**
   * Changes tables, for a member of this name: outside of the platform transaction only, which could not take it back.
   * @throws AppError TABLE_IN_TRANSACTION.
   */
  designer(method: string): TableDesigner;
  /**
   * The tenant's documents: in its MongoDB, outside every transaction, or in its database, in the run's transaction
   * whenever one is open. @throws AppError DOCUMENTS_URL_INVALID, DOCUMENTS_ACCOUNT_SHARED.
   */
  documents(): Promise<DocumentStore>;
  /** `V8.Dbs`: outside of the platform transaction. */
  databases(): ScriptDatabases;
  /** Sends a message: into the outbox while a platform transaction is open, else to the queue. Never throws. */
  sendMessage(message: {
    queueName: unknown;
    eventId: unknown;
    message: JsonValue;
    osClient: unknown;
  }): Promise<DosResult>;
  /**
   * Publishes to the tenant's devices: after the commit while a platform transaction is open, else at once.
   * @returns sessions that have subscribed to the topic now; null while the broker that could count them is not reached.
   * @throws AppError TOPIC_*, PARAM_INVALID, MQTT_NOT_RUNNING, MQTT_DISABLED, OUTBOX_FULL, QUEUE_UNAVAILABLE.
   */
  publishToDevices(draft: DownlinkDraft): Promise<number | null>;
  /**
   * Claims a key of the running engine in the platform transaction, which it opens. After `claimed` every call joins,
   * up to `endOnce`. @throws AppError DB_*, EVENT_ID_INVALID, PARAM_MISSING.
   */
  beginOnce(key: JsonValue): Promise<'claimed' | 'duplicate'>;
  /** Ends the innermost claim: its effects are kept for the commit, or undone. @throws AppError DB_*. */
  endOnce(keep: boolean): Promise<void>;
  /** Runs another engine of the tenant before the call is answered. */
  runEngine(engineKey: string, param: JsonValue, joins: boolean): Promise<HostCallAnswer>;
  /** Runs an event of a table, then goes on with `then`, whose answer is the call's. */
  runTableEvent(event: TableEventCall, then: AfterTableEvent): Promise<HostCallAnswer>;
  /** `V8.SysConfig`: the tenant's settings for its scripts. */
  sysConfig(): Promise<JsonObject>;
  /** `V8.OsClientModel`: the tenant's row of the registry without secrets. */
  tenantModel(): Promise<JsonObject>;
  sysLog(record: Omit<SysLogRecord, 'eventId' | 'runId'>): void;
  console(level: ConsoleLevel, line: string): void;
  /** The current call found its server away, out of time or answering 5xx: the message is not to blame for a failure. */
  dependencyFailed(): void;
  /** Names what the current call touches, for the story. */
  touch(target: string): void;
}
