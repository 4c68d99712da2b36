import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createSqliteDirectory } from '../../../src/adapters/sql/tenant-directory.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { TenantDirectory } from '../../../src/ports/tenant-store.ts';
import { clock, ids, outsideConnection, RecordingLog, temporaryFolder } from './sqlite-place.ts';

const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

const NO_DATABASE = 'this is a text file, not a database\n'.repeat(100);

async function openDirectory(t: TestContext, dataDir = temporaryFolder(t)) {
  const log = new RecordingLog();
  const directory = await createSqliteDirectory({ dataDir, mainTenant: 'Demo', clock, ids, log });
  t.after(() => directory.close());
  const file = (name: string) => join(dataDir, 'tenants', `${name}.db`);
  const registry = (statement: string) => {
    using outside = outsideConnection(file('demo'));
    outside.exec(statement);
  };
  return { directory, dataDir, log, file, registry };
}

const names = (directory: TenantDirectory) => directory.open().map(({ tenant }) => tenant);

describe('the tenant directory', () => {
  it('starts with the main tenant alone', async (t) => {
    const { directory } = await openDirectory(t);
    assert.deepEqual(names(directory), ['Demo']);
    assert.equal(directory.get('DEMO')?.tenant, 'Demo');
    assert.equal(directory.get('nobody'), undefined);
    assert.deepEqual(await directory.list(), [{ tenant: 'Demo', main: true, state: 'open' }]);
  });

  it('adds a tenant with a file of its own that is there after a restart', async (t) => {
    const { directory, dataDir, file } = await openDirectory(t);
    const store = await directory.add('Factory-B', undefined);
    assert.equal(store.tenant, 'Factory-B');
    assert.ok(existsSync(file('factory-b')));
    await directory.close();
    const again = await openDirectory(t, dataDir);
    assert.deepEqual(names(again.directory), ['Demo', 'Factory-B']);
  });

  it('knows a tenant by any case of its name', async (t) => {
    const { directory } = await openDirectory(t);
    const store = await directory.add('Factory-B', undefined);
    assert.equal(directory.get('FACTORY-b'), store);
    await assert.rejects(directory.add('FACTORY-B', undefined), hasCode('TENANT_EXISTS'));
    await assert.rejects(directory.add('demo', undefined), hasCode('TENANT_EXISTS'));
  });

  it('refuses names that are none, before they become a path', async (t) => {
    const { directory } = await openDirectory(t);
    for (const name of ['', '../x', 'a/b', 'a.b', '租户', '-a', 'a'.repeat(51)]) {
      await assert.rejects(directory.add(name, undefined), hasCode('TENANT_INVALID'), name);
    }
    await assert.rejects(directory.add('b', 'mysql://x'), hasCode('DB_URL_INVALID'));
  });

  it('keeps the rows of two tenants apart', async (t) => {
    const { directory } = await openDirectory(t);
    const other = await directory.add('b', undefined);
    await other.crashes.count({ queue: 'q', eventId: 'e' });
    assert.equal(await directory.get('demo')?.crashes.count({ queue: 'q', eventId: 'e' }), 1);
  });

  it('opens tenants whose rows were written by hand, closes those switched off', async (t) => {
    const { directory, registry } = await openDirectory(t);
    registry("insert into sys_osclients (Id, OsClient) values ('1', 'hand')");
    await directory.refresh();
    assert.deepEqual(names(directory), ['Demo', 'hand']);
    registry("update sys_osclients set IsEnable = 0 where OsClient = 'hand'");
    await directory.refresh();
    assert.deepEqual(names(directory), ['Demo']);
    assert.equal(directory.get('hand'), undefined);
    assert.deepEqual((await directory.list())[1], { tenant: 'hand', main: false, state: 'disabled' });
    registry("update sys_osclients set IsEnable = 1 where OsClient = 'hand'");
    await directory.refresh();
    assert.equal(directory.get('hand')?.tenant, 'hand');
  });

  it('keeps the others up when one file is no database, says why once, and opens it when it is repaired', async (t) => {
    const first = await openDirectory(t);
    await first.directory.add('broken', undefined);
    await first.directory.add('sound', undefined);
    await first.directory.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(first.file('broken') + suffix, { force: true });
    writeFileSync(first.file('broken'), NO_DATABASE);

    const { directory, log, file } = await openDirectory(t, first.dataDir);
    assert.deepEqual(names(directory), ['Demo', 'sound']);
    assert.throws(() => directory.get('Broken'), hasCode('TENANT_UNAVAILABLE'));
    const status = (await directory.list()).find(({ tenant }) => tenant === 'broken');
    assert.equal(status?.state, 'unavailable');
    assert.match(status.reason ?? '', /not a database/);
    await directory.refresh();
    assert.equal(log.lines.filter(({ event }) => event === 'tenant.open_failed').length, 1);

    rmSync(file('broken'));
    await directory.refresh();
    assert.equal(directory.get('broken')?.tenant, 'broken');
  });

  it('keeps a tenant with a newer schema or another kind of database unavailable, with the reason', async (t) => {
    const first = await openDirectory(t);
    await first.directory.add('newer', undefined);
    await first.directory.close();
    using outside = outsideConnection(first.file('newer'));
    outside.exec("insert into schema_migration values (99, 'x', 0, null)");
    first.registry("insert into sys_osclients (Id, OsClient, DbType) values ('9', 'other', 'MySql')");

    const { directory, file } = await openDirectory(t, first.dataDir);
    const reasons = Object.fromEntries((await directory.list()).map(({ tenant, reason }) => [tenant, reason ?? '']));
    assert.match(reasons.newer ?? '', /99/);
    assert.match(reasons.other ?? '', /MySql/);
    assert.equal(existsSync(file('other')), false, 'no empty file beside the real database');
  });

  it('does not start when the main tenant’s file is no database', async (t) => {
    const { directory, dataDir, file } = await openDirectory(t);
    await directory.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(file('demo') + suffix, { force: true });
    writeFileSync(file('demo'), NO_DATABASE);
    await assert.rejects(
      createSqliteDirectory({ dataDir, mainTenant: 'demo', clock, ids, log: new RecordingLog() }),
      hasCode('DB_UNAVAILABLE'),
    );
  });
});
