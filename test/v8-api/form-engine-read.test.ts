import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Row } from '../../src/ports/table-store.ts';
import { ScriptRun, TRANS } from '../support/script-run.ts';
import { SqliteTables } from '../support/sqlite-tables.ts';

const GET = 'FormEngine.GetFormData';
const LIST = 'FormEngine.GetTableData';
const COUNT = 'FormEngine.GetTableDataCount';

const ROWS: readonly Row[] = [
  { Id: 'a', Sku: 'P-1', Stock: 5, Site: 'north', CreateTime: '2026-01-03 00:00:00', IsDeleted: 0 },
  { Id: 'b', Sku: 'P-2', Stock: 7, Site: 'south', CreateTime: '2026-01-01 00:00:00', IsDeleted: 0 },
  { Id: 'c', Sku: 'P-3', Stock: 7, Site: 'north', CreateTime: '2026-01-02 00:00:00', IsDeleted: null },
  { Id: 'd', Sku: 'P-4', Stock: 9, Site: 'north', CreateTime: '2026-01-04 00:00:00', IsDeleted: 1 },
];

function open(rows: readonly Row[] = ROWS): ScriptRun {
  const columns = { Sku: 'text', Stock: 'integer', Site: 'text' } as const;
  return new ScriptRun({
    tables: new SqliteTables({
      Shop_Stock: { columns, rows },
      no_id: { bare: true, columns: { Code: 'text' }, rows: [{ Code: 'x' }] },
    }).store,
  });
}

/** Ids of a list, in its order. */
async function idsOf(run: ScriptRun, param: object): Promise<unknown> {
  const result = await run.result(LIST, 'shop_stock', param);
  assert.equal(result.Code, 1, String(result.Msg));
  return (result.Data as Row[]).map((row) => row.Id);
}

describe('GetFormData', () => {
  it('answers Code 1 with the row of the Id', async () => {
    const result = await open().result(GET, 'shop_stock', { Id: 'a' });
    assert.equal(result.Code, 1);
    assert.equal((result.Data as Row).Sku, 'P-1');
    assert.equal(result.Msg, null);
  });

  it('answers Code 2 without data when no row matches', async () => {
    const result = await open().result(GET, 'shop_stock', { Id: 'nobody' });
    assert.deepEqual(result, { Code: 2, Data: null, Msg: '不存在的数据！' });
  });

  it('says in English that no row matches when _Lang asks for it', async () => {
    const result = await open().result(GET, 'shop_stock', { Id: 'nobody', _Lang: 'en-US' });
    assert.equal(result.Msg, 'The data does not exist.');
  });

  it('answers Code 0 without Id and _Where, naming both', async () => {
    for (const param of [undefined, {}, { Id: '' }, { _Where: [] }, { Id: null, _Where: false }]) {
      const result = await open().result(GET, 'shop_stock', param);
      assert.equal(result.Code, 0);
      assert.equal(result.ReasonCode, 'PARAM_MISSING');
      assert.match(String(result.Msg), /Id \/ _Where/);
    }
  });

  it('takes the first of several rows in the order of the list', async () => {
    const where = [['Stock', '=', 7]];
    const first = await open().result(GET, 'shop_stock', { _Where: where });
    assert.equal((first.Data as Row).Id, 'b');
    const other = await open().result(GET, 'shop_stock', {
      _Where: where,
      _OrderBy: 'CreateTime',
      _OrderByType: 'desc',
    });
    assert.equal((other.Data as Row).Id, 'c');
  });

  it('demands Id and _Where together, also over an OR', async () => {
    const _Where = [
      ['Stock', '=', 5],
      ['OR', 'Stock', '=', 7],
    ];
    assert.equal(((await open().result(GET, 'shop_stock', { Id: 'b', _Where })).Data as Row).Id, 'b');
    assert.equal(((await open().result(GET, 'shop_stock', { Id: 'a', _Where })).Data as Row).Id, 'a');
    const none = await open().result(GET, 'shop_stock', { Id: 'b', _Where: [['Stock', '=', 5]] });
    assert.equal(none.Code, 2);
  });

  it('refuses an Id that is an object or array', async () => {
    for (const Id of [{ $ne: '' }, ['a', 'b']]) {
      const result = await open().result(GET, 'shop_stock', { Id });
      assert.equal(result.Code, 0);
      assert.equal(result.ReasonCode, 'PARAM_INVALID');
      assert.match(String(result.Msg), / Id /);
    }
  });

  it('leaves a row in the recycle bin out unless _IsContainDeleted asks for it', async () => {
    assert.equal((await open().result(GET, 'shop_stock', { Id: 'd' })).Code, 2);
    assert.equal((await open().result(GET, 'shop_stock', { Id: 'd', _IsContainDeleted: true })).Code, 1);
  });

  it('refuses an Id on a table that has none instead of ignoring it', async () => {
    const result = await open().result(GET, 'no_id', { Id: 'x' });
    assert.equal(result.Code, 0);
    assert.match(String(result.Msg), /Id/);
  });
});

