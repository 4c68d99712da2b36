import { formatBackoff } from '../../core/backoff.ts';
import { type Binding, parseBinding } from '../../core/binding.ts';
import { AppError } from '../../core/errors.ts';
import type { PushReport, PushRequest } from '../../ports/tenant-store.ts';
import { findEngineRow, toEngineSource } from './engines.ts';
import { fixedColumns, isNotDeleted, onlyColumns, type RowMaker } from './platform-row.ts';
import type { SchemaCache } from './schema-cache.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { PlatformRow, SystemDb } from './system-tables.ts';

export interface PushParts extends RowMaker {
  readonly tenant: string;
  readonly database: SqlDatabase;
  readonly schema: SchemaCache;
}

const PUSHED = 'push';

/**
 * Writes engines by key and bindings marked Source='push', all or nothing. Rows made by hand are never touched, and
 * nothing is removed without `prune` (defaults.md 10.5).
 */
export async function pushEngines(parts: PushParts, request: PushRequest): Promise<PushReport> {
  const columns = {
    engine: await parts.schema.columnNames('sys_apiengine'),
    binding: await parts.schema.columnNames('diy_queue_receive'),
  };
  if (request.bindings.length > 0 && !columns.binding.has('Source')) throw missingSource();
  const plan = (db: SystemDb) => new Push(db, parts, columns, request.dryRun).apply(request);
  return request.dryRun ? plan(parts.database.reader) : parts.database.write(plan);
}

function missingSource(): AppError {
  const message =
    'diy_queue_receive has no column Source, so pushed rows could not be told from yours: run v8host migrate --extend';
  return new AppError('DB_STATEMENT', { message });
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
  readonly #dryRun: boolean;
  readonly #report = {
    added: [] as string[],
    changed: [] as string[],
    unchanged: [] as string[],
    pruned: [] as string[],
  };

  constructor(db: SystemDb, parts: PushParts, columns: PushColumns, dryRun: boolean) {
    this.#db = db;
    this.#parts = parts;
    this.#dialect = parts.database.dialect;
    this.#columns = columns;
    this.#dryRun = dryRun;
  }

  async apply(request: PushRequest): Promise<PushReport> {
    for (const engine of request.engines) await this.#pushEngine(engine);
    const rows = await this.#bindingRows();
    for (const binding of request.bindings) await this.#pushBinding(binding, rows);
    if (request.prune) await this.#prune(request.bindings, rows);
    return this.#report;
  }

  async #pushEngine(engine: PushRequest['engines'][number]): Promise<void> {
    const row = await findEngineRow(this.#db, this.#dialect, engine.key);
    const stored = row && toEngineSource(row, this.#parts.ids);
    const values = { ApiName: engine.name, ApiV8Code: engine.source, Version: engine.version };
    const same = stored?.source === engine.source && stored.name === engine.name;
    const added = { ApiEngineKey: engine.key, IsEnable: 1, StopHttp: 0, AllowAnonymous: 0, ...values };
    await this.#write('sys_apiengine', `engine ${engine.key}`, row, { same, values, added });
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
  }

  async #prune(bindings: readonly Binding[], rows: readonly PlatformRow[]): Promise<void> {
    const wanted = new Set(bindings.map(({ physicalQueue }) => physicalQueue));
    for (const row of rows.filter(isPushed)) {
      const queue = this.#queueOf(row);
      if (queue !== undefined && wanted.has(queue)) continue;
      this.#report.pruned.push(`queue ${String(row.QueueName)}`);
      if (!this.#dryRun)
        await this.#db
          .deleteFrom('diy_queue_receive')
          .where('Id', '=', row.Id ?? null)
          .execute();
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
    Source: PUSHED,
  };
}
