import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { MysqlAddress } from '../../../src/adapters/sql/address-mysql.ts';
import { MysqlDatabase } from '../../../src/adapters/sql/database-mysql.ts';
import { migrate } from '../../../src/adapters/sql/migrate.ts';
import type { SqlTenantStore } from '../../../src/adapters/sql/tenant-store.ts';
import { draftColumns, NEW_BINDING } from '../../../src/core/binding-draft.ts';
import { type FreshDatabase, freshDatabase } from '../../support/services/fresh-database.ts';
import { sqlAsAdmin } from '../../support/services/mariadb.ts';
import { POOLS, storeOver } from './mysql-place.ts';
import { hasCode } from './mysql-shop.ts';
import { RecordingLog } from './sqlite-place.ts';

const FIXED = `Id varchar(36) primary key, CreateTime datetime, UpdateTime datetime, UserId varchar(36),
  UserName varchar(255), IsDeleted int`;

/** Tables as the original platform shipped them: none of our columns, flags as bits, no rules on collation. */
const platformSchema = (charset: string) => `
  create table diy_queue_receive (${FIXED}, QueueName varchar(200), Type int, ApiEngineKey varchar(50),
    FailToReject varchar(10) character set utf8mb3, \`Count\` int, DllName varchar(255), ClassName varchar(255),
    MethodName varchar(255), RizhiXX text) engine=InnoDB default charset=${charset};
  create table diy_queue_receive_log (${FIXED}, Type varchar(10), QueueName varchar(255), Message longtext,
    SendTime varchar(25), ReceiveTime varchar(25), CompleteTime varchar(25), Status varchar(10), StatusInfo text,
    MessageId varchar(128)) engine=InnoDB default charset=${charset};
  create table sys_apiengine (${FIXED}, ApiName varchar(255), ApiEngineKey varchar(50), ApiV8Code mediumtext,
    IsEnable bit(1), StopHttp bit(1)) engine=InnoDB default charset=${charset};
  create table sys_log (${FIXED}, Type varchar(255), Title varchar(255), Content text) engine=InnoDB default charset=${charset};
  create table crm_customer (${FIXED}, Name varchar(50), Vip bit(1), Rate decimal(18,4), Big bigint, Born date)
    engine=InnoDB default charset=${charset};
  insert into diy_queue_receive (Id, QueueName, Type, ApiEngineKey, FailToReject, \`Count\`, IsDeleted)
    values ('1', 'orders', 1, 'Order-Save', '是', 2, null), ('2', 'bad', 7, 'Order-Save', '否', 0, 0),
      ('3', 'gone', 1, 'k', '否', 0, 1);
  insert into sys_apiengine (Id, ApiName, ApiEngineKey, ApiV8Code, IsEnable, StopHttp)
    values ('1', 'Save', 'Order-Save', 'cmV0dXJuIHsgQ29kZTogMSB9Ow==', b'1', b'0'),
      ('2', 'Off', 'Off', 'cmV0dXJuIHsgQ29kZTogMSB9Ow==', b'0', b'1');
  insert into crm_customer values ('1', '2026-01-02 03:04:05', null, '', '', 0, 'Smith', b'1', 1.5000, 9007199254740993, '2000-01-02');
`;

async function openPlatform(t: TestContext, charset: string) {
  const schema = await freshDatabase({ charset });
  await sqlAsAdmin(schema.adminUrl, `use ${schema.name}; ${platformSchema(charset)}`);
  const before = await definitions(schema);
  const open = async (extend: boolean) => {
    const database = await MysqlDatabase.open(MysqlAddress.parse(schema.url), {
      pools: POOLS,
      timeZone: 'Asia/Shanghai',
    });
    await migrate(database, { extend });
    const log = new RecordingLog();
    const store = storeOver(database, log);
    t.after(() => store.close());
    return { store, log };
  };
  return { schema, before, open };
}

/** Columns of the platform's tables, in a comparable form. */
async function definitions({ adminUrl, name }: FreshDatabase): Promise<string[]> {
  const rows = await sqlAsAdmin(
    adminUrl,
    `select concat_ws(' ', table_name, column_name, column_type, collation_name) as text from information_schema.columns
     where table_schema = '${name}' and table_name in ('diy_queue_receive', 'diy_queue_receive_log', 'sys_apiengine', 'sys_log')
     order by table_name, ordinal_position`,
  );
  return rows.map(({ text }) => String(text));
}

const columns = async (store: SqlTenantStore) =>
  (await store.tables.describe('diy_queue_receive'))?.columns.map(({ name }) => name) ?? [];

