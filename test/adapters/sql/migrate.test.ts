import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SqliteDatabase } from '../../../src/adapters/sql/database-sqlite.ts';
import { migrate } from '../../../src/adapters/sql/migrate.ts';
import { SqlTenantStore } from '../../../src/adapters/sql/tenant-store.ts';
import { AppError } from '../../../src/core/errors.ts';
import { TENANT } from '../../contract/tenant-store-place.ts';
import { clock, ids, openDatabase, outsideConnection, RecordingLog, temporaryFolder } from './sqlite-place.ts';

const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

/** Tables as the original platform shipped them: none of our columns. */
const PLATFORM_SCHEMA = `
  create table diy_queue_receive (Id varchar(36) primary key, CreateTime datetime, UpdateTime datetime, UserId varchar(36),
    UserName varchar(255), IsDeleted int, QueueName varchar(200), Type int, ApiEngineKey varchar(50),
    FailToReject varchar(10), Count int, DllName varchar(255), ClassName varchar(255), MethodName varchar(255));
  create table sys_apiengine (Id varchar(36) primary key, ApiName varchar(255), ApiEngineKey varchar(50), ApiV8Code text, IsEnable int);
  create table sys_log (Id varchar(36) primary key, CreateTime datetime, Type varchar(255), Title varchar(255), Content text);
  insert into diy_queue_receive (Id, QueueName, Type, ApiEngineKey, FailToReject, Count)
    values ('1', 'orders', 1, 'Order-Save', '是', 2), ('2', 'bad', 'x', 'Order-Save', '否', 0), ('3', 'gone', 1, 'k', '否', 0);
  update diy_queue_receive set IsDeleted = 1 where Id = '3';
  insert into sys_apiengine (Id, ApiName, ApiEngineKey, ApiV8Code)
    values ('1', 'Save', 'Order-Save', 'cmV0dXJuIHsgQ29kZTogMSB9Ow==');
`;

describe('migrations', () => {
  it('run once each and change nothing when they run again', async (t) => {
    const path = join(temporaryFolder(t), 'a.db');
    const database = await openDatabase(t, path);
    await migrate(database, { extend: false });
    await migrate(database, { extend: true });
    const rows = await database.reader.selectFrom('schema_migration').select(['Version', 'Name']).execute();
    assert.deepEqual(rows, [
      { Version: 1, Name: 'delivery-tables' },
      { Version: 2, Name: 'platform-tables' },
      { Version: 3, Name: 'lease-marks' },
      { Version: 4, Name: 'parked-content' },
      { Version: 5, Name: 'error-groups' },
      { Version: 6, Name: 'mqtt-tables' },
      { Version: 7, Name: 'identity-tables' },
      { Version: 8, Name: 'order-keys' },
      { Version: 9, Name: 'engine-versions' },
      { Version: 10, Name: 'documents' },
      { Version: 11, Name: 'sealed-secrets' },
    ]);
  });

  it('refuse a database that a newer program has changed, and leave it as it is', async (t) => {
    const path = join(temporaryFolder(t), 'a.db');
    const database = await openDatabase(t, path);
    using outside = outsideConnection(path);
    outside.exec("insert into schema_migration values (99, 'from the future', 0, null)");
    await assert.rejects(migrate(database, { extend: false }), (error: unknown) => {
      assert.ok(error instanceof AppError);
      assert.deepEqual([error.code, error.params], ['SCHEMA_NEWER', { found: 99, known: 11 }]);
      return true;
    });
  });

  it('take a database that a newer program has only added to, so that an upgrade can be undone', async (t) => {
    const path = join(temporaryFolder(t), 'a.db');
    const database = await openDatabase(t, path);
    using outside = outsideConnection(path);
    outside.exec("insert into schema_migration values (98, 'adds a table', 0, 11), (99, 'adds another', 0, 11)");
    await migrate(database, { extend: false });
    outside.exec("insert into schema_migration values (100, 'changes what 11 reads', 0, 99)");
    await assert.rejects(migrate(database, { extend: false }), hasCode('SCHEMA_NEWER'));
  });

  it('write down which older programs a step leaves room for, in databases made before that was known as well', async (t) => {
    const path = join(temporaryFolder(t), 'a.db');
    using outside = outsideConnection(path);
    outside.exec(`create table schema_migration (Version int primary key, Name varchar(100), AppliedAt bigint);
      insert into schema_migration values (1, 'first', 0)`);
    const database = SqliteDatabase.open(path, clock);
    t.after(() => database.close());
    const step = (version: number, worksFrom?: number) => ({
      version,
      name: `step-${version}`,
      apply: async () => {},
      ...(worksFrom === undefined ? {} : { worksFrom }),
    });
    await migrate(database, { extend: false }, [step(1), step(2, 1)]);
    const rows = await database.reader.selectFrom('schema_migration').select(['Version', 'WorksFrom']).execute();
    assert.deepEqual(
      rows.map(({ Version, WorksFrom }) => [Version, WorksFrom]),
      [
        [1, null],
        [2, 1],
      ],
    );
    await migrate(database, { extend: false }, [step(1)]);
  });

  it('refuse a file that is no database and do not touch it', async (t) => {
    const { writeFileSync, readFileSync } = await import('node:fs');
    const path = join(temporaryFolder(t), 'a.db');
    const content = 'a text file that somebody named .db\n'.repeat(100);
    writeFileSync(path, content);
    assert.throws(() => SqliteDatabase.open(path, clock), hasCode('DB_UNAVAILABLE'));
    assert.equal(readFileSync(path, 'utf8'), content);
  });
});

