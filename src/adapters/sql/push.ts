import { auditEntry, shownCell } from '../../core/audit-entry.ts';
import { formatBackoff } from '../../core/backoff.ts';
import { type Binding, parseBinding } from '../../core/binding.ts';
import { BY_HOST } from '../../core/change-origin.ts';
import type { EngineSource } from '../../core/engine.ts';
import { parseEngineHeader } from '../../core/engine-header.ts';
import { AppError } from '../../core/errors.ts';
import { entryColumns } from '../../core/header-entry.ts';
import type { JsonObject } from '../../core/json.ts';
import type { PushReport, PushRequest } from '../../ports/push.ts';
import { insertAudit } from './audit.ts';
import { PUSHED } from './bindings.ts';
import { latestVersion, recordVersion } from './engine-versions.ts';
import { findEngineRow, toEngineSource } from './engines.ts';
import { assertColumns } from './missing-column.ts';
import { fixedColumns, isNotDeleted, isSet, onlyColumns, type RowMaker } from './platform-row.ts';
import type { SchemaCache } from './schema-cache.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { PlatformRow, SystemDb } from './system-tables.ts';

export interface PushParts extends RowMaker {
  readonly tenant: string;
  readonly database: SqlDatabase;
  readonly schema: SchemaCache;
}

/** Saves of one engine that meet: the second one begins again with what the first has stored. */
const MAX_TRIES = 4;

/**
 * Writes engines by key and bindings marked Source='push', all or nothing. Rows made by hand are never touched, and
 * nothing is removed without `prune` (defaults.md 10.5).
 * @throws AppError COLUMN_MISSING, ENGINE_CHANGED.
 */
export async function pushEngines(parts: PushParts, request: PushRequest): Promise<PushReport> {
  const columns = {
    engine: await parts.schema.columnNames('sys_apiengine'),
    binding: await parts.schema.columnNames('diy_queue_receive'),
  };
  for (const { entry = {} } of request.engines) assertColumns('sys_apiengine', entryColumns(entry), columns.engine);
  for (const binding of request.bindings) assertColumns('diy_queue_receive', bindingColumns(binding), columns.binding);
  const plan = (db: SystemDb) => new Push(db, parts, columns, request).apply();
  if (request.dryRun) return plan(parts.database.reader);
  for (let tries = 1; ; tries++) {
    try {
      return await parts.database.write(plan);
    } catch (thrown) {
      const isTaken = thrown instanceof AppError && thrown.code === 'ROW_NOT_UNIQUE';
      if (!isTaken || tries === MAX_TRIES) throw thrown;
    }
  }
}

interface PushColumns {
  readonly engine: ReadonlySet<string>;
  readonly binding: ReadonlySet<string>;
}

