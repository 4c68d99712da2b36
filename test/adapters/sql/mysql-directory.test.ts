import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { inspect } from 'node:util';
import { createTenantDirectory } from '../../../src/adapters/sql/tenant-directory.ts';
import { type AppError, describeError } from '../../../src/core/errors.ts';
import type { TenantDirectory } from '../../../src/ports/tenant-store.ts';
import { type FreshDatabase, freshDatabase } from '../../support/services/fresh-database.ts';
import { sqlAsAdmin } from '../../support/services/mariadb.ts';
import { TcpProxy } from '../../support/services/tcp-proxy.ts';
import { claimOf, hasCode } from './mysql-shop.ts';
import { clock, ids, outsideConnection, RecordingLog, temporaryFolder } from './sqlite-place.ts';

const POOLS = { runs: 2, scripts: 1, system: 2 };

const secret = (url: string) => ({ reveal: () => url });

async function openDirectory(t: TestContext, url: string, log = new RecordingLog(), dataDir = temporaryFolder(t)) {
  const main = { kind: 'mysql', url: secret(url) } as const;
  const directory = await createTenantDirectory({ dataDir, mainTenant: 'Demo', main, clock, ids, log, pools: POOLS });
  t.after(() => directory.close());
  return { directory, log, dataDir };
}

/** The root's URL of a schema: a main tenant that may make schemas and users. */
const asRoot = ({ adminUrl, name }: FreshDatabase) => `${adminUrl.replace(/\/$/, '')}/${name}`;

const names = (directory: TenantDirectory) => directory.open().map(({ tenant }) => tenant);

const statusOf = async (directory: TenantDirectory, tenant: string) =>
  (await directory.list()).find((status) => status.tenant === tenant);

/** .NET form, as the platform's own rows have it. */
const platformForm = ({ host, port, name, user, password }: FreshDatabase) =>
  `Data Source=${host};Port=${port};Database=${name};User Id=${user};Password=${password};Charset=utf8mb4;SslMode=None;`;

