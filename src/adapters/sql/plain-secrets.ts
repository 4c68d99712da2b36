import { SEALED_MARK, SECRET_COLUMNS, type SecretPlace, signingKeyName } from '../../core/sealed-secret.ts';
import { tenantKey } from '../../core/tenant.ts';
import type { SealedSecrets } from './sealed-secrets.ts';
import type { PlatformRow, SystemDb } from './system-tables.ts';
import { registryRows, rowThatCounts, toRegisteredTenant } from './tenant-registry.ts';

/** A secret of the registry that stands in its column. */
interface PlainColumn {
  /** `Id` of its row. */
  readonly id: string;
  readonly place: SecretPlace;
  readonly text: string;
  /** Its row counts for the tenant, and no other row of the tenant has a sealed value in this column. */
  readonly isSealable: boolean;
}

/** Secrets that stand in their columns as they are: those of the registry and of the keys that sign tokens. */
export class PlainSecrets {
  readonly #secrets: SealedSecrets;
  /** The main tenant, whose are the keys that sign tokens. */
  readonly #tenant: string;

  constructor(secrets: SealedSecrets, tenant: string) {
    this.#secrets = secrets;
    this.#tenant = tenant;
  }

  async places(): Promise<readonly SecretPlace[]> {
    const { reader } = this.#secrets.database;
    const tenants = byTenant(await registryRows(reader));
    const columns = [...tenants.values()].flatMap((rows) => plainColumns(rows).map(({ place }) => place));
    const keys = await plainKeys(reader).execute();
    return [...columns, ...keys.map(({ Kid }) => this.#placeOf(Kid))];
  }

  /**
   * Seals them as they are when it comes to them, those of one tenant together. Rows of one tenant share the places of
   * what is sealed, so a row that does not count stays plain. Nobody else may seal meanwhile. @returns how many.
   */
  async sealAll(): Promise<number> {
    const { database } = this.#secrets;
    let sealed = 0;
    for (const rows of byTenant(await registryRows(database.reader)).values()) {
      if (!plainColumns(rows).some(({ isSealable }) => isSealable)) continue;
      const ids = rows.map(idOf);
      sealed += await database.write((db) => this.#sealColumns(db, ids));
    }
    return sealed + (await database.write((db) => this.#sealKeys(db)));
  }

  /** @param ids of the rows of one tenant. */
  async #sealColumns(db: SystemDb, ids: readonly string[]): Promise<number> {
    const { dialect } = this.#secrets.database;
    const rows = await registryRows(db, (query) =>
      query.where('Id', 'in', [...ids]).$if(!dialect.singleWriter, (locked) => locked.forUpdate()),
    );
    const sealable = plainColumns(rows).filter(({ isSealable }) => isSealable);
    let sealed = 0;
    for (const { id, place, text } of sealable) {
      const [result] = await db
        .updateTable('sys_osclients')
        .set({ [place.name]: SEALED_MARK })
        .where('Id', '=', id)
        .execute();
      if (Number(result?.numUpdatedRows ?? 0) === 0) continue;
      await this.#secrets.put(db, place, text);
      sealed += 1;
    }
    return sealed;
  }

  async #sealKeys(db: SystemDb): Promise<number> {
    const { dialect } = this.#secrets.database;
    const keys = await plainKeys(db)
      .$if(!dialect.singleWriter, (locked) => locked.forUpdate())
      .execute();
    for (const { Kid, Secret } of keys) {
      await this.#secrets.put(db, this.#placeOf(Kid), Secret);
      await db.updateTable('v8host_signing_key').set({ Secret: SEALED_MARK }).where('Kid', '=', Kid).execute();
    }
    return keys.length;
  }

  #placeOf(kid: string): SecretPlace {
    return { tenant: this.#tenant, name: signingKeyName(kid) };
  }
}

function plainKeys(db: SystemDb) {
  return db.selectFrom('v8host_signing_key').selectAll().where('Secret', 'not in', ['', SEALED_MARK]);
}

/** In the order in which rows count. */
function byTenant(rows: readonly PlatformRow[]): Map<string, PlatformRow[]> {
  return Map.groupBy(rows, (row) => tenantKey(toRegisteredTenant(row).tenant));
}

/** @param rows of one tenant, in the order in which they count. */
function plainColumns(rows: readonly PlatformRow[]): readonly PlainColumn[] {
  return SECRET_COLUMNS.flatMap((name) => {
    const counting = rowThatCounts(rows, name);
    const isSealed = rows.some((row) => row[name] === SEALED_MARK);
    return rows
      .filter((row) => ![SEALED_MARK, ''].includes(String(row[name] ?? '')))
      .map((row) => ({
        id: idOf(row),
        place: { tenant: toRegisteredTenant(row).tenant, name },
        text: String(row[name]),
        isSealable: row === counting && !isSealed,
      }));
  });
}

function idOf(row: PlatformRow): string {
  return String(row.Id ?? '');
}