describe('argument forms', () => {
  it('takes the table by name in any case, or by one of the keys inside the parameters', async () => {
    const forms: readonly unknown[][] = [
      ['SHOP_STOCK', { Id: 'a' }],
      [' shop_stock ', { Id: 'a' }],
      [{ FormEngineKey: 'shop_stock', Id: 'a' }],
      [{ _FormEngineKey: 'shop_stock', Id: 'a' }],
      [{ TableName: 'shop_stock', Id: 'a' }],
      [{ _TableName: 'shop_stock', Id: 'a' }],
      [{ TableId: 'shop_stock', Id: 'a' }],
      [{ _TableId: 'shop_stock', Id: 'a' }],
    ];
    for (const form of forms) {
      const run = open();
      assert.equal((await run.result(GET, ...form)).Code, 1, JSON.stringify(form));
      assert.deepEqual(run.joined, [false]);
    }
  });

  it('joins the transaction when V8.DbTrans is the last argument', async () => {
    for (const form of [
      ['shop_stock', { Id: 'a' }, TRANS],
      [{ FormEngineKey: 'shop_stock', Id: 'a' }, TRANS],
    ]) {
      const run = open();
      assert.equal((await run.result(GET, ...form)).Code, 1);
      assert.deepEqual(run.joined, [true]);
    }
    const list = open();
    assert.equal((await list.result(LIST, 'shop_stock', TRANS)).DataCount, 3);
    assert.deepEqual(list.joined, [true]);
  });

  it('does not take a script object with a $trans key among others for the transaction', async () => {
    const run = open();
    await run.result(GET, 'shop_stock', { Id: 'a', $trans: true });
    assert.deepEqual(run.joined, [false]);
  });

  it('names the missing table key', async () => {
    for (const args of [[], [{ Id: 'a' }], [''], [null, { Id: 'a' }]]) {
      const result = await open().result(GET, ...args);
      assert.equal(result.ReasonCode, 'PARAM_MISSING');
      assert.match(String(result.Msg), /FormEngineKey/);
    }
  });

  it('refuses parameters that are no object', async () => {
    for (const args of [['shop_stock', 'a'], ['shop_stock', ['a']], [['shop_stock']]]) {
      assert.equal((await open().result(GET, ...args)).ReasonCode, 'PARAM_INVALID', JSON.stringify(args));
    }
  });

  it('names an unknown table', async () => {
    const result = await open().result(GET, 'sys_osclients', { Id: 'a' });
    assert.equal(result.ReasonCode, 'TABLE_UNKNOWN');
    assert.match(String(result.Msg), /sys_osclients/);
  });

  it('names the table it touched for the story', async () => {
    const run = open();
    await run.result(GET, 'shop_stock', { Id: 'a' });
    assert.deepEqual(run.touched, ['shop_stock']);
  });

  it('accepts the own tenant in any case and refuses another one', async () => {
    assert.equal((await open().result(GET, 'shop_stock', { Id: 'a', OsClient: ' ACME ' })).Code, 1);
    for (const param of [{ OsClient: 'other' }, { _OsClient: 'other' }, { OsClient: { a: 1 } }]) {
      const result = await open().result(GET, 'shop_stock', { Id: 'a', ...param });
      assert.equal(result.ReasonCode, 'TENANT_MISMATCH');
      assert.match(String(result.Msg), /Acme/);
    }
  });
});