describe('the tenant directory on a server', () => {
  it('has the main tenant in its schema, and children by URL and by the connection string of the platform', async (t) => {
    const [main, byUrl, byRow] = [await freshDatabase(), await freshDatabase(), await freshDatabase()];
    const { directory } = await openDirectory(t, main.url);
    const added = await directory.add('Factory-B', byUrl.url);
    assert.equal(added.tenant, 'Factory-B');
    await sqlAsAdmin(
      main.adminUrl,
      `insert into ${main.name}.sys_osclients (Id, OsClient, IsEnable, DbType, DbConn)
       values ('9', 'Hand', 1, 'MySql', '${platformForm(byRow)}')`,
    );
    await directory.refresh();
    assert.deepEqual(names(directory).sort(), ['Demo', 'Factory-B', 'Hand']);
    for (const store of directory.open()) assert.equal(await store.crashes.count(claimOf('e')), 1);
    for (const schema of [main, byUrl, byRow]) {
      const rows = await sqlAsAdmin(schema.adminUrl, `select count(*) as n from ${schema.name}.mq_crash`);
      assert.equal(rows[0]?.n, 1);
    }
    await assert.rejects(directory.add('factory-b', byUrl.url), hasCode('TENANT_EXISTS'));
    const again = await openDirectory(t, main.url);
    assert.deepEqual(names(again.directory).sort(), ['Demo', 'Factory-B', 'Hand']);
  });

  it('lets changes of settings take turns, on one host and on two', async (t) => {
    const main = await freshDatabase();
    const hosts = [(await openDirectory(t, main.url)).directory, (await openDirectory(t, main.url)).directory];
    await hosts[0]?.saveSettings('Demo', { ClientName: '0' });
    const countUp = (host: TenantDirectory) => async () => {
      const [own] = await host.settings();
      await host.saveSettings('Demo', { ClientName: String(Number(own?.row.ClientName) + 1) });
    };
    // More at once than a host has connections for.
    const works = hosts.flatMap((host) => Array.from({ length: 8 }, () => host.changeSettingsAlone(countUp(host))));
    await Promise.all(works);
    assert.equal((await hosts[0]?.settings())?.[0]?.row.ClientName, '16');
    await assert.rejects(
      hosts[0]?.changeSettingsAlone(() => Promise.reject(new Error('refused'))) ?? Promise.resolve(),
      /refused/,
    );
    await hosts[1]?.changeSettingsAlone(async () => undefined);
  });

  it('keeps what a change of settings stored when its lock is lost before it is given back', async (t) => {
    const main = await freshDatabase();
    const { directory } = await openDirectory(t, main.url);
    const stored = await directory.changeSettingsAlone(async () => {
      await directory.saveSettings('Demo', { ClientName: 'kept' });
      const [holder] = await sqlAsAdmin(main.adminUrl, `select is_used_lock('v8host:${main.name}') as id`);
      await sqlAsAdmin(main.adminUrl, `kill ${Number(holder?.id)}`);
      return 'stored';
    });
    assert.equal(stored, 'stored', 'its caller has to write it down');
    assert.equal((await directory.settings())[0]?.row.ClientName, 'kept');
    assert.equal(await directory.changeSettingsAlone(async () => 'next'), 'next');
  });

  it('makes a schema and a user for a tenant without an address, who sees no other schema', async (t) => {
    const main = await freshDatabase();
    const { directory } = await openDirectory(t, asRoot(main));
    t.after(() => dropTenant(main, `${main.name}_factory-b`));
    const store = await directory.add('Factory-B', undefined);
    assert.equal(await store.crashes.count(claimOf('e')), 1);
    const [row] = await sqlAsAdmin(main.adminUrl, `select DbType, DbConn from ${main.name}.sys_osclients`);
    assert.equal(row?.DbType, 'MySql');
    const user = /User Id=([^;]+);/.exec(String(row?.DbConn))?.[1];
    const grants = await sqlAsAdmin(main.adminUrl, `show grants for '${user}'@'%'`);
    const texts = grants.map((grant) => String(Object.values(grant)[0]));
    assert.equal(texts.length, 2);
    assert.match(texts[0] ?? '', /GRANT USAGE ON \*\.\*/);
    assert.ok(texts[1]?.includes(`\`${main.name.replaceAll('_', '\\_')}\\_factory-b\``), texts[1] ?? '');
    const again = await openDirectory(t, asRoot(main));
    assert.deepEqual(names(again.directory), ['Demo', 'Factory-B']);
  });

  it('says which grants are missing when the main user may not make one, and leaves nothing behind', async (t) => {
    const main = await freshDatabase();
    const { directory } = await openDirectory(t, main.url);
    await assert.rejects(directory.add('factory', undefined), (error: unknown) => {
      assert.ok(hasCode('DB_PROVISION_REFUSED')(error));
      const sentence = describeError((error as AppError).toRecord(), 'en');
      assert.match(sentence, new RegExp(`GRANT ALL PRIVILEGES ON .*${main.name.replace('_', '..?_')}`));
      assert.match(sentence, /GRANT CREATE USER/);
      assert.match(sentence, /--db/);
      return true;
    });
    await sqlAsAdmin(
      main.adminUrl,
      `grant all privileges on \`${main.name.replaceAll('_', '\\_')}\\_%\`.* to '${main.user}'@'%' with grant option`,
    );
    await assert.rejects(directory.add('factory', undefined), hasCode('DB_PROVISION_REFUSED'));
    const left = await sqlAsAdmin(main.adminUrl, `show databases like '${main.name}\\_%'`);
    assert.deepEqual(left, []);
    assert.deepEqual(names(directory), ['Demo']);
    await sqlAsAdmin(main.adminUrl, `grant create user on *.* to '${main.user}'@'%'`);
    t.after(() => dropTenant(main, `${main.name}_factory`));
    await directory.add('factory', undefined);
    assert.deepEqual(names(directory), ['Demo', 'factory']);
  });

  it('takes no schema that holds somebody’s tables', async (t) => {
    const main = await freshDatabase();
    const { directory } = await openDirectory(t, asRoot(main));
    const schema = `${main.name}_taken`;
    await sqlAsAdmin(main.adminUrl, `create database \`${schema}\`; create table \`${schema}\`.precious (Id int)`);
    t.after(() => dropTenant(main, schema));
    await assert.rejects(directory.add('taken', undefined), hasCode('DB_PROVISION_REFUSED'));
    assert.equal((await sqlAsAdmin(main.adminUrl, `show tables from \`${schema}\``)).length, 1);
  });

  it('refuses a tenant whose user sees the schema of another one, and one that shares a schema', async (t) => {
    const [main, child] = [await freshDatabase(), await freshDatabase()];
    const { directory } = await openDirectory(t, main.url);
    await assert.rejects(directory.add('nosy', asRoot(child)), hasCode('DB_SHARED'));
    await assert.rejects(directory.add('twin', main.url), hasCode('DB_SHARED'));
    await directory.add('sound', child.url);
    await assert.rejects(directory.add('sibling', child.url), hasCode('DB_SHARED'));
    assert.deepEqual(names(directory), ['Demo', 'sound']);
    const alias = child.url.replace('127.0.0.1', 'localhost');
    await assert.rejects(directory.add('alias', alias), hasCode('DB_SHARED'), 'one server has many names');
  });

  it('warns when the user of the main tenant sees the others, and opens all the same', async (t) => {
    const [main, child] = [await freshDatabase(), await freshDatabase()];
    const { directory, log } = await openDirectory(t, asRoot(main));
    await directory.add('child', child.url);
    await directory.refresh();
    await directory.refresh();
    const told = log.lines.filter(({ fields }) => /main tenant sees/.test(String(fields?.message)));
    assert.equal(told.length, 1);
    assert.ok(String(told[0]?.fields?.message).includes(child.name));
    assert.deepEqual(names(directory), ['Demo', 'child']);
  });

  it('keeps the others up while one server is away, says why, and opens it when it is back', async (t) => {
    const [main, one, other] = [await freshDatabase(), await freshDatabase(), await freshDatabase()];
    const proxy = await TcpProxy.open(one.url);
    t.after(() => proxy[Symbol.asyncDispose]());
    const first = await openDirectory(t, main.url);
    await first.directory.add('away', proxy.url(one.url));
    await first.directory.add('sound', other.url);
    await first.directory.close();
    await proxy.refuse();
    const { directory, log } = await openDirectory(t, main.url);
    assert.deepEqual(names(directory), ['Demo', 'sound']);
    assert.throws(() => directory.get('Away'), hasCode('TENANT_UNAVAILABLE'));
    const status = await statusOf(directory, 'away');
    assert.equal(status?.state, 'unavailable');
    assert.match(status.reason ?? '', /cannot be reached \(ECONNREFUSED\)/);
    await directory.refresh();
    assert.equal(log.lines.filter(({ event }) => event === 'tenant.open_failed').length, 1);
    await proxy.listen();
    await directory.refresh();
    assert.equal(directory.get('away')?.tenant, 'away');
  });

  it('opens a tenant again when its row leads elsewhere, and keeps the old one when the new cannot be opened', async (t) => {
    const [main, one, other] = [await freshDatabase(), await freshDatabase(), await freshDatabase()];
    const { directory } = await openDirectory(t, main.url);
    const before = await directory.add('moving', one.url);
    const move = (connection: string) =>
      sqlAsAdmin(
        main.adminUrl,
        `update ${main.name}.sys_osclients set DbConn = '${connection}' where OsClient = 'moving'`,
      );
    await directory.refresh();
    assert.equal(directory.get('moving'), before, 'nothing changed');
    await move(platformForm(other).replace(other.password, 'wrong'));
    await directory.refresh();
    assert.equal(directory.get('moving'), before);
    await before.probe();
    await move(platformForm(other));
    await directory.refresh();
    const moved = directory.get('moving');
    assert.notEqual(moved, before);
    await assert.rejects(before.probe(), hasCode('DB_UNAVAILABLE'));
    await moved?.crashes.count(claimOf('e'));
    assert.equal((await sqlAsAdmin(other.adminUrl, `select * from ${other.name}.mq_crash`)).length, 1);
  });

  it('keeps rows that lead nowhere unavailable, each with its reason', async (t) => {
    const main = await freshDatabase();
    const rows = [
      ["'empty'", 'null', 'null', /DbConn is empty/],
      ["'oracle'", "'Oracle'", "'Data Source=x'", /Oracle is not supported/],
      ["'garbage'", "'MySql'", "'topsecret'", /address is invalid/],
    ] as const;
    const first = await openDirectory(t, main.url);
    await first.directory.close();
    const values = rows.map(([name, type, conn], index) => `('${index}', ${name}, 1, ${type}, ${conn})`).join(', ');
    await sqlAsAdmin(
      main.adminUrl,
      `insert into ${main.name}.sys_osclients (Id, OsClient, IsEnable, DbType, DbConn) values ${values}`,
    );
    const { directory } = await openDirectory(t, main.url);
    for (const [name, , , reason] of rows) {
      const status = await statusOf(directory, name.slice(1, -1));
      assert.match(status?.reason ?? '', reason);
      assert.doesNotMatch(status?.reason ?? '', /topsecret/);
    }
  });

  it('prints no password: in no log line, no error, no answer', async (t) => {
    const [main, child] = [await freshDatabase(), await freshDatabase()];
    const { directory, log } = await openDirectory(t, main.url);
    await directory.add('child', child.url);
    await directory.refresh();
    const wrong = child.url.replace(`/${child.name}`, '/no_such_schema');
    const errors: unknown[] = [];
    await directory.add('lost', wrong).catch((error: unknown) => errors.push(error));
    await directory.add('bad', 'mysql://x:y@').catch((error: unknown) => errors.push(error));
    assert.equal(errors.length, 2);
    const printed = inspect([log.lines, errors, await directory.list(), directory, directory.open()], {
      depth: 12,
      showHidden: true,
    });
    for (const schema of [main, child]) {
      for (const form of [schema.password, encodeURIComponent(schema.password)]) assert.ok(!printed.includes(form));
    }
  });

  it('does not start without the main tenant’s schema', async (t) => {
    const main = await freshDatabase();
    const wrong = main.url.replace(`/${main.name}`, '/no_such_schema');
    await assert.rejects(openDirectory(t, wrong), (error: unknown) =>
      ['DB_MISSING', 'DB_PRIVILEGES'].includes((error as AppError).code),
    );
  });

  it('may stand beside a main tenant with a file', async (t) => {
    const child = await freshDatabase();
    const dataDir = temporaryFolder(t);
    const options = { dataDir, mainTenant: 'demo', clock, ids, log: new RecordingLog(), pools: POOLS };
    const directory = await createTenantDirectory(options);
    t.after(() => directory.close());
    await directory.add('server', child.url);
    await directory.add('file', undefined);
    assert.deepEqual(names(directory), ['demo', 'server', 'file']);
    using outside = outsideConnection(`${dataDir}/tenants/demo.db`);
    const types = outside.prepare('select DbType from sys_osclients order by DbType').all();
    assert.deepEqual(
      types.map(({ DbType }) => DbType),
      ['MySql', 'Sqlite'],
    );
  });
});

async function dropTenant(main: FreshDatabase, schema: string): Promise<void> {
  const [row] = await sqlAsAdmin(main.adminUrl, `select DbConn from ${main.name}.sys_osclients limit 1`).catch(
    () => [],
  );
  const user = /User Id=([^;]+);/.exec(String(row?.DbConn))?.[1];
  await sqlAsAdmin(main.adminUrl, `drop database if exists \`${schema}\``);
  if (user !== undefined) await sqlAsAdmin(main.adminUrl, `drop user if exists '${user}'@'%'`);
}
