import { type EngineSource, isEnabled } from '../../core/engine.ts';
import { readEngineLimits } from '../../core/engine-limits.ts';
import { decodeEngineSource } from '../../core/engine-source.ts';
import type { Ids } from '../../ports/ids.ts';
import type { EngineStore } from '../../ports/tenant-store.ts';
import { isNotDeleted, isSet } from './platform-row.ts';
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
  return {
    key,
    name: String(row.ApiName ?? key),
    source,
    version: ids.sha256Hex(source).slice(0, VERSION_LENGTH),
    enabled: isEnabled(row.IsEnable),
    stopHttp: isSet(row.StopHttp),
    limits: readEngineLimits(row),
  };
}

/** `sys_apiengine`: the scripts of a tenant. */
export class SqlEngineStore implements EngineStore {
  readonly #database: SqlDatabase;
  readonly #ids: Ids;

  constructor(database: SqlDatabase, ids: Ids) {
    this.#database = database;
    this.#ids = ids;
  }

  async find(engineKey: string): Promise<EngineSource | undefined> {
    const row = await findEngineRow(this.#database.reader, this.#database.dialect, engineKey);
    return row && toEngineSource(row, this.#ids);
  }

  async list(): Promise<readonly Omit<EngineSource, 'source'>[]> {
    const rows = await this.#database.reader.selectFrom('sys_apiengine').selectAll().orderBy('ApiEngineKey').execute();
    return rows.filter(isNotDeleted).map((row) => {
      const { source: _, ...engine } = toEngineSource(row, this.#ids);
      return engine;
    });
  }
}
