/** Unique values and automatic numbers as the designer's `diy_field` describes them, on the real host, both databases. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TableDefinition } from '../../src/ports/tenant-store.ts';
import { DATABASES, openPatternHost, run } from './pattern-host.ts';

const text = (name: string) => ({ name, type: 'varchar(200)', unique: false });

const field = (Name: string, more: Record<string, string | number>) => ({ Name, TableId: 't1', Config: '{}', ...more });

const TABLES: readonly TableDefinition[] = [
  { name: 'diy_table', fields: [text('Name')], rows: [{ Id: 't1', Name: 'bill' }] },
  {
    name: 'diy_field',
    fields: [...['TableId', 'Name', 'Component', 'Config'].map(text), { name: 'Unique', type: 'int', unique: false }],
    rows: [
      field('No', { Component: 'AutoNumber', Config: '{"AutoNumberFixed":"B-","AutoNumberLength":2}' }),
      field('Code', { Unique: 1 }),
      field('Shop', { Unique: 1, Config: '{"Unique":{"Type":"All"}}' }),
      field('Day', { Unique: 1, Config: '{"Unique":{"Type":"All"}}' }),
      field('Gone', { Unique: 1 }),
      field('PerShop', {
        Component: 'AutoNumber',
        Config: '{"AutoNumberFixed":"S","AutoNumberFields":["f-shop","Day"],"AutoNumber":{"DataRule":"NoDeleted"}}',
      }),
      field('Shop', { Id: 'f-shop' }),
    ],
  },
  { name: 'bill', fields: ['No', 'Code', 'Shop', 'Day', 'PerShop'].map(text), rows: [] },
];

const CALL = `return { Code: 1, Data: V8.FormEngine[V8.Param.Method]('bill', V8.Param.Row) };`;

const SAVE = `return V8.FormEngine.SaveBatch(V8.Param.Param);`;

for (const [name, urlOf] of DATABASES) {
  describe(`designed fields on ${name}`, () => {
    it('numbers new rows, keeps the numbers, and refuses values that another row has', async (t) => {
      const host = await openPatternHost(t, urlOf, { 'call.js': CALL }, []);
      await host.store.createTables(TABLES);
      const call = async (Method: string, Row: unknown) => (await run(host, 'call', { Method, Row })).Data;
      const add = (row: unknown) => call('AddFormData', row);
      const first = await add({ Id: 'a', Code: 'x', Shop: 's1', Day: 'mon' });
      assert.equal(first.Data.No, 'B-01');
      assert.equal((await add({ Id: 'b', Shop: 's1', Day: 'tue' })).Data.No, 'B-02');
      assert.equal((await add({ Id: 'c', No: 'B-99', Shop: 's2', Day: 'tue' })).Data.No, 'B-99');
      assert.equal((await add({ Id: 'd', Shop: 's3', Day: 'tue' })).Data.No, 'B-100');
      assert.equal((await add({ Id: 'e', Shop: 's4', Day: 'tue' })).Data.No, 'B-101');

      const same = await add({ Code: 'X', Shop: 's9', Day: 'mon' });
      assert.deepEqual([same.Code, same.ReasonCode, /Code/.test(same.Msg)], [0, 'ROW_NOT_UNIQUE', true]);
      assert.equal((await add({ Shop: 's1', Day: 'mon' })).ReasonCode, 'ROW_NOT_UNIQUE');
      const moved = await call('UptFormData', { Id: 'b', Day: 'mon' });
      assert.match(moved.Msg, /Shop, Day/);
      assert.equal((await call('UptFormData', { Id: 'a', Code: 'x', Day: 'mon' })).DataCount, 1, 'its own values');

      await call('UptFormData', { Id: 'a', No: 'B-77', Day: 'sun' });
      await call('UptFormDataByWhere', { No: 'B-78', _Where: [['Id', '=', 'b']] });
      await call('UptFormData', { Id: 'd', No: 'B-79', _ForceUpt: true });
      const rows = new Map((await host.rows('bill')).map((row) => [row.Id, `${row.No} ${row.Day}`]));
      assert.deepEqual([rows.get('a'), rows.get('b'), rows.get('d')], ['B-01 sun', 'B-02 tue', 'B-79 tue']);
    });

    it('numbers rows apart for each value of the columns that AutoNumberFields names, by Id or name', async (t) => {
      const host = await openPatternHost(t, urlOf, { 'call.js': CALL }, []);
      await host.store.createTables(TABLES);
      const call = async (Method: string, Row: unknown) => (await run(host, 'call', { Method, Row })).Data;
      const numberOf = async (Shop: string, Day: string) =>
        (await call('AddFormData', { Shop, Day: `${Day}`, Code: '' })).Data?.PerShop;
      assert.equal(await numberOf('s1', 'mon'), 'S1');
      await call('UptFormDataByWhere', { Day: 'old', _Where: [['Shop', '=', 's1']] });
      assert.equal(await numberOf('s1', 'mon'), 'S1', 'another day is another series');
      assert.equal(await numberOf('s2', 'mon'), 'S1');
      const again = await call('AddFormData', { Id: 'free', Shop: 's3', Day: '', PerShop: 'S7' });
      assert.equal(again.Data.PerShop, 'S7');
      await call('UptFormData', { Id: 'free', IsDeleted: 1 });
      assert.equal((await call('AddFormData', { Shop: 's3', Day: '' })).Data.PerShop, 'S1', 'NoDeleted frees S7');
    });

    it('keeps unique values in an update by condition, of one row, of several, and of part of a group', async (t) => {
      const host = await openPatternHost(t, urlOf, { 'call.js': CALL }, []);
      await host.store.createTables(TABLES);
      const call = async (Method: string, Row: unknown) => (await run(host, 'call', { Method, Row })).Data;
      for (const [Id, Code, Shop, Day] of [
        ['a', 'x', 's1', 'mon'],
        ['b', 'y', 's1', 'tue'],
        ['c', 'z', 's2', 'mon'],
      ])
        assert.equal((await call('AddFormData', { Id, Code, Shop, Day })).Code, 1);
      const where = async (values: object, ...conditions: unknown[]) => {
        const answer = await call('UptFormDataByWhere', { ...values, _Where: conditions });
        return answer.ReasonCode ?? answer.DataCount;
      };
      assert.equal(await where({ Code: 'X' }, ['Id', '=', 'b']), 'ROW_NOT_UNIQUE', 'another row has it');
      assert.equal(await where({ Code: 'new' }, ['Shop', '=', 's1']), 'ROW_NOT_UNIQUE', 'two rows would have it');
      assert.equal(await where({ Code: 'x' }, ['Id', '=', 'a']), 1, 'its own value');
      assert.equal(await where({ Day: 'mon' }, ['Id', '=', 'b']), 'ROW_NOT_UNIQUE', 's1, mon is taken');
      assert.equal(await where({ Shop: 's9' }, ['Day', '=', 'mon']), 'ROW_NOT_UNIQUE', 'two rows would be s9, mon');
      assert.equal(await where({ Shop: 's9' }, ['Shop', '=', 's1']), 2, 'mon and tue stay apart');
      assert.equal(await where({ Code: '' }, ['Code', '<>', 'none']), 3, 'blank values are not compared');
    });

    it('saves new and changed rows together or not at all', async (t) => {
      const host = await openPatternHost(t, urlOf, { 'call.js': CALL, 'save.js': SAVE }, []);
      await host.store.createTables(TABLES);
      const save = (Param: unknown) => run(host, 'save', { Param });
      const saved = await save({
        FormEngineKey: 'bill',
        AddList: [{ _FormData: { Id: 'a', Code: 'x', Shop: 's1' } }, { Id: 'b', FormEngineKey: 'BILL', Shop: 's2' }],
        UptList: [{ Id: 'a', _FormData: { Day: 'mon' }, _DataLog: '[]' }],
      });
      assert.deepEqual([saved.Code, saved.Data, saved.DataCount], [1, ['a', 'b'], 3]);
      const torn = await save({
        FormEngineKey: 'bill',
        AddList: [{ Id: 'c', Shop: 's3' }],
        UptList: [{ Id: 'b', Code: 'X' }],
      });
      assert.deepEqual([torn.Code, torn.ReasonCode, torn.DataAppend.RowIndex], [0, 'ROW_NOT_UNIQUE', 1]);
      assert.match(torn.Msg, /^row 2: /);
      assert.deepEqual((await host.rows('bill')).map(({ Id }) => Id).sort(), ['a', 'b']);
      assert.equal((await save({ FormEngineKey: 'bill' })).ReasonCode, 'PARAM_INVALID');
      assert.equal((await save({ OsClient: 'other', AddList: [{}] })).ReasonCode, 'TENANT_MISMATCH');
    });
  });
}