describe('GetTableData', () => {
  it('answers an empty list with Code 1 and DataCount 0 when no row matches', async () => {
    const result = await open().result(LIST, 'shop_stock', { _Where: [['Sku', '=', 'none']] });
    assert.deepEqual(result, { Code: 1, Data: [], Msg: null, DataCount: 0 });
  });

  it('orders by CreateTime and Id when no order is given, and leaves the recycle bin out', async () => {
    assert.deepEqual(await idsOf(open(), {}), ['b', 'c', 'a']);
    assert.deepEqual(await idsOf(open(), { _IsContainDeleted: 1 }), ['b', 'c', 'a', 'd']);
  });

  it('counts all matching rows before paging, with pages from 1', async () => {
    const run = open();
    const page = await run.result(LIST, 'shop_stock', { _PageIndex: 2, _PageSize: 2 });
    assert.equal(page.DataCount, 3);
    assert.deepEqual(
      (page.Data as Row[]).map((row) => row.Id),
      ['a'],
    );
    assert.deepEqual(await idsOf(run, { _PageIndex: '1', _PageSize: '2' }), ['b', 'c']);
    assert.deepEqual(await idsOf(run, { _PageIndex: 9, _PageSize: 2 }), []);
  });

  it('cuts the list at _Top', async () => {
    assert.deepEqual(await idsOf(open(), { _Top: 2 }), ['b', 'c']);
    assert.deepEqual(await idsOf(open(), { _Top: 3, _PageIndex: 2, _PageSize: 2 }), ['a']);
  });

  it('sorts by _OrderBy, where only DESC in any case is descending', async () => {
    assert.deepEqual(await idsOf(open(), { _OrderBy: 'sku', _OrderByType: 'Desc' }), ['c', 'b', 'a']);
    assert.deepEqual(await idsOf(open(), { _OrderBy: 'Sku', _OrderByType: 'downwards' }), ['a', 'b', 'c']);
    assert.deepEqual(await idsOf(open(), { _OrderBy: 'Sku' }), ['a', 'b', 'c']);
  });

  it('sorts by several columns in the order of _OrderBys', async () => {
    assert.deepEqual(await idsOf(open(), { _OrderBys: { Stock: 'desc', Sku: 'desc' } }), ['c', 'b', 'a']);
    assert.deepEqual(await idsOf(open(), { _OrderBys: { Stock: 'desc', Sku: 'asc' } }), ['b', 'c', 'a']);
  });

  it('selects rows by Ids, where an empty list means no row', async () => {
    assert.deepEqual(await idsOf(open(), { Ids: ['a', 'c', 'x'] }), ['c', 'a']);
    assert.deepEqual(await idsOf(open(), { Ids: [] }), []);
    assert.deepEqual(await idsOf(open(), { Ids: ['a', 'b'], _Where: [['Site', '=', 'south']] }), ['b']);
  });

  it('reads only _SelectFields, or all but _SelectNotFields', async () => {
    const only = await open().result(LIST, 'shop_stock', { Ids: ['a'], _SelectFields: ['sku', 'Stock'] });
    assert.deepEqual(only.Data, [{ Sku: 'P-1', Stock: 5 }]);
    const not = await open().result(LIST, 'shop_stock', {
      Ids: ['a'],
      _SelectFields: ['Sku', 'Stock'],
      _SelectNotFields: ['STOCK'],
    });
    assert.deepEqual(not.Data, [{ Sku: 'P-1' }]);
  });

  it('refuses to leave no column', async () => {
    const result = await open().result(LIST, 'shop_stock', { _SelectFields: ['Sku'], _SelectNotFields: ['Sku'] });
    assert.equal(result.ReasonCode, 'PARAM_INVALID');
    assert.match(String(result.Msg), /_SelectNotFields/);
  });

  it('answers only the count with _OnlyDataCount', async () => {
    const result = await open().result(LIST, 'shop_stock', { _OnlyDataCount: true });
    assert.deepEqual(result.Data, []);
    assert.equal(result.DataCount, 3);
  });

  it('warns of column values in a read, which are no conditions', async () => {
    const run = open();
    assert.equal((await run.result(LIST, 'shop_stock', { Site: 'north', Unrelated: 1 })).DataCount, 3);
    await run.result(LIST, 'shop_stock', { Site: 'south' });
    assert.equal(run.consoleLines.length, 1, 'one line a run, however often');
    assert.match(run.consoleLines[0] ?? '', /^warn: .*Site.*_Where/);
  });

  it('compares a number with a text column as text', async () => {
    const rows = [{ Id: 'a', Sku: '5', CreateTime: null, IsDeleted: 0 }];
    const result = await open(rows).result(LIST, 'shop_stock', { _Where: [['Sku', 'In', [5]]] });
    assert.equal(result.DataCount, 1);
  });
});

describe('GetTableDataCount', () => {
  it('counts the matching rows', async () => {
    const result = await open().result(COUNT, 'shop_stock', { _Where: [['Stock', '=', 7]] });
    assert.deepEqual(result, { Code: 1, Data: [], Msg: null, DataCount: 2 });
  });
});

describe('read limits', () => {
  const many = Array.from({ length: 10_001 }, (_, i) => ({ Id: `r${i}`, Sku: 'S', CreateTime: null, IsDeleted: 0 }));

  it('refuses more than 10,000 rows without a page size instead of cutting the list', async () => {
    const result = await open(many).result(LIST, 'shop_stock');
    assert.equal(result.ReasonCode, 'TOO_MANY_ROWS');
    assert.match(String(result.Msg), /10000.*_PageSize/);
  });

  it('reads them with a page size, and counts them without', async () => {
    const run = open(many);
    const all = await run.result(LIST, 'shop_stock', { _PageSize: 999_999 });
    assert.equal((all.Data as Row[]).length, 10_001);
    const counted = await run.result(LIST, 'shop_stock', { _OnlyDataCount: true });
    assert.equal(counted.DataCount, 10_001);
  });

  it('takes pages of 1,000 rows when only _PageIndex is given', async () => {
    const result = await open(many).result(LIST, 'shop_stock', { _PageIndex: 1 });
    assert.equal((result.Data as Row[]).length, 1000);
  });
});