for (const charset of ['latin1', 'utf8mb3', 'utf8mb4']) {
  describe(`a schema made by the original platform in ${charset}`, () => {
    it('is read as it is, with the defaults for our columns, and stays as it is', async (t) => {
      const { schema, before, open } = await openPlatform(t, charset);
      const { store } = await open(false);
      const { bindings, refusals } = await store.bindings.readAll();
      assert.deepEqual(
        bindings.map((row) => [row.physicalQueue, row.retries, row.retryCount, row.inbox, row.prefetch]),
        [['microi.tenant_a.orders', true, 2, true, 1]],
      );
      assert.deepEqual(
        refusals.map(({ id, queue, error }) => [id, queue, error.code]),
        [['2', 'bad', 'BINDING_INVALID']],
      );
      const engine = await store.engines.find('ORDER-save');
      assert.deepEqual([engine?.key, engine?.source, engine?.enabled], ['Order-Save', 'return { Code: 1 };', true]);
      const off = await store.engines.find('off');
      assert.deepEqual([off?.enabled, off?.stopHttp], [false, true]);
      assert.deepEqual(await definitions(schema), before);
    });

    it('shows its rows to scripts with bits, decimals, large integers and dates as scripts know them', async (t) => {
      const { open } = await openPlatform(t, charset);
      const { store } = await open(false);
      const query = { table: 'CRM_Customer', where: [], includeDeleted: false, sort: [], limit: 10, offset: 0 };
      const select = ['CreateTime', 'Name', 'Vip', 'Rate', 'Big', 'Born'];
      const [row] = await store.tables.select({ ...query, columns: select });
      assert.deepEqual(row, {
        CreateTime: '2026-01-02 03:04:05',
        Name: 'Smith',
        Vip: 1,
        Rate: 1.5,
        Big: '9007199254740993',
        Born: '2000-01-02',
      });
      const kinds = (await store.tables.describe('crm_customer'))?.columns.map(({ name, kind }) => [name, kind]);
      assert.deepEqual(Object.fromEntries(kinds ?? []).Vip, 'boolean');
      await store.tables.update(query, { Vip: 0, Rate: 0.0001, Big: '-9007199254740993' });
      const [changed] = await store.tables.select({ ...query, columns: ['Vip', 'Rate', 'Big'] });
      assert.deepEqual(changed, { Vip: 0, Rate: 0.0001, Big: '-9007199254740993' });
    });

    it('gets log rows without the columns it lacks', async (t) => {
      const { open } = await openPlatform(t, charset);
      const { store, log } = await open(false);
      store.journal.sysLog({ type: 'console', title: 't', content: 'c', level: 1, eventId: 'e1', runId: 'R1' });
      await store.journal.flush();
      assert.deepEqual(log.lines, []);
      assert.equal(await store.tables.count({ table: 'sys_log', where: [], includeDeleted: false }), 1);
      assert.deepEqual((await store.journal.story('e1')).sysLog, []);
    });

    it('gets our columns only when asked to, and refuses pushed bindings before that', async (t) => {
      const engine = { key: 'k', name: 'k', source: 'return 1;', version: 'v' };
      const { open } = await openPlatform(t, charset);
      const { store } = await open(false);
      assert.ok(!(await columns(store)).includes('Inbox'));
      const { bindings } = await store.bindings.readAll();
      const push = { engines: [engine], bindings, prune: false, dryRun: false };
      await assert.rejects(store.push(push), hasCode('COLUMN_MISSING'));
      const extended = (await open(true)).store;
      assert.ok((await columns(extended)).includes('Inbox'));
      const report = await extended.push(push);
      assert.deepEqual([report.added, report.unchanged], [['engine k'], ['queue orders (bound by hand)']]);
      assert.equal((await extended.bindings.readAll()).bindings[0]?.inbox, true);
    });

    it('takes bindings made by hand as far as it has columns for what they say', async (t) => {
      const { open } = await openPlatform(t, charset);
      const { store } = await open(false);
      const audit = { actorKind: 'user', actorId: 'u', actorName: 'lin', address: '', action: 'binding.added' };
      const entry = { ...audit, target: 'new', before: null, after: null };
      const id = await store.bindings.add(draftColumns({ ...NEW_BINDING, queue: 'new', engineKey: 'k' }), entry);
      for (const lost of [{ enabled: false }, { prefetch: 2 }, { orderKey: 'Id' }, { inbox: false }]) {
        await assert.rejects(store.bindings.change(id, draftColumns(lost), entry), hasCode('COLUMN_MISSING'));
      }
      await store.bindings.change(id, draftColumns({ retryCount: 3 }), entry);
      const found = (await store.bindings.readAll()).bindings.find((binding) => binding.id === id);
      assert.deepEqual([found?.retries, found?.retryCount, found?.inbox], [true, 3, true]);
      await store.bindings.remove(id, entry);
      assert.equal((await store.bindings.list()).length, 2);
      assert.equal((await store.identity.audit.list({ target: 'new', limit: 9 })).length, 3);
    });
  });
}
