/** Tables and fields that scripts make, and what the designer stored about them, on both databases. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { DATABASES, openPatternHost, run } from './pattern-host.ts';

const text = (name: string) => ({ name, type: 'varchar(200)', unique: false });

const DESIGNER = [
  { name: 'diy_table', fields: ['Name', 'Description'].map(text), rows: [] },
  {
    name: 'diy_field',
    fields: ['TableId', 'TableName', 'Name', 'Label', 'Type', 'Component', 'Config', 'Data'].map(text),
    rows: [],
  },
  {
    name: 'sys_menu',
    fields: ['Name', 'ModuleEngineKey'].map(text),
    rows: [{ Id: 'm1', Name: 'Orders', ModuleEngineKey: 'orders' }],
  },
];

const SCRIPTS = {
  'call.js': `return { Code: 1, Data: V8.FormEngine[V8.Param.Method].apply(null, V8.Param.Args) };`,
  'inside.js': `
    V8.FormEngine.AddFormData('plain', { Title: 'a' }, V8.DbTrans);
    return { Code: 1, Data: [V8.FormEngine.AddTable({ Name: 'late' }), V8.FormEngine.AddField({ TableName: 'plain', Name: 'B', Type: 'int' })] };`,
  'passed.js': `return { Code: 1, Data: V8.FormEngine.AddTable({ Name: 'late' }, V8.DbTrans) };`,
  'message.js': `/** @queue work */
    var made = V8.FormEngine.AddTable({ Name: 'late' });
    return V8.FormEngine.AddFormData('plain', { Title: made.ReasonCode });`,
};

const PLAIN = [{ Name: 'plain', Fields: [{ Name: 'Title', Type: 'varchar(50)' }] }];

for (const [name, urlOf] of DATABASES) {
  describe(`tables made by scripts on ${name}`, () => {
    async function open(t: TestContext, designed = true) {
      const host = await openPatternHost(t, urlOf, SCRIPTS, PLAIN);
      if (designed) await host.store.createTables(DESIGNER);
      const call = async (Method: string, ...Args: unknown[]) => (await run(host, 'call', { Method, Args })).Data;
      return { host, call };
    }

    it('makes a table and its fields with the designer’s rows, and takes rows at once', async (t) => {
      const { host, call } = await open(t);
      const made = await call('AddTable', { Name: 'diy_car', Description: 'Cars' });
      assert.equal(made.Code, 1, made.Msg);
      const fields = [
        { Name: 'Plate', Type: 'varchar(10)', Label: 'Plate', Component: 'Text' },
        { Name: 'Seats', Type: 'int', Label: 'Seats', Component: 'NumberText' },
        { Name: 'Price', Type: 'decimal(18,2)' },
        { Name: 'Line', Component: 'Divider' },
      ];
      for (const field of fields) assert.equal((await call('AddField', { TableId: made.Data.Id, ...field })).Code, 1);
      const added = await call('AddFormData', 'diy_car', { Plate: 'A1', Seats: '4', Price: '1.5' });
      assert.deepEqual([added.Data.Plate, added.Data.Seats, added.Data.Price, added.Data.IsDeleted], ['A1', 4, 1.5, 0]);
      assert.equal((await call('GetDiyTable', 'diy_car')).Data.Description, 'Cars');
      const rows = (await host.rows('diy_field')).map(
        (row) => `${row.TableId === made.Data.Id} ${row.TableName} ${row.Name} ${row.Component}`,
      );
      assert.deepEqual(rows.sort(), [
        'true diy_car Line Divider',
        'true diy_car Plate Text',
        'true diy_car Price null',
        'true diy_car Seats NumberText',
      ]);
      assert.equal((await call('AddTable', { Name: 'DIY_car' })).ReasonCode, 'TABLE_EXISTS');
      assert.equal(
        (await call('AddField', { TableName: 'diy_car', Name: 'plate', Type: 'int' })).ReasonCode,
        'COLUMN_EXISTS',
      );
    });

    it('changes what the designer says, and lets a column hold more but never less', async (t) => {
      const { host, call } = await open(t);
      await call('AddTable', { Name: 'car' });
      const field = await call('AddField', { TableName: 'car', Name: 'Plate', Type: 'varchar(5)', Label: 'old' });
      await call('AddFormData', 'car', { Plate: '12345' });
      assert.equal(
        (await call('UptField', { TableName: 'car', Name: 'plate', Label: 'new', Type: 'varchar(60)' })).Code,
        1,
      );
      assert.equal((await call('AddFormData', 'car', { Plate: 'x'.repeat(60) })).Code, 1);
      assert.equal((await call('UptField', { Id: field.Data.Id, Type: 'longtext', Label: 'newer' })).Code, 1);
      assert.equal((await host.rows('diy_field'))[0]?.Label, 'newer');
      assert.equal((await call('AddFormData', 'car', { Plate: 'y'.repeat(20_000) })).Code, 1);
      for (const Type of ['int', 'datetime']) {
        assert.equal(
          (await call('UptField', { TableName: 'car', Name: 'Plate', Type })).ReasonCode,
          'COLUMN_TYPE',
          Type,
        );
      }
      assert.equal(
        (await call('UptField', { TableName: 'car', Name: 'None', Label: 'x' })).ReasonCode,
        'COLUMN_UNKNOWN',
      );
      assert.equal((await call('GetTableDataCount', 'car')).DataCount, 3);
    });

    it('refuses names that are reserved, taken or the platform’s, and names the rule', async (t) => {
      const { call } = await open(t, false);
      const tables = ['select', '1st', 'a b', 'x'.repeat(61), 'sys_user', 'diy_table', 'mq_inbox', 'sys_apiengine'];
      for (const Name of tables) {
        const { Code, ReasonCode, Msg } = await call('AddTable', { Name, _Lang: 'en' });
        assert.deepEqual([Code, ReasonCode], [0, 'PARAM_INVALID'], Name);
        assert.match(Msg, /TableName is invalid: \S/);
      }
      for (const Name of ['Id', 'UserName', 'OsClient', 'TableId', '_x', 'order', 'y'.repeat(31)]) {
        const refused = await call('AddField', { TableName: 'plain', Name, Type: 'int' });
        assert.equal(refused.ReasonCode, 'PARAM_INVALID', Name);
      }
      for (const Type of ['blob', 'varchar', 'varchar(0)', 'int; drop table plain', 'decimal(2,3)', 'enum(1)']) {
        assert.equal(
          (await call('AddField', { TableName: 'plain', Name: 'A', Type })).ReasonCode,
          'PARAM_INVALID',
          Type,
        );
      }
      assert.equal((await call('AddField', { TableName: 'plain', Name: 'A' })).ReasonCode, 'PARAM_MISSING');
      const label = { TableName: 'plain', Name: 'A', Type: 'int', Label: 'l'.repeat(61) };
      assert.match((await call('AddField', label)).Msg, /Label/);
      assert.equal(
        (await call('AddField', { TableName: 'sys_log', Name: 'A', Type: 'int' })).ReasonCode,
        'TABLE_READ_ONLY',
      );
      assert.equal(
        (await call('AddField', { TableName: 'v8host_user', Name: 'A', Type: 'int' })).ReasonCode,
        'TABLE_UNKNOWN',
      );
      assert.equal((await call('AddTable', { Name: 'mine', OsClient: 'other' })).ReasonCode, 'TENANT_MISMATCH');
    });

    it('changes nothing in a platform transaction, a run of a message or with V8.DbTrans', async (t) => {
      const { host } = await open(t, false);
      const inside = (await run(host, 'inside')).Data.map((answer: { ReasonCode: string }) => answer.ReasonCode);
      assert.deepEqual(inside, ['TABLE_IN_TRANSACTION', 'TABLE_IN_TRANSACTION']);
      assert.equal((await run(host, 'passed')).Data.ReasonCode, 'TABLE_IN_TRANSACTION');
      const trial = await host.host.services.tryMessage(
        'demo',
        { queue: 'work', messageJson: '{}', allowHttp: false },
        'en',
      );
      assert.equal(trial.tables?.[0]?.inserted[0]?.Title, 'TABLE_IN_TRANSACTION');
      assert.equal(await host.store.tables.describe('late'), undefined);
    });

    it('registers a table that is there without the designer, once', async (t) => {
      const { call } = await open(t);
      const first = await call('LoadNotDiyTable', { TableName: 'plain' });
      assert.deepEqual([first.Code, first.DataCount], [1, 7]);
      assert.deepEqual([(await call('LoadNotDiyTable', { TableName: 'PLAIN' })).DataCount], [0]);
      assert.equal((await call('GetDiyTable', first.Data.Id)).Data.Name, 'plain');
      assert.equal((await call('LoadNotDiyTable', { TableName: 'sys_config' })).ReasonCode, 'TABLE_READ_ONLY');
    });

    it('gives menus by Id and key, and the options of fields', async (t) => {
      const { call } = await open(t);
      for (const key of ['m1', 'Orders']) assert.equal((await call('GetSysMenu', key)).Data.Name, 'Orders');
      assert.deepEqual([(await call('GetSysMenuModel', 'none')).Code], [2]);
      assert.equal((await call('GetSysMenu', 'm1', 'other')).ReasonCode, 'TENANT_MISMATCH');
      const table = { TableName: 'plain' };
      const config = (value: unknown) => JSON.stringify(value);
      await call('AddField', { ...table, Name: 'A', Type: 'varchar(9)', Data: '["x","y"]' });
      await call('AddField', {
        ...table,
        Name: 'B',
        Type: 'varchar(9)',
        Config: config({ KeyValueList: [{ Key: 1, Value: 'one' }] }),
      });
      await call('AddField', { ...table, Name: 'C', Type: 'varchar(9)', Config: config({ Sql: 'select 1' }) });
      assert.deepEqual((await call('GetFieldData', { ...table, Name: 'a' })).Data, ['x', 'y']);
      assert.deepEqual((await call('GetFieldData', { ...table, FieldName: 'B' })).Data, [{ Key: 1, Value: 'one' }]);
      assert.match((await call('GetFieldData', { ...table, Name: 'C' })).Msg, /SQL/);
      assert.equal((await call('GetFieldData', { ...table, Name: 'D' })).ReasonCode, 'COLUMN_UNKNOWN');
      assert.equal((await call('GetFieldData', { Name: 'A' })).ReasonCode, 'PARAM_MISSING');
    });
  });
}
