import { SEALED_MARK, signingKeyName } from '../../core/sealed-secret.ts';
import type { User } from '../../core/user.ts';
import type { Session, SessionStore, SigningKey, SigningKeyStore } from '../../ports/identity.ts';
import type { SealedSecrets } from './sealed-secrets.ts';
import type { SqlDatabase } from './sql-database.ts';
import { toUser } from './users.ts';

/** `v8host_session`: logins that are still good. A row that is gone ends its token at once. */
export class SqlSessionStore implements SessionStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async add(session: Session): Promise<void> {
    await this.#database.write((db) =>
      db
        .insertInto('v8host_session')
        .values({
          Id: session.id,
          UserId: session.userId,
          Csrf: session.csrf,
          CreatedAt: session.createdAt,
          ExpiresAt: session.expiresAt,
        })
        .execute(),
    );
  }

  async find(id: string): Promise<{ session: Session; user: User } | undefined> {
    const row = await this.#database.reader
      .selectFrom('v8host_session')
      .selectAll()
      .where('Id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const user = await this.#database.reader
      .selectFrom('v8host_user')
      .selectAll()
      .where('Id', '=', row.UserId)
      .executeTakeFirst();
    if (user === undefined) return undefined;
    const { Id, UserId, Csrf, CreatedAt, ExpiresAt } = row;
    const session = {
      id: Id,
      userId: UserId,
      csrf: Csrf,
      createdAt: Number(CreatedAt),
      expiresAt: Number(ExpiresAt),
    };
    return { session, user: toUser(user) };
  }

  async remove(id: string): Promise<void> {
    await this.#database.write((db) => db.deleteFrom('v8host_session').where('Id', '=', id).execute());
  }

  async removeOfUser(userId: string): Promise<number> {
    const [result] = await this.#database.write((db) =>
      db.deleteFrom('v8host_session').where('UserId', '=', userId).execute(),
    );
    return Number(result?.numDeletedRows ?? 0);
  }
}

/**
 * `v8host_signing_key` of the main tenant: with what tokens are signed, for every host on this database. A key that this
 * host cannot open is none: its tokens are refused, and another one signs.
 */
export class SqlSigningKeyStore implements SigningKeyStore {
  readonly #database: SqlDatabase;
  readonly #tenant: string;
  readonly #secrets: SealedSecrets;

  constructor(database: SqlDatabase, tenant: string, secrets: SealedSecrets) {
    this.#database = database;
    this.#tenant = tenant;
    this.#secrets = secrets;
  }

  async list(): Promise<readonly SigningKey[]> {
    const rows = await this.#database.reader
      .selectFrom('v8host_signing_key')
      .selectAll()
      .orderBy('CreatedAt', 'desc')
      .orderBy('Kid', 'desc')
      .execute();
    const open = rows.some(({ Secret }) => Secret === SEALED_MARK) ? await this.#secrets.opener() : undefined;
    return rows.flatMap(({ Kid, Secret, CreatedAt }) => {
      const opened = Secret === SEALED_MARK ? open?.(this.#placeOf(Kid)) : { ok: true as const, value: Secret };
      return opened?.ok ? [{ kid: Kid, secret: opened.value, createdAt: Number(CreatedAt) }] : [];
    });
  }

  async add({ kid, secret, createdAt }: SigningKey): Promise<void> {
    await this.#database.write(async (db) => {
      const Secret = await this.#secrets.put(db, this.#placeOf(kid), secret);
      await db.insertInto('v8host_signing_key').values({ Kid: kid, Secret, CreatedAt: createdAt }).execute();
    });
  }

  async remove(kids: readonly string[]): Promise<void> {
    if (kids.length === 0) return;
    await this.#database.write(async (db) => {
      await db
        .deleteFrom('v8host_signing_key')
        .where('Kid', 'in', [...kids])
        .execute();
      for (const kid of kids) await this.#secrets.remove(db, this.#placeOf(kid));
    });
  }

  #placeOf(kid: string) {
    return { tenant: this.#tenant, name: signingKeyName(kid) };
  }
}
