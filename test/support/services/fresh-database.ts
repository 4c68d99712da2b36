import { after } from 'node:test';
import { freshName, freshPassword } from './fresh-names.ts';
import { sqlAsAdmin } from './mariadb.ts';
import { service } from './services.ts';

export interface FreshDatabase {
  /** Of the schema's own user, the schema chosen. */
  readonly url: string;
  /** Of the server's administrator, no schema chosen. */
  readonly adminUrl: string;
  readonly host: string;
  readonly port: number;
  readonly name: string;
  readonly user: string;
  readonly password: string;
}

export interface FreshDatabaseOptions {
  /** The server with the schema; default is the shared one. */
  readonly adminUrl?: string;
  /** Default utf8mb4. */
  readonly charset?: string;
  /** What the user may do in the schema; default ALL PRIVILEGES. */
  readonly privileges?: string;
}

const dropped: (() => Promise<void>)[] = [];

// At the end of the file and not of the test: hooks of a test run in the order of their registration, so the schema
// would go before the host that uses it.
after(async () => {
  await Promise.all(dropped.map((drop) => drop()));
});

/** A new, empty schema and a user who sees nothing else; both go after the tests of the file. */
export async function freshDatabase(options: FreshDatabaseOptions = {}): Promise<FreshDatabase> {
  const adminUrl = options.adminUrl ?? (await service('mariadb')).mysqlUrl;
  const [name, user, password] = [freshName(), freshName(), freshPassword()];
  await sqlAsAdmin(
    adminUrl,
    `create database ${name} character set ${options.charset ?? 'utf8mb4'};
     create user '${user}'@'%' identified by '${password}';
     grant ${options.privileges ?? 'all privileges'} on ${name}.* to '${user}'@'%'`,
  );
  dropped.push(() => drop(adminUrl, name, user));
  const { hostname, port } = new URL(adminUrl);
  const at = `${hostname}:${port || '3306'}`;
  const url = `mysql://${user}:${encodeURIComponent(password)}@${at}/${name}`;
  return { url, adminUrl, host: hostname, port: Number(port || '3306'), name, user, password };
}

/** A session that is left would block the drop; a server that was killed has nothing to drop. */
async function drop(adminUrl: string, name: string, user: string): Promise<void> {
  const sessions = `select id from information_schema.processlist where user = '${user}'`;
  const left = await sqlAsAdmin(adminUrl, sessions).catch(() => undefined);
  if (left === undefined) return;
  for (const { id } of left) await sqlAsAdmin(adminUrl, `kill ${id}`).catch(() => undefined);
  await sqlAsAdmin(adminUrl, `set session lock_wait_timeout = 5; drop database ${name}; drop user '${user}'@'%'`);
}
