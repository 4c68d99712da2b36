/** What a host call may use: the capabilities of exactly one run. The tenant comes from here, never from arguments. */

import type { DosResult } from '../core/dos-result.ts';
import type { Lang } from '../core/errors.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import type { ConsoleLevel } from '../protocol/messages.ts';
import type { Cache } from './cache.ts';
import type { Clock } from './clock.ts';
import type { DownlinkDraft } from './downlink.ts';
import type { HostCallAnswer } from './engine-runner.ts';
import type { HttpClient } from './http-client.ts';
import type { Ids } from './ids.ts';
import type { SysLogRecord } from './journal.ts';
import type { SqlSession } from './sql-session.ts';
import type { TableStore } from './table-store.ts';

export interface RunUser {
  readonly id: string;
  readonly name: string;
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
  /** Sends a message: into the outbox while a platform transaction is open, else to the queue. Never throws. */
  sendMessage(message: {
    queueName: unknown;
    eventId: unknown;
    message: JsonValue;
    osClient: unknown;
  }): Promise<DosResult>;
  /**
   * Publishes to the tenant's devices: after the commit while a platform transaction is open, else at once.
   * @returns sessions that have subscribed to the topic now.
   * @throws AppError TOPIC_*, PARAM_INVALID, MQTT_NOT_RUNNING, MQTT_DISABLED, OUTBOX_FULL, QUEUE_UNAVAILABLE.
   */
  publishToDevices(draft: DownlinkDraft): Promise<number>;
  /** Runs another engine of the tenant before the call is answered. */
  runEngine(engineKey: string, param: JsonValue, joins: boolean): Promise<HostCallAnswer>;
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
