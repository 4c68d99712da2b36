import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Row } from '../../src/ports/table-store.ts';
import { HOST_CALLS } from '../../src/v8-api/host-calls.ts';
import { NOW_TEXT, ScriptRun, TRANS } from '../support/script-run.ts';
import { SqliteTables } from '../support/sqlite-tables.ts';

const ADD = 'FormEngine.AddFormData';
const UPT = 'FormEngine.UptFormData';
const UPT_WHERE = 'FormEngine.UptFormDataByWhere';
const DEL = 'FormEngine.DelFormData';
const DEL_WHERE = 'FormEngine.DelFormDataByWhere';

const OLD = '2020-01-01 00:00:00';

interface Opened {
  readonly run: ScriptRun;
  readonly tables: SqliteTables;
  rows(): readonly Row[];
}

function open(options: { user?: { id: string; name: string } } = {}): Opened {
  const tables = new SqliteTables({
    shop_stock: {
      columns: {
        Sku: 'text',
        Stock: 'integer',
        Price: 'decimal',
        Open: 'boolean',
        Counted: 'datetime',
        TableId: 'text',
      },
      unique: ['Sku'],
      rows: [
        { Id: 'a', Sku: 'P-1', Stock: 5, UpdateTime: OLD, IsDeleted: 0 },
        { Id: 'b', Sku: 'P-2', Stock: 7, UpdateTime: OLD, IsDeleted: 0 },
        { Id: 'd', Sku: 'P-4', Stock: 5, UpdateTime: OLD, IsDeleted: 1 },
      ],
    },
    sys_log: { columns: { Title: 'text' } },
    foreign_table: { bare: true, columns: { Code: 'text' }, rows: [{ Code: 'x' }] },
    numbered: { bare: true, columns: { Id: 'integer', Name: 'text' } },
  });
  return { run: new ScriptRun({ tables: tables.store, ...options }), tables, rows: () => tables.rows('shop_stock') };
}

function rowOf(opened: Opened, id: string): Row {
  return opened.rows().find((row) => row.Id === id) ?? assert.fail(`row ${id} is gone`);
}