describe('a database made by the original platform', () => {
  const open = async (t: Parameters<typeof temporaryFolder>[0], extend: boolean) => {
    const path = join(temporaryFolder(t), 'a.db');
    using outside = outsideConnection(path);
    outside.exec(PLATFORM_SCHEMA);
    const database = SqliteDatabase.open(path, clock);
    await migrate(database, { extend });
    const log = new RecordingLog();
    const store = new SqlTenantStore(database, { tenant: TENANT, clock, ids, log });
    t.after(() => store.close());
    return { store, log };
  };
  const columns = async (store: SqlTenantStore) =>
    (await store.tables.describe('diy_queue_receive'))?.columns.map(({ name }) => name) ?? [];

  it('is read as it is, with the defaults for our columns', async (t) => {
    const { store } = await open(t, false);
    assert.ok(!(await columns(store)).includes('Inbox'));
    const { bindings, refusals } = await store.bindings.readAll();
    assert.deepEqual(
      bindings.map(({ physicalQueue, retries, retryCount, inbox, prefetch }) => [
        physicalQueue,
        retries,
        retryCount,
        inbox,
        prefetch,
      ]),
      [['microi.tenant_a.orders', true, 2, true, 1]],
    );
    assert.deepEqual(
      refusals.map(({ id, queue, error }) => [id, queue, error.code]),
      [['2', 'bad', 'BINDING_INVALID']],
    );
    const engine = await store.engines.find('order-save');
    assert.deepEqual([engine?.key, engine?.source, engine?.enabled], ['Order-Save', 'return { Code: 1 };', true]);
  });

  it('gets log rows without the columns it lacks', async (t) => {
    const { store, log } = await open(t, false);
    store.journal.sysLog({ type: 'console', title: 't', content: 'c', level: 1, eventId: 'e1', runId: 'R1' });
    await store.journal.flush();
    assert.deepEqual(log.lines, []);
    assert.equal(await store.tables.count({ table: 'sys_log', where: [], includeDeleted: false }), 1);
    assert.deepEqual((await store.journal.story('e1')).sysLog, []);
  });

  it('gets our columns only when asked to, and refuses pushed bindings before that', async (t) => {
    const engine = { key: 'k', name: 'k', source: 'return 1;', version: 'v' };
    const { store } = await open(t, false);
    const { bindings } = await store.bindings.readAll();
    const push = { engines: [engine], bindings, prune: false, dryRun: false };
    await assert.rejects(store.push(push), /migrate --extend/);
    const extended = (await open(t, true)).store;
    assert.ok((await columns(extended)).includes('Inbox'));
    const report = await extended.push(push);
    assert.deepEqual([report.added, report.unchanged], [['engine k'], ['queue orders (bound by hand)']]);
  });
});
