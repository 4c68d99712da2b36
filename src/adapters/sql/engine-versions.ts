import type { Selectable } from 'kysely';
import { tenantKey as lowerKey } from '../../core/tenant.ts';
import type {
  EngineVersion,
  EngineVersionStore,
  EngineVersionView,
  VersionOrigin,
} from '../../ports/engine-versions.ts';
import type { RowMaker } from './platform-row.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { EngineVersionTable, SystemDb } from './system-tables.ts';

const LONGEST_AUTHOR = 100;

/** A source as it is written down. */
export interface VersionDraft {
  readonly key: string;
  readonly name: string;
  readonly source: string;
  readonly version: string;
  readonly origin: VersionOrigin;
  readonly restoredFrom?: number | undefined;
  readonly author: string;
}

/**
 * Writes the next version of an engine in the transaction that saves it. @returns its number.
 * @throws AppError ROW_NOT_UNIQUE when another save took the number meanwhile.
 */
export async function recordVersion(db: SystemDb, maker: RowMaker, draft: VersionDraft): Promise<number> {
  const no = ((await latestVersion(db, draft.key))?.no ?? 0) + 1;
  await db
    .insertInto('v8host_engine_version')
    .values({
      Id: maker.ids.ulid(),
      EngineLower: lowerKey(draft.key),
      Ordinal: no,
      EngineKey: draft.key,
      Name: draft.name,
      Version: draft.version,
      Source: draft.source,
      Origin: draft.origin,
      RestoredFrom: draft.restoredFrom ?? null,
      Author: draft.author.slice(0, LONGEST_AUTHOR),
      SavedAt: maker.clock.now(),
    })
    .execute();
  return no;
}

/** The newest version of an engine, without its source. */
export async function latestVersion(db: SystemDb, engineKey: string): Promise<EngineVersionView | undefined> {
  const row = await selectViews(db, engineKey).limit(1).executeTakeFirst();
  return row && toView(row);
}

const VIEW_COLUMNS = [
  ...(['Ordinal', 'EngineKey', 'Name', 'Version', 'Origin'] as const),
  ...(['RestoredFrom', 'Author', 'SavedAt'] as const),
] as const;

function selectViews(db: SystemDb, engineKey: string) {
  return db
    .selectFrom('v8host_engine_version')
    .select(VIEW_COLUMNS)
    .where('EngineLower', '=', lowerKey(engineKey))
    .orderBy('Ordinal', 'desc');
}

/** `v8host_engine_version`: every source that an engine has had. */
export class SqlEngineVersionStore implements EngineVersionStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async list(
    engineKey: string,
    { before, limit }: { before?: number; limit: number },
  ): Promise<readonly EngineVersionView[]> {
    let query = selectViews(this.#database.reader, engineKey).limit(limit);
    if (before !== undefined) query = query.where('Ordinal', '<', before);
    return (await query.execute()).map(toView);
  }

  async find(engineKey: string, no: number): Promise<EngineVersion | undefined> {
    const row = await selectViews(this.#database.reader, engineKey)
      .select('Source')
      .where('Ordinal', '=', no)
      .executeTakeFirst();
    return row && { ...toView(row), source: row.Source };
  }
}

function toView(row: Pick<Selectable<EngineVersionTable>, (typeof VIEW_COLUMNS)[number]>): EngineVersionView {
  return {
    no: row.Ordinal,
    key: row.EngineKey,
    name: row.Name,
    version: row.Version,
    origin: row.Origin,
    restoredFrom: row.RestoredFrom ?? undefined,
    author: row.Author,
    savedAt: Number(row.SavedAt),
  };
}
