import { tenantKey } from '../../core/tenant.ts';
import type { DeadLetterStore } from '../../ports/dead-letters.ts';
import type { Log } from '../../ports/log.ts';
import type { SqlSession } from '../../ports/sql-session.ts';
import type { TableStore } from '../../ports/table-store.ts';
import type {
  BindingStore,
  CrashStore,
  EngineStore,
  EventKey,
  InboxEntry,
  OutboxStore,
  ParkedStore,
  PushReport,
  PushRequest,
  Retention,
  TableDefinition,
  TenantStore,
  TenantTx,
} from '../../ports/tenant-store.ts';
import { SqlBindingStore } from './bindings.ts';
import { SqlCrashStore } from './crashes.ts';
import { SqlDeadLetterStore } from './dead-letters.ts';
import { SqlEngineStore } from './engines.ts';
import { Inbox } from './inbox.ts';
import { SqlJournal } from './journal.ts';
import { SqlOutboxStore } from './outbox.ts';
import { SqlParkedStore } from './parked.ts';
import type { RowMaker } from './platform-row.ts';
import { pushEngines } from './push.ts';
import { purgeExpired } from './retention.ts';
import { SchemaCache } from './schema-cache.ts';
import { SqlScriptSession } from './script-session.ts';
import { createScriptTables } from './script-tables.ts';
import type { SqlDatabase } from './sql-database.ts';
import { SqlTableStore, type StatementTarget, targetOver } from './table-store.ts';
import { SqlTenantTx } from './tenant-tx.ts';

export interface TenantStoreParts extends RowMaker {
  readonly tenant: string;
  readonly log: Log;
}

/** One tenant's stores over one migrated database, whatever its dialect. */
export class SqlTenantStore implements TenantStore {
  readonly tenant: string;
  readonly tables: TableStore;
  readonly sql: SqlSession;
  readonly parked: ParkedStore;
  readonly deadLetters: DeadLetterStore;
  readonly outbox: OutboxStore;
  readonly crashes: CrashStore;
  readonly engines: EngineStore;
  readonly bindings: BindingStore;
  readonly journal: SqlJournal;
  readonly singleWriter: boolean;
  readonly #database: SqlDatabase;
  readonly #parts: TenantStoreParts;
  readonly #inbox: Inbox;
  readonly #schema: SchemaCache;

  constructor(database: SqlDatabase, parts: TenantStoreParts) {
    const tenantLower = tenantKey(parts.tenant);
    this.#database = database;
    this.#parts = parts;
    this.#inbox = new Inbox(tenantLower, database.dialect);
    this.#schema = new SchemaCache(database);
    this.tenant = parts.tenant;
    this.singleWriter = database.dialect.singleWriter;
    const target: StatementTarget = {
      read: (work) => work(database.scriptReader),
      write: (work) => database.writeAsScript(work),
      allOrNothing: (work) => database.writeTogether((db) => work(targetOver(db, (nested) => nested()))),
    };
    this.tables = new SqlTableStore(this.#schema, target);
    this.sql = new SqlScriptSession(database.dialect, target);
    this.parked = new SqlParkedStore(database, this.#inbox);
    this.deadLetters = new SqlDeadLetterStore(database, this.#inbox);
    this.outbox = new SqlOutboxStore(database);
    this.crashes = new SqlCrashStore(database);
    this.engines = new SqlEngineStore(database, parts.ids);
    this.bindings = new SqlBindingStore(database, parts.tenant);
    this.journal = new SqlJournal({ ...parts, tenantLower, database, schema: this.#schema });
  }

  findInbox(key: EventKey): Promise<InboxEntry | undefined> {
    return this.#inbox.find(this.#database.reader, key);
  }

  async begin(waitMs: number): Promise<TenantTx> {
    const session = await this.#database.begin(waitMs);
    return new SqlTenantTx(session, { dialect: this.#database.dialect, inbox: this.#inbox, schema: this.#schema });
  }

  push(request: PushRequest): Promise<PushReport> {
    return pushEngines({ ...this.#parts, database: this.#database, schema: this.#schema }, request);
  }

  createTables(tables: readonly TableDefinition[]): Promise<readonly string[]> {
    return createScriptTables(this.#database, this.#parts, tables);
  }

  purge(retention: Retention): Promise<number> {
    return purgeExpired(this.#database, retention, this.#parts.clock);
  }

  probe(): Promise<void> {
    return this.#database.probe();
  }

  async close(): Promise<void> {
    await this.journal.close();
    await this.#database.close();
  }
}
