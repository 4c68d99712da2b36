import { ROLES, type Role } from '../../core/access.ts';
import { AppError, coerceError } from '../../core/errors.ts';
import type { User } from '../../core/user.ts';
import type { AuditEntry, NewUser, UserChange, UserStore } from '../../ports/identity.ts';
import { insertAudit } from './audit.ts';
import type { RowMaker } from './platform-row.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { SystemDb, UserTable } from './system-tables.ts';

/** `v8host_user`: who may log in. */
export class SqlUserStore implements UserStore {
  readonly #database: SqlDatabase;
  readonly #maker: RowMaker;

  constructor(database: SqlDatabase, maker: RowMaker) {
    this.#database = database;
    this.#maker = maker;
  }

  async list(): Promise<readonly User[]> {
    const rows = await this.#database.reader.selectFrom('v8host_user').selectAll().orderBy('Account').execute();
    return rows.map(toUser);
  }

  async find(id: string): Promise<User | undefined> {
    const row = await findRow(this.#database.reader, id);
    return row && toUser(row);
  }

  async findForLogin(account: string): Promise<{ user: User; passwordHash: string } | undefined> {
    const row = await this.#database.reader
      .selectFrom('v8host_user')
      .selectAll()
      .where(this.#database.dialect.sameText('Account', account))
      .executeTakeFirst();
    // A server's collation also takes `anna ` and `ánna` for `Anna`.
    if (row === undefined || row.Account.toLowerCase() !== account.toLowerCase()) return undefined;
    return { user: toUser(row), passwordHash: row.PasswordHash };
  }

  async add(user: NewUser, audit: AuditEntry): Promise<User> {
    const row: UserTable = {
      Id: user.id,
      Account: user.account,
      Name: user.name,
      Role: user.role,
      Level: user.level,
      IsHostAdmin: user.isHostAdmin ? 1 : 0,
      IsEnable: user.isEnabled ? 1 : 0,
      PasswordHash: user.passwordHash,
      CreatedAt: this.#maker.clock.now(),
      LastLoginAt: null,
    };
    try {
      await this.#database.write(async (db) => {
        await db.insertInto('v8host_user').values(row).execute();
        await insertAudit(db, this.#maker, audit);
      });
    } catch (e) {
      const error = coerceError(e);
      throw error.code === 'ROW_NOT_UNIQUE' ? new AppError('USER_EXISTS', { account: user.account }) : error;
    }
    return toUser(row);
  }

  change(id: string, change: UserChange, options: { endSessions: boolean }, audit: AuditEntry): Promise<User> {
    return this.#database.write(async (db) => {
      const before = await needRow(db, id);
      const columns = columnsOf(change);
      if (Object.keys(columns).length > 0) {
        await db.updateTable('v8host_user').set(columns).where('Id', '=', id).execute();
      }
      if (isAdmin(before)) await keepAdmin(db);
      if (options.endSessions) await db.deleteFrom('v8host_session').where('UserId', '=', id).execute();
      await insertAudit(db, this.#maker, audit);
      return toUser(await needRow(db, id));
    });
  }

  remove(id: string, audit: AuditEntry): Promise<void> {
    return this.#database.write(async (db) => {
      const row = await needRow(db, id);
      await db.deleteFrom('v8host_user').where('Id', '=', id).execute();
      if (isAdmin(row)) await keepAdmin(db);
      await db.deleteFrom('v8host_session').where('UserId', '=', id).execute();
      await insertAudit(db, this.#maker, audit);
    });
  }

  async noteLogin(id: string, at: number, passwordHash?: string): Promise<void> {
    const hash = passwordHash === undefined ? {} : { PasswordHash: passwordHash };
    await this.#database.write((db) =>
      db
        .updateTable('v8host_user')
        .set({ LastLoginAt: at, ...hash })
        .where('Id', '=', id)
        .execute(),
    );
  }
}

function isAdmin({ Role, IsEnable }: UserTable): boolean {
  return Role === 'admin' && IsEnable === 1;
}

/** @throws AppError LAST_ADMIN, which undoes the change. */
async function keepAdmin(db: SystemDb): Promise<void> {
  const admin = await db
    .selectFrom('v8host_user')
    .select('Id')
    .where('Role', '=', 'admin')
    .where('IsEnable', '=', 1)
    .executeTakeFirst();
  if (admin === undefined) throw new AppError('LAST_ADMIN');
}

function findRow(db: SystemDb, id: string): Promise<UserTable | undefined> {
  return db.selectFrom('v8host_user').selectAll().where('Id', '=', id).executeTakeFirst();
}

async function needRow(db: SystemDb, id: string): Promise<UserTable> {
  const row = await findRow(db, id);
  if (row === undefined) throw new AppError('NOT_FOUND', { what: id });
  return row;
}

function columnsOf({ name, role, level, isEnabled, isHostAdmin, passwordHash }: UserChange): Partial<UserTable> {
  return {
    ...(name === undefined ? {} : { Name: name }),
    ...(role === undefined ? {} : { Role: role }),
    ...(level === undefined ? {} : { Level: level }),
    ...(isEnabled === undefined ? {} : { IsEnable: isEnabled ? 1 : 0 }),
    ...(isHostAdmin === undefined ? {} : { IsHostAdmin: isHostAdmin ? 1 : 0 }),
    ...(passwordHash === undefined ? {} : { PasswordHash: passwordHash }),
  };
}

/** A row of `v8host_user`. A role that this program does not know may do least. */
export function toUser(row: UserTable): User {
  return {
    id: row.Id,
    account: row.Account,
    name: row.Name,
    role: toRole(row.Role),
    level: row.Level,
    isHostAdmin: row.IsHostAdmin === 1,
    isEnabled: row.IsEnable === 1,
    createdAt: Number(row.CreatedAt),
    lastLoginAt: row.LastLoginAt === null ? null : Number(row.LastLoginAt),
  };
}

export function toRole(text: string): Role {
  return ROLES.find((role) => role === text) ?? 'viewer';
}
