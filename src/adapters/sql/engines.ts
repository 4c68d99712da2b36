import { type RoutedEngine, readApiRoutes } from '../../core/api-route.ts';
import type { AuditEntry } from '../../core/audit-entry.ts';
import { type EngineSource, isEnabled } from '../../core/engine.ts';
import { readEngineEntry } from '../../core/engine-entry.ts';
import { readEngineLimits } from '../../core/engine-limits.ts';
import { readEngineLock } from '../../core/engine-lock.ts';
import { decodeEngineSource } from '../../core/engine-source.ts';
import { AppError } from '../../core/errors.ts';
import type { Ids } from '../../ports/ids.ts';
import type { EngineStore } from '../../ports/tenant-store.ts';
import { insertAudit } from './audit.ts';
import { isNotDeleted, isSet, onlyColumns, type RowMaker } from './platform-row.ts';
import type { SchemaCache } from './schema-cache.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { PlatformRow, SystemDb } from './system-tables.ts';

const VERSION_LENGTH = 12;

/** The row of an engine by its key, any case; undefined when there is none or it is deleted. */
export async function findEngineRow(
  db: SystemDb,
  dialect: SqlDialect,
  engineKey: string,
): Promise<PlatformRow | undefined> {
  const engines = db.selectFrom('sys_apiengine').selectAll().orderBy('Id');
  // Nearly always found so, by the index; a column that knows the case needs the second look.
  const rows = await engines.where('ApiEngineKey', '=', engineKey).execute();
  const row = rows.find(isNotDeleted);
  if (row !== undefined) return row;
  const others = await engines.where(dialect.sameText('ApiEngineKey', engineKey)).execute();
  return others.find(isNotDeleted);
}

/** Reads a row of `sys_apiengine` (v8-surface.md 8.1). */
export function toEngineSource(row: PlatformRow, ids: Ids): EngineSource {
  const source = decodeEngineSource(String(row.ApiV8Code ?? ''));
  const key = String(row.ApiEngineKey);
  const lock = readEngineLock(row);
  return {
    key,
    name: String(row.ApiName ?? key),
    source,
    version: ids.sha256Hex(source).slice(0, VERSION_LENGTH),
    enabled: isEnabled(row.IsEnable),
    stopHttp: isSet(row.StopHttp),
    limits: readEngineLimits(row),
    ...(lock === undefined ? {} : { lock }),
    entry: readEngineEntry(row),
  };
}

export interface EngineStoreParts extends RowMaker {
  readonly database: SqlDatabase;
  readonly schema: SchemaCache;
}

/** `sys_apiengine`: the scripts of a tenant. */
export class SqlEngineStore implements EngineStore {
  readonly #parts: EngineStoreParts;
  readonly #database: SqlDatabase;
  readonly #ids: Ids;

  constructor(parts: EngineStoreParts) {
    this.#parts = parts;
    this.#database = parts.database;
    this.#ids = parts.ids;
  }

  async find(engineKey: string): Promise<EngineSource | undefined> {
    const row =
      (await findEngineRow(this.#database.reader, this.#database.dialect, engineKey)) ??
      (await this.#rowOfId(engineKey));
    return row && toEngineSource(row, this.#ids);
  }

  async #rowOfId(id: string): Promise<PlatformRow | undefined> {
    const rows = await this.#database.reader.selectFrom('sys_apiengine').selectAll().where('Id', '=', id).execute();
    return rows.find(isNotDeleted);
  }

  async keyAtAddress(address: string): Promise<string | undefined> {
    const { reader, dialect } = this.#database;
    const rows = await reader
      .selectFrom('sys_apiengine')
      .selectAll()
      .where(dialect.sameText('ApiAddress', address))
      .orderBy('Id')
      .execute();
    const row = rows.find(isNotDeleted);
    return row && String(row.ApiEngineKey);
  }

  async routed(): Promise<readonly RoutedEngine[]> {
    const columns = await this.#parts.schema.columnNames('sys_apiengine');
    if (!columns.has('ApiRoutes')) return [];
    const rows = await this.#database.reader
      .selectFrom('sys_apiengine')
      .select(['ApiEngineKey', 'ApiRoutes', 'IsDeleted'])
      .where('ApiRoutes', 'is not', null)
      .where('ApiRoutes', '<>', '')
      .orderBy('Id')
      .execute();
    const named = rows.filter(isNotDeleted).map(({ ApiEngineKey, ApiRoutes }) => ({
      key: String(ApiEngineKey),
      routes: readApiRoutes(String(ApiRoutes)),
    }));
    return named.filter(({ routes }) => routes.length > 0);
  }

  async list(): Promise<readonly Omit<EngineSource, 'source'>[]> {
    const rows = await this.#database.reader.selectFrom('sys_apiengine').selectAll().orderBy('ApiEngineKey').execute();
    return rows.filter(isNotDeleted).map((row) => {
      const { source: _, ...engine } = toEngineSource(row, this.#ids);
      return engine;
    });
  }

  async setEnabled(engineKey: string, isEnabled: boolean, audit: AuditEntry): Promise<void> {
    const { database, schema, clock } = this.#parts;
    const columns = await schema.columnNames('sys_apiengine');
    if (!columns.has('IsEnable')) throw new AppError('COLUMN_MISSING', { table: 'sys_apiengine', column: 'IsEnable' });
    const values = onlyColumns({ IsEnable: Number(isEnabled), UpdateTime: clock.localText(clock.now()) }, columns);
    await database.write(async (db) => {
      const row = await findEngineRow(db, database.dialect, engineKey);
      if (row === undefined) throw new AppError('ENGINE_MISSING', { engine: engineKey });
      await db
        .updateTable('sys_apiengine')
        .set(values)
        .where('Id', '=', row.Id ?? null)
        .execute();
      await insertAudit(db, this.#parts, audit);
    });
  }
}
