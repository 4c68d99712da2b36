import type { Generated, Kysely } from 'kysely';
import type { ParkedState } from '../../core/parked.ts';
import type { SqlValue } from '../../core/sql-value.ts';
import type { VersionOrigin } from '../../ports/engine-versions.ts';

/**
 * The tables the host keeps for itself (defaults.md 5), as statements see them. `Instant` columns hold a moment of
 * the database's clock; they are written by the expressions of SqlDialect and read by `SqlDialect.millis`.
 */
export interface SystemTables {
  schema_migration: { Version: number; Name: string; AppliedAt: number; WorksFrom: number | null };
  mq_inbox: InboxTable;
  mq_outbox: OutboxTable;
  mq_parked: ParkedTable;
  mq_crash: { QueueName: string; EventId: string; Count: number; LastAt: Instant };
  mq_attempt: AttemptTable;
  diy_queue_receive: PlatformRow;
  diy_queue_receive_log: PlatformRow;
  sys_apiengine: PlatformRow;
  sys_log: PlatformRow;
  mci_mqtt_log: PlatformRow;
  mci_mqtt_binding: PlatformRow;
  sys_osclients: PlatformRow;
  microi_database: PlatformRow;
  sys_config: PlatformRow;
  v8host_user: UserTable;
  v8host_session: { Id: string; UserId: string; Csrf: string; CreatedAt: number; ExpiresAt: number };
  v8host_api_key: ApiKeyTable;
  v8host_signing_key: { Kid: string; Secret: string; CreatedAt: number };
  v8host_secret: { TenantLower: string; Name: string; KeyId: string; Sealed: string; SealedAt: number };
  v8host_audit: AuditTable;
  v8host_engine_version: EngineVersionTable;
  v8host_document: DocumentTable;
}

/** Milliseconds for the code, whatever the dialect stores. */
export type Instant = number;

/** A row of a table whose columns the original platform decides. */
export type PlatformRow = Record<string, SqlValue>;

/** Name of a table of the original platform. */
export type PlatformTable = {
  [Name in keyof SystemTables]: SystemTables[Name] extends PlatformRow
    ? PlatformRow extends SystemTables[Name]
      ? Name
      : never
    : never;
}[keyof SystemTables];

export interface InboxTable {
  TenantLower: string;
  QueueName: string;
  EventId: string;
  Status: 'run' | 'done';
  MessageHash: string;
  Attempt: number;
  EngineKey: string;
  Version: string;
  RunId: string;
  DoneAt: Instant | null;
}

export interface OutboxTable {
  Seq: Generated<number>;
  RunId: string;
  Ordinal: number;
  QueueName: string;
  EventId: string;
  Body: Uint8Array;
  Props: string;
  ClaimUntil: Instant;
  ClaimedBy: string | null;
  Attempts: number;
  State: 'ready' | 'failed';
  LastError: string | null;
}

export interface ParkedTable {
  QueueName: string;
  EventId: string;
  Cycle: number;
  Attempt: number;
  State: ParkedState;
  DueAt: Instant;
  Body: Uint8Array;
  Props: string;
  Reason: string;
  Error: string;
  EngineKey: string | null;
  Version: string | null;
  FirstAt: Instant;
  LastAt: Instant;
  ClaimUntil: Instant | null;
  ClaimedBy: string | null;
  MessageHash: string | null;
  ErrorGroup: string | null;
  OrderKey: string | null;
  OrderSeq: number | null;
}

export interface AttemptTable {
  RunId: string;
  QueueName: string;
  EventId: string;
  Attempt: number;
  EngineKey: string;
  Version: string;
  StartedAt: number;
  EndedAt: number;
  Verdict: string;
  Reason: string;
  Msg: string;
  HostCalls: string;
}

export interface UserTable {
  Id: string;
  Account: string;
  Name: string;
  Role: string;
  Level: number;
  IsHostAdmin: number;
  IsEnable: number;
  PasswordHash: string;
  CreatedAt: number;
  LastLoginAt: number | null;
}

export interface ApiKeyTable {
  Id: string;
  Sha256: string;
  Name: string;
  Role: string;
  Scopes: string | null;
  ExpiresAt: number | null;
  CreatedAt: number;
  CreatedBy: string;
  LastUsedAt: number | null;
}

export interface AuditTable {
  Id: string;
  At: number;
  ActorKind: string;
  ActorId: string;
  ActorName: string;
  Address: string;
  Action: string;
  Target: string;
  BeforeJson: string;
  AfterJson: string;
}

export interface DocumentTable {
  Db: string;
  Collection: string;
  Id: string;
  CreatedAt: number;
  /** Bytes of Body. */
  Size: number;
  /** Counts updates; raising it takes the row. */
  Revision: number;
  /** JSON of the fields. */
  Body: string;
}

/** Statements of the host. */
export type SystemDb = Kysely<SystemTables>;

/** Statements of scripts, whose tables are known at run time only. */
export type ScriptDb = Kysely<Record<string, Record<string, SqlValue>>>;

export interface EngineVersionTable {
  Id: string;
  EngineLower: string;
  Ordinal: number;
  EngineKey: string;
  Name: string;
  Version: string;
  Source: string;
  Origin: VersionOrigin;
  RestoredFrom: number | null;
  Author: string;
  SavedAt: number;
}