describe('AddFormData', () => {
  it('answers the whole stored row with the fixed columns filled in', async () => {
    const opened = open({ user: { id: 'u-1', name: '张三' } });
    const result = await opened.run.result(ADD, 'shop_stock', { Sku: 'P-9', Stock: 3 });
    assert.equal(result.Code, 1);
    assert.deepEqual(result.Data, {
      Id: '01TEST00000000000000000001',
      CreateTime: NOW_TEXT,
      UpdateTime: NOW_TEXT,
      UserId: 'u-1',
      UserName: '张三',
      IsDeleted: 0,
      Sku: 'P-9',
      Stock: 3,
      Price: null,
      Open: null,
      Counted: null,
      TableId: null,
    });
    assert.deepEqual(opened.rows().at(-1), result.Data);
  });

  it('leaves the user empty in a run without one', async () => {
    const { run } = open();
    const row = (await run.result(ADD, 'shop_stock', { Sku: 'P-9' })).Data as Row;
    assert.equal(row.UserId, '');
    assert.equal(row.UserName, '');
  });

  it('keeps fixed columns that the script gives', async () => {
    const { run } = open({ user: { id: 'u-1', name: 'n' } });
    const given = { Id: 'mine', CreateTime: OLD, UpdateTime: OLD, UserId: 'u-2', UserName: '', IsDeleted: 1 };
    const row = (await run.result(ADD, 'shop_stock', { Sku: 'P-9', ...given })).Data as Row;
    for (const [name, value] of Object.entries(given)) assert.equal(row[name], value, name);
  });

  it('makes an Id when it is blank text', async () => {
    const { run } = open();
    const row = (await run.result(ADD, 'shop_stock', { Id: '', Sku: 'P-9', CreateTime: '' })).Data as Row;
    assert.match(String(row.Id), /^01TEST/);
    assert.equal(row.CreateTime, NOW_TEXT);
  });

  it('takes values flat, in _FormData and in _RowModel, names in any case', async () => {
    for (const param of [
      { sku: 'P-9', STOCK: 3 },
      { _FormData: { Sku: 'P-9', Stock: 3 } },
      { _RowModel: { Sku: 'P-9', Stock: 3 } },
    ]) {
      const row = (await open().run.result(ADD, { FormEngineKey: 'shop_stock', ...param })).Data as Row;
      assert.equal(row.Sku, 'P-9');
      assert.equal(row.Stock, 3);
    }
  });

  it('lets _FormData win over the flat form', async () => {
    const { run } = open();
    const row = (await run.result(ADD, 'shop_stock', { Sku: 'flat', _FormData: { Sku: 'nested' } })).Data as Row;
    assert.equal(row.Sku, 'nested');
  });

  it('drops keys that are no columns and those of _NotSaveField', async () => {
    const { run } = open();
    const param = { Sku: 'P-9', Stock: 3, Colour: 'red', OsClient: 'acme', _NotSaveField: ['stock'] };
    const result = await run.result(ADD, 'shop_stock', param);
    assert.equal(result.Code, 1);
    assert.equal((result.Data as Row).Stock, null);
    assert.equal(Object.hasOwn(result.Data as Row, 'Colour'), false);
  });

  it('writes a column called TableId when the table is named otherwise', async () => {
    const { run } = open();
    const byName = (await run.result(ADD, 'shop_stock', { Sku: 'P-8', TableId: 't' })).Data as Row;
    assert.equal(byName.TableId, 't');
    const byKey = (await run.result(ADD, { FormEngineKey: 'shop_stock', Sku: 'P-9', TableId: 't' })).Data as Row;
    assert.equal(byKey.TableId, 't');
  });

  it('answers Code 0 naming the field on a unique violation', async () => {
    const result = await open().run.result(ADD, 'shop_stock', { Sku: 'P-1' });
    assert.equal(result.Code, 0);
    assert.equal(result.ReasonCode, 'ROW_NOT_UNIQUE');
    assert.match(String(result.Msg), /shop_stock.*Sku/);
  });

  it('refuses a table that scripts only read', async () => {
    const result = await open().run.result(ADD, 'sys_log', { Title: 'forged' });
    assert.equal(result.ReasonCode, 'TABLE_READ_ONLY');
  });

  it('adds to tables without the fixed columns, and lets one number its rows itself', async () => {
    const { run, tables } = open();
    assert.deepEqual((await run.result(ADD, 'foreign_table', { Code: 'y' })).Data, { Code: 'y' });
    assert.equal((await run.result(ADD, 'numbered', { Name: 'n' })).Code, 1);
    assert.deepEqual(tables.rows('numbered'), [{ Id: null, Name: 'n' }]);
  });

  it('joins the transaction on request', async () => {
    const { run } = open();
    await run.result(ADD, 'shop_stock', { Sku: 'P-9' }, TRANS);
    assert.deepEqual(run.joined, [true]);
  });
});

