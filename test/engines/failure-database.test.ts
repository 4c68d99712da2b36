/** Row 35 of docs/failure.md: a database that cannot be used, and what the host says to do about it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import type { HostProcess } from '../support/host-process.ts';
import { type FreshDatabase, freshDatabase } from '../support/services/fresh-database.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { column, logged, prepareHosts, push, send, startHosts, tablesJson } from './engine-hosts.ts';

const FILES = {
  'tables.json': tablesJson({ effect: ['EventId'] }),
  'work.js': `/** @queue work */
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
`,
};

const READ_ONLY = 'select';

/** URLs that lead nowhere good, what the host says of each, and how an operator mends it. */
async function broken() {
  const [missing, refused, readOnly] = [
    await freshDatabase(),
    await freshDatabase(),
    await freshDatabase({ privileges: READ_ONLY }),
  ];
  await sqlAsAdmin(missing.adminUrl, `drop database ${missing.name}`);
  const at = `${missing.host}:${missing.port}`;
  return [
    {
      tenant: 'missing',
      database: missing,
      url: missing.url,
      says: `The database server ${at} has no schema ${missing.name}: run CREATE DATABASE \`${missing.name}\` CHARACTER SET utf8mb4, or correct the name in the address.`,
      mend: `create database if not exists ${missing.name} character set utf8mb4`,
    },
    {
      tenant: 'refused',
      database: refused,
      url: refused.url.replace(encodeURIComponent(refused.password), 'not-the-password'),
      says: `The database server ${at} refuses the login of user ${refused.user}: check name and password, and that the user may connect from this machine.`,
      mend: `alter user '${refused.user}'@'%' identified by 'not-the-password'`,
    },
    {
      tenant: 'readonly',
      database: readOnly,
      url: readOnly.url,
      says: `The database user ${readOnly.user} lacks rights on schema ${readOnly.name} (`,
      mend: `grant all privileges on ${readOnly.name}.* to '${readOnly.user}'@'%'`,
    },
  ];
}

/** A host alone, with the queue inside it: only the database matters here. */
async function prepare(t: TestContext, databaseUrl: string): Promise<HostProcess> {
  const [host] = (await prepareHosts(t, ['one'], { databaseUrl })) as [HostProcess];
  return host;
}

test('failure row 35: the main database cannot be used; the host does not start and says what to do', async (t) => {
  const cases = await broken();
  for (const { url, says } of cases) {
    const host = await prepare(t, url);
    const [code] = (await once(host.spawn(), 'close')) as [number];
    assert.equal(code, 1, host.output);
    assert.ok(host.output.includes(says), `${says}\n${host.output}`);
    assert.doesNotMatch(host.output, /not-the-password/);
  }
  const away = await prepare(t, 'mysql://someone:secret@127.0.0.1:9/nothing');
  const [code] = (await once(away.spawn(), 'close')) as [number];
  assert.equal(code, 1);
  const says =
    'The database server 127.0.0.1:9 cannot be reached (ECONNREFUSED): check address, port and firewall, and that the server runs.';
  assert.ok(away.output.includes(says), away.output);
  // As it was made, to be removed.
  for (const { database, mend } of cases) await sqlAsAdmin(database.adminUrl, mend);
});

test("failure row 35: a tenant's database cannot be used; the others work, and repaired it comes back by itself", async (t) => {
  const main = await freshDatabase();
  const [host] = (await startHosts(t, ['one'], { databaseUrl: main.url })) as [HostProcess];
  await push(host, FILES);
  const cases = await broken();
  for (const { tenant, url, says } of cases) {
    const added = await host.api('POST', 'tenants', { tenant, databaseUrl: url });
    assert.ok(String(added.body.Msg).includes(says), `${says}\n${JSON.stringify(added.body)}`);
    // As the platform's own console writes it, whether it works or not.
    await register(main, tenant, url);
  }
  await eventually(async () => {
    const { body } = await host.api('GET', 'tenants');
    for (const { tenant, says } of cases) {
      const status = body.Data.find((row: { tenant: string }) => row.tenant === tenant);
      assert.equal(status?.state, 'unavailable');
      assert.ok(status.reason.includes(says), status.reason);
    }
  });
  await send(host, 'work', 'd1');
  await eventually(async () => assert.deepEqual(await column(main.url, 'select EventId from effect'), ['d1']));

  for (const { tenant, database, url, mend } of cases) {
    await sqlAsAdmin(database.adminUrl, mend);
    await eventually(async () => {
      const { body } = await host.api('GET', 'tenants');
      assert.equal(body.Data.find((row: { tenant: string }) => row.tenant === tenant)?.state, 'open');
    });
    await push(host, FILES, tenant);
    await send(host, 'work', 'x', {}, tenant);
    await eventually(async () => assert.deepEqual(await column(url, 'select EventId from effect'), ['x']));
  }
  assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});

test('a table that is not InnoDB is warned of by name; a schema that is not utf8mb4 is, too', async (t) => {
  const database = await freshDatabase({ charset: 'latin1' });
  await sqlAsAdmin(database.url, 'create table old_book (Id varchar(36) primary key) engine=MyISAM');
  const [host] = (await startHosts(t, ['one'], { databaseUrl: database.url })) as [HostProcess];
  const warnings = logged(host, 'database.misconfigured').map(({ message }) => message);
  assert.deepEqual(
    warnings.filter((message) => /schema|table/.test(message)),
    [
      "the schema's character set is latin1, not utf8mb4: tables made without one refuse Chinese text",
      'table old_book is MyISAM, not InnoDB: a rollback leaves its rows as they are',
    ],
  );
  await push(host, FILES);
  await send(host, 'work', 'e1');
  await eventually(async () => assert.deepEqual(await column(database.url, 'select EventId from effect'), ['e1']));
  assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});

async function register(main: FreshDatabase, tenant: string, url: string): Promise<void> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const connection = `Data Source=${hostname};Port=${port};Database=${pathname.slice(1)};User Id=${username};Password=${decodeURIComponent(password)};`;
  await sqlAsAdmin(
    main.url,
    `insert into sys_osclients (Id, OsClient, IsEnable, IsDeleted, DbType, DbConn)
     values ('${tenant}', '${tenant}', 1, 0, 'MySql', '${connection}')`,
  );
}