describe('refused parameters of reads', () => {
  const refusals: readonly [param: object, part: RegExp, reason: string][] = [
    [{ _SelectFields: ['Sku', 'Colour'] }, /_SelectFields.*Colour/, 'PARAM_INVALID'],
    [{ _SelectFields: 'Sku' }, /_SelectFields/, 'PARAM_INVALID'],
    [{ _SelectNotFields: ['Colour'] }, /_SelectNotFields.*Colour/, 'PARAM_INVALID'],
    [{ _OrderBy: 'Colour' }, /_OrderBy.*Colour/, 'PARAM_INVALID'],
    [{ _OrderBy: 'Sku; drop table x' }, /_OrderBy/, 'PARAM_INVALID'],
    [{ _OrderBy: 'Sku', _OrderByType: 1 }, /_OrderByType/, 'PARAM_INVALID'],
    [{ _OrderBys: { Colour: 'asc' } }, /_OrderBys.*Colour/, 'PARAM_INVALID'],
    [{ _OrderBys: [{ Sku: 'asc' }] }, /_OrderBys/, 'PARAM_INVALID'],
    [{ _PageIndex: 0 }, /_PageIndex/, 'PARAM_INVALID'],
    [{ _PageSize: -5 }, /_PageSize/, 'PARAM_INVALID'],
    [{ _PageSize: 'ten' }, /_PageSize/, 'PARAM_INVALID'],
    [{ _PageSize: 1.5 }, /_PageSize/, 'PARAM_INVALID'],
    [{ _Top: {}, _PageSize: [1] }, /_PageSize/, 'PARAM_INVALID'],
    [{ Ids: 'a,b' }, /Ids/, 'PARAM_INVALID'],
    [{ Ids: [['a']] }, /Ids/, 'PARAM_INVALID'],
    [{ _IsContainDeleted: 'maybe' }, /_IsContainDeleted/, 'PARAM_INVALID'],
    [{ _Keyword: 'P'.repeat(1_001) }, /_Keyword/, 'PARAM_INVALID'],
    [{ _IsTrashRestore: 1 }, /_IsTrashRestore/, 'PARAM_INVALID'],
    [{ _Search: { Sku: 'P' } }, /_Search/, 'PARAM_INVALID'],
    [{ _SearchEqual: { Sku: 'P' } }, /_SearchEqual/, 'PARAM_INVALID'],
    [{ _InvokeType: 'Browser' }, /_InvokeType/, 'PARAM_INVALID'],
    [{ _RunV8Event: 'maybe' }, /_RunV8Event/, 'PARAM_INVALID'],
    [{ _ParentId: 'x' }, /_ParentId/, 'PARAM_INVALID'],
    [{ _Wehre: [['Sku', '=', 'P-1']] }, /_Wehre/, 'PARAM_INVALID'],
    [{ IsDeleted: 'maybe' }, /IsDeleted/, 'PARAM_INVALID'],
    [{ _Where: [['Colour', '=', 'red']] }, /Colour/, 'WHERE_INVALID'],
    [{ _Where: [['Sku', '~', 'red']] }, /~/, 'WHERE_INVALID'],
    [{ _Where: { Sku: 'P-1' } }, /_Where/, 'WHERE_INVALID'],
    [{ _Where: {} }, /_Where/, 'WHERE_INVALID'],
  ];

  for (const [param, part, reason] of refusals) {
    it(`names what is wrong with ${JSON.stringify(param)}`, async () => {
      const result = await open().result(LIST, 'shop_stock', param);
      assert.equal(result.Code, 0);
      assert.equal(result.ReasonCode, reason);
      assert.match(String(result.Msg), part);
    });
  }

  it('says it in English to who asks in English', async () => {
    const result = await open().result(LIST, 'shop_stock', { _Lang: 'EN', _PageSize: 0 });
    assert.equal(result.Msg, 'The parameter _PageSize is invalid: it must be a whole number from 1 up.');
  });

  it('lets blank values and the keys of the HTTP layer pass', async () => {
    const param = {
      _Keyword: '',
      _Search: {},
      _SearchEqual: null,
      _InvokeType: 'Server',
      _RunV8Event: '0',
      _PageSize: '',
      _Cache: 60,
      _CurrentUser: { Id: 'forged' },
      _SysMenuId: 'm',
      _DeviceId: 'd',
    };
    assert.equal((await open().result(LIST, 'shop_stock', param)).DataCount, 3);
  });
});