describe('column values', () => {
  const stored: readonly [field: string, given: unknown, kept: unknown][] = [
    ['Open', true, 1],
    ['Open', false, 0],
    ['Open', 'true', 1],
    ['Open', '0', 0],
    ['Open', '', null],
    ['Stock', true, 1],
    ['Stock', '12', 12],
    ['Stock', '9007199254740993', '9007199254740993'],
    ['Stock', ' ', null],
    ['Stock', 'null', null],
    ['Price', 1.25, 1.25],
    ['Price', '-1.250', -1.25],
    ['Price', '', null],
    ['Counted', '2026-01-02 03:04:05', '2026-01-02 03:04:05'],
    ['Counted', '2026/1/2', '2026-01-02 00:00:00'],
    ['Counted', '2026-01-02T03:04:05Z', NOW_TEXT],
    ['Counted', ' ', null],
    ['TableId', 12, '12'],
    ['TableId', 1.5, '1.5'],
    ['TableId', true, '1'],
    ['TableId', '', ''],
    ['TableId', '2026-01-02', '2026-01-02'],
    ['TableId', null, null],
  ];
  for (const [field, given, kept] of stored) {
    it(`stores ${JSON.stringify(given)} in ${field} as ${JSON.stringify(kept)}`, async () => {
      const opened = open();
      const result = await opened.run.result(UPT, 'shop_stock', { Id: 'a', [field]: given });
      assert.equal(result.Code, 1, String(result.Msg));
      assert.equal(rowOf(opened, 'a')[field], kept);
    });
  }

  const refused: readonly [field: string, given: unknown, rule: RegExp][] = [
    ['TableId', { a: 1 }, /JSON\.stringify/],
    ['TableId', [], /JSON\.stringify/],
    ['Counted', 'tomorrow', /日期列/],
    ['Counted', 5, /日期列/],
    ['TableId', {}, /JSON\.stringify/],
    ['Stock', 'many', /整数/],
    ['Stock', 2.5, /整数/],
    ['Stock', '1,000', /整数/],
    ['Price', '1e3', /数字/],
    ['Price', '1,5', /数字/],
    ['Open', 'perhaps', /true/],
  ];
  for (const [field, given, rule] of refused) {
    it(`refuses ${JSON.stringify(given)} for ${field}, naming it`, async () => {
      const opened = open();
      const result = await opened.run.result(UPT, 'shop_stock', { Id: 'a', [field]: given });
      assert.equal(result.Code, 0);
      assert.equal(result.ReasonCode, 'PARAM_INVALID');
      assert.match(String(result.Msg), new RegExp(field));
      assert.match(String(result.Msg), rule);
      assert.equal(rowOf(opened, 'a').UpdateTime, OLD);
    });
  }

  it('refuses NaN and Infinity should they ever reach the host', async () => {
    for (const Price of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const { run } = open();
      const result = await HOST_CALLS[ADD](run.context, ['shop_stock', { Sku: 'P-9', Price }]);
      assert.match(JSON.stringify(result), /"PARAM_INVALID"/);
      assert.match(JSON.stringify(result), /Price/);
    }
  });

  it('refuses one column given twice in different case', async () => {
    const result = await open().run.result(ADD, 'shop_stock', { Sku: 'P-8', sku: 'P-9' });
    assert.equal(result.ReasonCode, 'PARAM_INVALID');
    assert.match(String(result.Msg), /sku/);
  });
});