/** One push: compares with what is stored, writes the differences, and reports both. */
class Push {
  readonly #db: SystemDb;
  readonly #parts: PushParts;
  readonly #dialect: SqlDialect;
  readonly #columns: PushColumns;
  readonly #request: PushRequest;
  readonly #dryRun: boolean;
  readonly #report = {
    added: [] as string[],
    changed: [] as string[],
    unchanged: [] as string[],
    pruned: [] as string[],
  };

  constructor(db: SystemDb, parts: PushParts, columns: PushColumns, request: PushRequest) {
    this.#db = db;
    this.#parts = parts;
    this.#dialect = parts.database.dialect;
    this.#columns = columns;
    this.#request = request;
    this.#dryRun = request.dryRun;
  }

  async apply(): Promise<PushReport> {
    const request = this.#request;
    const total = request.engines.length;
    for (const [index, engine] of request.engines.entries()) {
      await this.#pushEngine(engine);
      if (!this.#dryRun) request.note?.({ step: 'store', done: index + 1, total, subject: engine.key });
    }
    const rows = await this.#bindingRows();
    for (const binding of request.bindings) await this.#pushBinding(binding, rows);
    if (request.prune) await this.#prune(request.bindings, rows);
    return this.#report;
  }

  async #pushEngine(engine: PushRequest['engines'][number]): Promise<void> {
    const row = await this.#heldRow(engine.key);
    const stored = row && toEngineSource(row, this.#parts.ids);
    const { base } = this.#request;
    if (base !== undefined && base !== (stored?.version ?? null))
      throw new AppError('ENGINE_CHANGED', { engine: engine.key });
    const before = stored === undefined ? undefined : parseEngineHeader(engine.key, stored.source);
    const entry = entryColumns(engine.entry ?? {}, before?.ok ? before.value.entry : {});
    const values = { ApiName: engine.name, ApiV8Code: engine.source, Version: engine.version, ...entry };
    const same =
      row !== undefined &&
      stored?.source === engine.source &&
      stored.name === engine.name &&
      Object.entries(entry).every(([column, value]) => isWritten(row[column], value));
    const added = { ApiEngineKey: engine.key, IsEnable: 1, StopHttp: 0, AllowAnonymous: 0, ...values };
    await this.#write('sys_apiengine', `engine ${engine.key}`, row, { same, values, added });
    if (!same && !this.#dryRun) await this.#noteVersion(engine, stored);
  }

  /** The engine's row, which nobody else changes until this transaction ends. */
  async #heldRow(engineKey: string): Promise<PlatformRow | undefined> {
    const find = () => findEngineRow(this.#db, this.#dialect, engineKey);
    const row = await find();
    if (row === undefined || this.#dryRun || this.#dialect.singleWriter) return row;
    // An update takes the row's lock also when it changes nothing; whoever had it may have saved meanwhile.
    await this.#db
      .updateTable('sys_apiengine')
      .set({ ApiEngineKey: row.ApiEngineKey ?? null })
      .where('Id', '=', row.Id ?? null)
      .execute();
    return find();
  }

  /** What was changed by hand since the last save becomes a version, too, before it is replaced. */
  async #noteVersion(engine: PushRequest['engines'][number], stored: EngineSource | undefined): Promise<void> {
    const { origin = BY_HOST, versionOrigin = 'push', restoredFrom } = this.#request;
    const latest = stored && (await latestVersion(this.#db, engine.key));
    if (stored !== undefined && latest?.version !== stored.version) {
      await recordVersion(this.#db, this.#parts, { ...stored, origin: 'found', author: '' });
    }
    const author = origin.by.name;
    const draft = { ...engine, origin: versionOrigin, restoredFrom, author };
    // A change of the name or of a column alone is not another source.
    const isNew = stored?.version !== engine.version;
    const no = isNew ? await recordVersion(this.#db, this.#parts, draft) : undefined;
    const shown = ({ name, version }: { name: string; version: string }): JsonObject => ({ name, version });
    await this.#noteChange(`engine.${stored === undefined ? 'added' : 'changed'}`, engine.key, {
      ...(stored === undefined ? {} : { before: shown(stored) }),
      after: { ...shown(engine), ...(no === undefined ? {} : { no, how: versionOrigin }) },
    });
  }

  async #noteChange(
    action: string,
    target: string,
    change: { before?: JsonObject; after?: JsonObject },
  ): Promise<void> {
    await insertAudit(this.#db, this.#parts, auditEntry(this.#request.origin ?? BY_HOST, action, target, change));
  }

  async #pushBinding(binding: Binding, rows: readonly PlatformRow[]): Promise<void> {
    const name = `queue ${binding.logicalQueue}`;
    const sameQueue = rows.filter((row) => this.#queueOf(row) === binding.physicalQueue);
    const row = sameQueue.find(isPushed);
    if (row === undefined && sameQueue.length > 0) {
      this.#report.unchanged.push(`${name} (bound by hand)`);
      return;
    }
    const values = bindingColumns(binding);
    const stored = onlyColumns(values, this.#columns.binding);
    const same = row !== undefined && Object.entries(stored).every(([column, value]) => row[column] === value);
    await this.#write('diy_queue_receive', name, row, { same, values, added: { ...values, IsEnable: 1 } });
    if (same || this.#dryRun) return;
    const before = row && Object.fromEntries(Object.keys(stored).map((column) => [column, shownCell(row[column])]));
    await this.#noteChange(`binding.${row === undefined ? 'added' : 'changed'}`, binding.logicalQueue, {
      ...(before === undefined ? {} : { before }),
      after: Object.fromEntries(Object.entries(stored).map(([column, value]) => [column, shownCell(value)])),
    });
  }

  async #prune(bindings: readonly Binding[], rows: readonly PlatformRow[]): Promise<void> {
    const wanted = new Set(bindings.map(({ physicalQueue }) => physicalQueue));
    for (const row of rows.filter(isPushed)) {
      const queue = this.#queueOf(row);
      if (queue !== undefined && wanted.has(queue)) continue;
      this.#report.pruned.push(`queue ${String(row.QueueName)}`);
      if (this.#dryRun) continue;
      await this.#db
        .deleteFrom('diy_queue_receive')
        .where('Id', '=', row.Id ?? null)
        .execute();
      const before = { ApiEngineKey: String(row.ApiEngineKey ?? '') };
      await this.#noteChange('binding.removed', String(row.QueueName), { before });
    }
  }

  async #write(
    table: 'sys_apiengine' | 'diy_queue_receive',
    name: string,
    row: PlatformRow | undefined,
    change: { same: boolean; values: PlatformRow; added: PlatformRow },
  ): Promise<void> {
    const columns = table === 'sys_apiengine' ? this.#columns.engine : this.#columns.binding;
    if (row === undefined) {
      this.#report.added.push(name);
      const added = onlyColumns({ ...fixedColumns(this.#parts), ...change.added }, columns);
      if (!this.#dryRun) await this.#db.insertInto(table).values(added).execute();
    } else if (change.same) {
      this.#report.unchanged.push(name);
    } else {
      this.#report.changed.push(name);
      const { clock } = this.#parts;
      const values = onlyColumns({ ...change.values, UpdateTime: clock.localText(clock.now()) }, columns);
      if (!this.#dryRun)
        await this.#db
          .updateTable(table)
          .set(values)
          .where('Id', '=', row.Id ?? null)
          .execute();
    }
  }

  async #bindingRows(): Promise<readonly PlatformRow[]> {
    const rows = await this.#db.selectFrom('diy_queue_receive').selectAll().execute();
    return rows.filter(isNotDeleted);
  }

  #queueOf(row: PlatformRow): string | undefined {
    const parsed = parseBinding(this.#parts.tenant, row);
    return parsed.ok ? parsed.value.physicalQueue : undefined;
  }
}

/** Drivers differ in how they read a flag of a table that they did not make. */
function isWritten(stored: unknown, value: string | number): boolean {
  return typeof value === 'number' ? isSet(stored) === (value === 1) : String(stored ?? '') === value;
}

function isPushed(row: PlatformRow): boolean {
  return row.Source === PUSHED;
}

/** A binding as its row. IsEnable is left alone, so that a binding switched off by hand stays off. */
function bindingColumns(binding: Binding): PlatformRow {
  return {
    QueueName: binding.logicalQueue,
    Type: 1,
    ApiEngineKey: binding.engineKey,
    FailToReject: binding.retries ? '是' : '否',
    Count: binding.retryCount,
    Inbox: binding.inbox ? 1 : 0,
    LegacyAck: binding.legacyAck ? 1 : 0,
    Prefetch: binding.prefetch,
    TimeoutSeconds: binding.timeoutSeconds ?? null,
    Backoff: formatBackoff(binding.backoff),
    QueueType: binding.queueType ?? null,
    OrderKey: binding.orderKey ?? null,
    Source: PUSHED,
  };
}
