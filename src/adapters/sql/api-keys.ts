import { PERMISSIONS, type Permission } from '../../core/access.ts';
import { AppError } from '../../core/errors.ts';
import type { AuditEntry, KeyStore, StoredKey } from '../../ports/identity.ts';
import { insertAudit } from './audit.ts';
import type { RowMaker } from './platform-row.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { ApiKeyTable } from './system-tables.ts';
import { toRole } from './users.ts';

/** `v8host_api_key`: keys made through the API, by their hashes. */
export class SqlKeyStore implements KeyStore {
  readonly #database: SqlDatabase;
  readonly #maker: RowMaker;

  constructor(database: SqlDatabase, maker: RowMaker) {
    this.#database = database;
    this.#maker = maker;
  }

  async list(): Promise<readonly StoredKey[]> {
    const rows = await this.#database.reader.selectFrom('v8host_api_key').selectAll().orderBy('Id').execute();
    return rows.map(toKey);
  }

  async findByHash(sha256: string): Promise<StoredKey | undefined> {
    const row = await this.#database.reader
      .selectFrom('v8host_api_key')
      .selectAll()
      .where('Sha256', '=', sha256)
      .executeTakeFirst();
    return row && toKey(row);
  }

  add(key: StoredKey, sha256: string, audit: AuditEntry): Promise<void> {
    return this.#database.write(async (db) => {
      const row: ApiKeyTable = {
        Id: key.id,
        Sha256: sha256,
        Name: key.name,
        Role: key.role,
        Scopes: key.scopes === undefined ? null : JSON.stringify(key.scopes),
        ExpiresAt: key.expiresAt ?? null,
        CreatedAt: key.createdAt,
        CreatedBy: key.createdBy.slice(0, 100),
        LastUsedAt: null,
      };
      await db.insertInto('v8host_api_key').values(row).execute();
      await insertAudit(db, this.#maker, audit);
    });
  }

  remove(id: string, audit: AuditEntry): Promise<void> {
    return this.#database.write(async (db) => {
      const [result] = await db.deleteFrom('v8host_api_key').where('Id', '=', id).execute();
      if (Number(result?.numDeletedRows ?? 0) === 0) throw new AppError('NOT_FOUND', { what: id });
      await insertAudit(db, this.#maker, audit);
    });
  }

  async noteUse(id: string, at: number): Promise<void> {
    await this.#database.write((db) =>
      db.updateTable('v8host_api_key').set({ LastUsedAt: at }).where('Id', '=', id).execute(),
    );
  }
}

function toKey(row: ApiKeyTable): StoredKey {
  return {
    id: row.Id,
    name: row.Name,
    role: toRole(row.Role),
    scopes: row.Scopes === null ? undefined : readScopes(row.Scopes),
    expiresAt: row.ExpiresAt === null ? undefined : Number(row.ExpiresAt),
    createdAt: Number(row.CreatedAt),
    createdBy: row.CreatedBy,
    lastUsedAt: row.LastUsedAt === null ? undefined : Number(row.LastUsedAt),
  };
}

/** Scopes that this program does not know give nothing. */
function readScopes(text: string): readonly Permission[] {
  return (JSON.parse(text) as string[]).filter((scope): scope is Permission => Object.hasOwn(PERMISSIONS, scope));
}