describe('UptFormData', () => {
  it('writes only the given columns, refreshes UpdateTime and counts the row', async () => {
    const opened = open();
    const result = await opened.run.result(UPT, 'shop_stock', { Id: 'a', Stock: 4, UpdateTime: OLD });
    assert.deepEqual(result, { Code: 1, Data: null, Msg: null, DataCount: 1 });
    assert.deepEqual({ ...rowOf(opened, 'a') }, { ...rowOf(open(), 'a'), Stock: 4, UpdateTime: NOW_TEXT });
    assert.equal(rowOf(opened, 'b').Stock, 7);
  });

  it('answers Code 1 with DataCount 0 when the row is absent', async () => {
    const result = await open().run.result(UPT, 'shop_stock', { Id: 'nobody', Stock: 1 });
    assert.deepEqual(result, { Code: 1, Data: null, Msg: null, DataCount: 0 });
  });

  it('answers Code 0 without an Id and writes nothing', async () => {
    for (const param of [{ Stock: 1 }, { Id: '', Stock: 1 }, { Id: null, Stock: 1, _Where: [['Sku', '=', 'P-1']] }]) {
      const opened = open();
      const result = await opened.run.result(UPT, 'shop_stock', param);
      assert.equal(result.Code, 0);
      assert.equal(result.ReasonCode, 'PARAM_MISSING');
      assert.match(String(result.Msg), /Id/);
      assert.deepEqual(opened.rows(), open().rows());
    }
  });

  it('takes the Id from _FormData too', async () => {
    const opened = open();
    await opened.run.result(UPT, 'shop_stock', { _FormData: { Id: 'a', Stock: 1 } });
    assert.equal(rowOf(opened, 'a').Stock, 1);
  });

  it('ignores _Where as the platform does, but tells the author', async () => {
    const opened = open();
    const param = { Id: 'a', Stock: 1, _Where: [['Stock', '=', 99]] };
    assert.equal((await opened.run.result(UPT, 'shop_stock', param)).DataCount, 1);
    assert.match(opened.run.consoleLines[0] ?? '', /^warn: .*UptFormDataByWhere/);
  });

  it('reaches a row in the recycle bin, so that it can be restored', async () => {
    const opened = open();
    assert.equal((await opened.run.result(UPT, 'shop_stock', { Id: 'd', IsDeleted: 0 })).DataCount, 1);
    assert.equal(rowOf(opened, 'd').IsDeleted, 0);
  });

  it('inserts the row instead when _NoLineForAdd is set and no row matched', async () => {
    const opened = open();
    const result = await opened.run.result(UPT, 'shop_stock', { Id: 'n', Sku: 'P-9', _NoLineForAdd: true });
    assert.equal(result.DataCount, 1);
    assert.equal((result.Data as Row).Id, 'n');
    assert.equal(rowOf(opened, 'n').CreateTime, NOW_TEXT);
    const again = await opened.run.result(UPT, 'shop_stock', { Id: 'n', Stock: 2, _NoLineForAdd: true });
    assert.equal(again.DataCount, 1);
    assert.equal(opened.rows().length, 4);
  });

  it('answers Code 0 on a unique violation', async () => {
    const result = await open().run.result(UPT, 'shop_stock', { Id: 'a', Sku: 'P-2' });
    assert.equal(result.ReasonCode, 'ROW_NOT_UNIQUE');
  });
});

describe('UptFormDataByWhere', () => {
  it('updates the matching rows only: a stock that moved meanwhile is not overwritten', async () => {
    const opened = open();
    const take = {
      Stock: 4,
      _Where: [
        ['Sku', '=', 'P-1'],
        ['Stock', '=', 5],
      ],
    };
    assert.equal((await opened.run.result(UPT_WHERE, 'shop_stock', take)).DataCount, 1);
    assert.equal((await opened.run.result(UPT_WHERE, 'shop_stock', take)).DataCount, 0);
    assert.equal(rowOf(opened, 'a').Stock, 4);
  });

  it('leaves the recycle bin alone unless _IsContainDeleted asks for it', async () => {
    const opened = open();
    const param = { Stock: 1, _Where: [['Stock', '=', 5]] };
    assert.equal((await opened.run.result(UPT_WHERE, 'shop_stock', param)).DataCount, 1);
    const all = await open().run.result(UPT_WHERE, 'shop_stock', { ...param, _IsContainDeleted: true });
    assert.equal(all.DataCount, 2);
  });

  it('inserts with _NoLineForAdd when nothing matched', async () => {
    const opened = open();
    const param = { Id: 'n', Sku: 'P-9', Stock: 1, _Where: [['Sku', '=', 'P-9']], _NoLineForAdd: true };
    assert.equal((await opened.run.result(UPT_WHERE, 'shop_stock', param)).DataCount, 1);
    assert.equal((await opened.run.result(UPT_WHERE, 'shop_stock', { ...param, Stock: 2 })).DataCount, 1);
    assert.equal(rowOf(opened, 'n').Stock, 2);
  });
});

