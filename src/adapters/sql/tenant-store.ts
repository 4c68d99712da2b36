import type { ExtraDatabaseRow } from '../../core/extra-database.ts';
import { tenantKey } from '../../core/tenant.ts';
import type { DeadLetterStore } from '../../ports/dead-letters.ts';
import type { DocumentStore } from '../../ports/documents.ts';
import type { EngineVersionStore } from '../../ports/engine-versions.ts';
import type { IdentityStore } from '../../ports/identity.ts';
import type { Log } from '../../ports/log.ts';
import type { PoolUse } from '../../ports/metrics.ts';
import type { PushReport, PushRequest } from '../../ports/push.ts';
import type { SecretBox } from '../../ports/secret-box.ts';
import type { SingleStatements } from '../../ports/single-statements.ts';
import type { SqlSession } from '../../ports/sql-session.ts';
import type { TableDesigner } from '../../ports/table-designer.ts';
import type { TableStore } from '../../ports/table-store.ts';
import type {
  BindingStore,
  CrashStore,
  EngineStore,
  EventKey,
  InboxEntry,
  OutboxStore,
  ParkedStore,
  Retention,
  TableDefinition,
  TenantStore,
  TenantTx,
} from '../../ports/tenant-store.ts';
import type { TopicBindingStore } from '../../ports/topic-bindings.ts';
import { autoCommitted, endingWith } from './auto-committed.ts';
import { SqlBindingStore } from './bindings.ts';
import { SqlCrashStore } from './crashes.ts';
import { SqlDeadLetterStore } from './dead-letters.ts';
import { SqlDocumentStore } from './documents.ts';
import { SqlEngineVersionStore } from './engine-versions.ts';
import { SqlEngineStore } from './engines.ts';
import { createIdentityStore } from './identity.ts';
import { Inbox } from './inbox.ts';
import { SqlJournal } from './journal.ts';
import { SqlOutboxStore } from './outbox.ts';
import { SqlParkedStore } from './parked.ts';
import { isNotDeleted, isSet, type RowMaker } from './platform-row.ts';
import { pushEngines } from './push.ts';
import { purgeExpired } from './retention.ts';
import { SchemaCache } from './schema-cache.ts';
import { SqlScriptSession } from './script-session.ts';
import { createScriptTables } from './script-tables.ts';
import { SealedSecrets } from './sealed-secrets.ts';
import type { SqlDatabase } from './sql-database.ts';
import { SqlTableDesigner } from './table-designer.ts';
import { SqlTableStore } from './table-store.ts';
import { SqlTenantTx } from './tenant-tx.ts';
import { SqlTopicBindingStore } from './topic-bindings.ts';

export interface TenantStoreParts extends RowMaker {
  readonly tenant: string;
  readonly log: Log;
  /** Seals the secrets that are stored here; absent: they stay as they are. */
  readonly box?: SecretBox | undefined;
}

/** One tenant's stores over one migrated database, whatever its dialect. */
export class SqlTenantStore implements TenantStore {
  readonly tenant: string;
  readonly tables: TableStore;
  readonly relaxedTables: TableStore;
  readonly sql: SqlSession;
  readonly documents: DocumentStore;
  readonly parked: ParkedStore;
  readonly deadLetters: DeadLetterStore;
  readonly outbox: OutboxStore;
  readonly crashes: CrashStore;
  readonly engines: EngineStore;
  readonly versions: EngineVersionStore;
  readonly bindings: BindingStore;
  readonly topicBindings: TopicBindingStore;
  readonly designer: TableDesigner;
  readonly journal: SqlJournal;
  readonly identity: IdentityStore;
  readonly singleWriter: boolean;
  /** Of the main tenant alone: the secrets of all of them. */
  readonly secrets: SealedSecrets;
  readonly #database: SqlDatabase;
  readonly #parts: TenantStoreParts;
  readonly #inbox: Inbox;
  readonly #schema: SchemaCache;
  readonly #duringRuns = new WeakMap<AbortSignal, SingleStatements>();

  constructor(database: SqlDatabase, parts: TenantStoreParts) {
    const tenantLower = tenantKey(parts.tenant);
    this.#database = database;
    this.#parts = parts;
    this.#inbox = new Inbox(tenantLower, database.dialect);
    this.#schema = new SchemaCache(database);
    this.tenant = parts.tenant;
    this.singleWriter = database.dialect.singleWriter;
    const target = autoCommitted(database, 'full');
    this.tables = new SqlTableStore(this.#schema, target);
    this.relaxedTables = new SqlTableStore(this.#schema, autoCommitted(database, 'relaxed'));
    this.sql = new SqlScriptSession(database.dialect, target);
    this.documents = new SqlDocumentStore({
      read: (work) => work(database.reader),
      write: (work) => database.write(work),
    });
    this.parked = new SqlParkedStore(database, this.#inbox);
    this.deadLetters = new SqlDeadLetterStore(database, this.#inbox);
    this.outbox = new SqlOutboxStore(database);
    this.crashes = new SqlCrashStore(database);
    this.engines = new SqlEngineStore({ ...parts, database, schema: this.#schema });
    this.versions = new SqlEngineVersionStore(database);
    this.bindings = new SqlBindingStore({ ...parts, database, schema: this.#schema });
    this.topicBindings = new SqlTopicBindingStore({ ...parts, database, schema: this.#schema });
    this.designer = new SqlTableDesigner(database);
    this.secrets = new SealedSecrets(database, parts);
    this.identity = createIdentityStore(database, parts, this.secrets);
    this.journal = new SqlJournal({ ...parts, tenantLower, database, schema: this.#schema });
  }

  /** A file's statements are over before anybody can end them. */
  during(over: () => AbortSignal): SingleStatements {
    if (this.singleWriter) return this;
    const signal = over();
    const known = this.#duringRuns.get(signal);
    if (known !== undefined) return known;
    const { dialect } = this.#database;
    const target = endingWith(signal, dialect, autoCommitted(this.#database, 'full'));
    const tables = new SqlTableStore(this.#schema, target);
    const made = { tables, sql: new SqlScriptSession(dialect, target), documents: this.documents };
    this.#duringRuns.set(signal, made);
    return made;
  }

  async extraDatabases(): Promise<readonly ExtraDatabaseRow[]> {
    if ((await this.#schema.columnNames('microi_database')).size === 0) return [];
    const rows = await this.#database.reader.selectFrom('microi_database').selectAll().execute();
    const text = (value: unknown) => String(value ?? '').trim();
    return rows
      .filter((row) => isNotDeleted(row) && isSet(row.IsEnable))
      .map((row) => ({ key: text(row.DbKey), type: text(row.DbType), connection: text(row.DbConn) }));
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

  purge(retention: Retention, signal?: AbortSignal): Promise<number> {
    return purgeExpired(this.#database, retention, { clock: this.#parts.clock, signal });
  }

  pools(): readonly PoolUse[] {
    return this.#database.pools();
  }

  probe(): Promise<void> {
    return this.#database.probe();
  }

  async close(): Promise<void> {
    await this.journal.close();
    await this.#database.close();
  }
}