describe('DelFormData', () => {
  it('deletes the rows of Id and Ids and counts them', async () => {
    const opened = open();
    assert.equal((await opened.run.result(DEL, 'shop_stock', { Id: 'a' })).DataCount, 1);
    const result = await opened.run.result(DEL, 'shop_stock', { Ids: ['b', 'nobody'], Id: 'd' });
    assert.deepEqual(result, { Code: 1, Data: null, Msg: null, DataCount: 2 });
    assert.deepEqual(opened.rows(), []);
  });

  it('answers Code 1 with DataCount 0 when the row is absent', async () => {
    const opened = open();
    assert.equal((await opened.run.result(DEL, 'shop_stock', { Id: 'nobody' })).DataCount, 0);
    assert.equal((await opened.run.result(DEL, 'shop_stock', { Ids: [] })).DataCount, 0);
    assert.equal(opened.rows().length, 3);
  });

  it('answers Code 0 without Id and Ids, whatever _Where says', async () => {
    const opened = open();
    const result = await opened.run.result(DEL, 'shop_stock', { _Where: [['Sku', '=', 'P-1']] });
    assert.equal(result.ReasonCode, 'PARAM_MISSING');
    assert.equal(opened.rows().length, 3);
  });
});

describe('DelFormDataByWhere', () => {
  it('deletes the matching rows and counts them', async () => {
    const opened = open();
    const result = await opened.run.result(DEL_WHERE, 'shop_stock', { _Where: [['Stock', '>=', 5]] });
    assert.equal(result.DataCount, 2);
    assert.deepEqual(
      opened.rows().map((row) => row.Id),
      ['d'],
    );
  });
});

describe('writes by condition', () => {
  for (const method of [UPT_WHERE, DEL_WHERE] as const) {
    for (const where of [undefined, null, '', [], '[]', false]) {
      it(`refuses ${method} with _Where ${JSON.stringify(where)}`, async () => {
        const opened = open();
        const result = await opened.run.result(method, 'shop_stock', { Stock: 0, _Where: where });
        assert.equal(result.Code, 0);
        assert.equal(result.ReasonCode, 'WHERE_REQUIRED');
        assert.match(String(result.Msg), new RegExp(method.split('.')[1] ?? ''));
        assert.deepEqual(opened.rows(), open().rows());
      });
    }

    for (const param of [{ Id: 'a' }, { Ids: ['a'] }]) {
      it(`refuses ${method} with ${JSON.stringify(param)} beside _Where`, async () => {
        const opened = open();
        const _Where = [['Stock', '=', 5]];
        const result = await opened.run.result(method, 'shop_stock', { Stock: 0, ...param, _Where });
        assert.equal(result.ReasonCode, 'PARAM_INVALID');
        assert.match(String(result.Msg), new RegExp(Object.keys(param)[0] ?? ''));
        assert.deepEqual(opened.rows(), open().rows());
      });
    }

    it(`refuses ${method} when one of several conditions is malformed, and touches nothing`, async () => {
      const opened = open();
      const _Where = [
        ['Stock', '=', 5],
        ['Skuu', '=', 'P-1'],
      ];
      const result = await opened.run.result(method, 'shop_stock', { Stock: 0, _Where });
      assert.equal(result.ReasonCode, 'WHERE_INVALID');
      assert.match(String(result.Msg), /2.*Skuu/);
      assert.deepEqual(opened.rows(), open().rows());
    });
  }
});

describe('keys that would change what a write does', () => {
  for (const key of ['_Keyword', '_ParentId', '_SearchEqual', '_InvokeType', '_Foo']) {
    it(`refuses ${key} by name`, async () => {
      const opened = open();
      const value = key === '_InvokeType' ? 'Browser' : 'x';
      for (const [method, param] of [
        [ADD, { Sku: 'P-9' }],
        [UPT, { Id: 'a', Stock: 1 }],
        [DEL, { Id: 'a' }],
      ] as const) {
        const result = await opened.run.result(method, 'shop_stock', { ...param, [key]: value });
        assert.equal(result.ReasonCode, 'PARAM_INVALID');
        assert.match(String(result.Msg), new RegExp(key));
      }
      assert.deepEqual(opened.rows(), open().rows());
    });
  }
});
