/** What FormEngine answers, whatever the database: v8-surface.md 2.4, 2.6 and 3.3, row by row. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { DosResult } from '../../src/core/dos-result.ts';
import type { Row } from '../../src/ports/table-store.ts';
import type { TableDefinition, TenantStore } from '../../src/ports/tenant-store.ts';
import { HOST_CALLS } from '../../src/v8-api/host-calls.ts';
import { withProperty } from '../support/intercept.ts';
import { ScriptRun, TRANS } from '../support/script-run.ts';
import type { OpenTenantStore } from './tenant-store-place.ts';

const FIELDS: TableDefinition['fields'] = [
  { name: 'Sku', type: 'varchar(50)', unique: true },
  { name: 'Name', type: 'varchar(100)', unique: false },
  { name: 'Qty', type: 'int', unique: false },
  { name: 'Price', type: 'decimal(18,2)', unique: false },
  { name: 'At', type: 'datetime', unique: false },
  { name: 'ParentId', type: 'varchar(36)', unique: false },
];

const ROWS = [
  { Id: '1', Sku: 'A1', Name: 'apple pie', Qty: 10, Price: 1.5, At: '2026-01-31', ParentId: '' },
  { Id: '2', Sku: 'B2', Name: 'Apple juice', Qty: 20, Price: '2.00', At: '2026-01-31 08:00:00', ParentId: '1' },
  { Id: '3', Sku: 'C3', Name: null, Qty: null, Price: null, At: null, ParentId: '2' },
  { Id: '4', Sku: 'D4', Name: '', Qty: 30, Price: 100, At: '2026/2/1', ParentId: 'gone' },
  { Id: '5', Sku: 'E5', Name: 'gone', Qty: 10, Price: 9, At: null, ParentId: '1', IsDeleted: 1 },
];

/** Expected SKUs per `_Where`: every operator and value form of v8-surface.md 3.3. */
const OPERATORS: readonly (readonly [where: unknown, skus: string])[] = [
  [[], 'A1 B2 C3 D4'],
  [[['Qty', 'Equal', 10]], 'A1'],
  [[['Qty', '=', '10']], 'A1'],
  [[['sku', '==', 'a1']], 'A1'],
  [[['Name', '=', '']], 'D4'],
  [[['Name', '=', null]], 'C3'],
  [[['Qty', 'NotEqual', 10]], 'B2 D4'],
  [[['Qty', '<>', '10']], 'B2 D4'],
  [[['Qty', '!=', null]], 'A1 B2 D4'],
  [[['Qty', '>', 10]], 'B2 D4'],
  [[['Price', '>', '9']], 'D4'],
  [[['Qty', '>=', '20']], 'B2 D4'],
  [[['Qty', '<', 20]], 'A1'],
  [[['Qty', '<=', 20]], 'A1 B2'],
  [[['Qty', '>', null]], 'C3'],
  [[['At', '=', '2026-01-31']], 'A1'],
  [[['At', '>', '2026-01-31']], 'B2 D4'],
  [[['At', '<=', '2026/1/31']], 'A1'],
  [[['At', 'StartLike', '2026-01']], 'A1 B2'],
  [[['Qty', 'In', [10, '30']]], 'A1 D4'],
  [[['Sku', 'In', '["a1", "C3"]']], 'A1 C3'],
  [[['Qty', 'In', []]], ''],
  [[['Qty', 'In', '(10, 20)']], ''],
  [[['Qty', 'In', null]], 'C3'],
  [[['Qty', 'NotIn', [10]]], 'B2 D4'],
  [[['Qty', 'NotIn', '']], ''],
  [[['Qty', 'NotIn', null]], 'A1 B2 D4'],
  [[['Name', 'Like', 'pple']], 'A1 B2'],
  [[['Name', 'Like', '']], 'A1 B2 D4'],
  [[['Name', 'Like', 'a%e j_ice']], 'B2'],
  [[['Name', 'NotLike', 'juice']], 'A1 D4'],
  [[['Name', 'StartLike', 'apple p']], 'A1'],
  [[['Name', 'NotStartLike', 'apple p']], 'B2 D4'],
  [[['Name', 'EndLike', 'juice']], 'B2'],
  [[['Name', 'NotEndLike', 'juice']], 'A1 D4'],
  [
    [
      ['Sku', '=', 'C3'],
      ['OR', 'Sku', '=', 'A1'],
      ['AND', 'Qty', '=', 99],
    ],
    'C3',
  ],
  [
    [
      ['(', 'Sku', '=', 'C3'],
      ['OR', 'Sku', '=', 'A1', ')'],
      ['AND', 'Qty', '=', 10],
    ],
    'A1',
  ],
  [
    [
      { Name: 'Sku', Value: 'C3', Type: '=', GroupStart: true },
      { Name: 'Sku', Value: 'A1', Type: 'Equal', AndOr: 'Or', GroupEnd: true },
      { Name: 'Qty', Value: 10, Type: '=' },
    ],
    'A1',
  ],
  [
    [
      ['Sku', '=', 'A1'],
      ['OR', 'Sku', '=', 'E5'],
    ],
    'A1',
  ],
];

interface Opened {
  readonly run: ScriptRun;
  readonly store: TenantStore;
}

export function formEngineContract(name: string, open: OpenTenantStore): void {
  const filled = async (t: TestContext): Promise<Opened> => {
    const { store } = await open(t);
    await store.createTables([{ name: 'lab_item', fields: FIELDS, rows: [] }]);
    const run = new ScriptRun({ tables: store.tables, user: { id: 'u1', name: '张三' } });
    const rows = ROWS.map((row) => ({ FormEngineKey: 'lab_item', ...row }));
    assert.equal((await run.result('FormEngine.AddTableData', rows)).Code, 1);
    return { run, store };
  };

  describe(`FormEngine: ${name}`, () => {
    reads(filled);
    writes(filled);
    batches(filled);
    recycleBin(filled);
  });
}

type Filled = (t: TestContext) => Promise<Opened>;

const skusOf = (result: DosResult) => (result.Data as Row[]).map(({ Sku }) => Sku).join(' ');

function reads(filled: Filled): void {
  it('finds by every operator and form of a value', async (t) => {
    const { run } = await filled(t);
    for (const [where, skus] of OPERATORS) {
      for (const given of [where, JSON.stringify(where)]) {
        const list = await run.result('FormEngine.GetTableData', 'lab_item', { _Where: given, _OrderBy: 'Sku' });
        assert.equal(list.Code, 1, String(list.Msg));
        assert.equal(skusOf(list), skus, JSON.stringify(where));
        const count = await run.result('FormEngine.GetTableDataCount', 'lab_item', { _Where: given });
        assert.equal(count.DataCount, list.DataCount);
      }
    }
  });

  it('answers a single row, none and a missing condition by Code 1, 2 and 0', async (t) => {
    const { run } = await filled(t);
    const hit = await run.result('FormEngine.GetFormData', 'lab_item', {
      Id: '1',
      _SelectFields: ['Sku', 'Price', 'At'],
    });
    assert.deepEqual(hit, { Code: 1, Data: { Sku: 'A1', Price: 1.5, At: '2026-01-31 00:00:00' }, Msg: null });
    const miss = await run.result('FormEngine.GetFormData', 'lab_item', { Id: 'nobody' });
    assert.deepEqual(miss, { Code: 2, Data: null, Msg: '不存在的数据！' });
    const both = await run.result('FormEngine.GetFormData', 'lab_item', { Id: '1', _Where: [['Sku', '=', 'B2']] });
    assert.equal(both.Code, 2);
    assert.equal((await run.result('FormEngine.GetFormData', 'lab_item', {})).ReasonCode, 'PARAM_MISSING');
    const none = await run.result('FormEngine.GetTableData', 'lab_item', { _Where: [['Sku', '=', 'nobody']] });
    assert.deepEqual(none, { Code: 1, Data: [], Msg: null, DataCount: 0 });
  });

  it('pages, sorts, searches by keyword and counts alike', async (t) => {
    const { run } = await filled(t);
    const page = { _OrderBys: { Qty: 'desc', Sku: 'asc' }, _PageIndex: 2, _PageSize: 2 };
    const list = await run.result('FormEngine.GetTableData', 'lab_item', page);
    assert.deepEqual([skusOf(list), list.DataCount], ['A1 C3', 4]);
    const found = await run.result('FormEngine.GetTableData', 'lab_item', { _Keyword: 'JUICE' });
    assert.equal(skusOf(found), 'B2');
    const both = {
      _Keyword: 'apple',
      _Where: [
        ['Sku', '=', 'C3'],
        ['OR', 'Sku', '=', 'A1'],
      ],
    };
    assert.equal(skusOf(await run.result('FormEngine.GetTableData', 'lab_item', both)), 'A1');
  });

  it('nests a tree, all of it, below a row, or by levels', async (t) => {
    const { run } = await filled(t);
    const tree = async (param: object) => {
      const result = await run.result('FormEngine.GetTableDataTree', 'lab_item', { _OrderBy: 'Sku', ...param });
      assert.equal(result.Code, 1, String(result.Msg));
      return drawTree(result.Data as Row[]);
    };
    assert.equal(await tree({}), 'A1(B2(C3)) D4');
    assert.equal(await tree({ _SelectFields: ['Sku'] }), 'A1(B2(C3)) D4');
    assert.equal(await tree({ _ParentId: '1' }), 'B2(C3)');
    assert.equal(await tree({ _TreeLazy: true }), 'A1+');
    assert.equal(await tree({ _TreeLazy: 1, _ParentValue: '2' }), 'C3');
    assert.equal(await tree({ _Where: [['Sku', '<>', 'A1']] }), 'B2(C3) D4');
  });
}

function drawTree(rows: readonly Row[]): string {
  return rows
    .map((row) => {
      const below = drawTree((row._Child ?? []) as unknown as Row[]);
      return `${row.Sku}${row._HasChildren ? '+' : ''}${below === '' ? '' : `(${below})`}`;
    })
    .join(' ');
}

function writes(filled: Filled): void {
  it('answers an added row whole, as it is read again', async (t) => {
    const { run } = await filled(t);
    const added = await run.result('FormEngine.AddFormData', 'lab_item', {
      Sku: 'F6',
      Price: '7.10',
      At: '2026-01-02T03:04',
    });
    const row = added.Data as Row;
    assert.deepEqual(
      [row.Sku, row.Price, row.At, row.Qty, row.UserId, row.UserName, row.IsDeleted],
      ['F6', 7.1, '2026-01-02 03:04:00', null, 'u1', '张三', 0],
    );
    assert.ok(String(row.Id).length > 0 && row.CreateTime === row.UpdateTime && row.CreateTime !== null);
    const read = await run.result('FormEngine.GetFormData', 'lab_item', { Id: String(row.Id) });
    assert.deepEqual(read.Data, row);
  });

  it('counts matched rows and takes an absent one for a success', async (t) => {
    const { run } = await filled(t);
    const dataCount = async (...[method, param]: [Parameters<ScriptRun['call']>[0], object]) => {
      const result = await run.result(method, 'lab_item', param);
      assert.equal(result.Code, 1, String(result.Msg));
      return result.DataCount;
    };
    assert.equal(await dataCount('FormEngine.UptFormData', { Id: '1', Qty: 10 }), 1);
    assert.equal(await dataCount('FormEngine.UptFormData', { Id: 'nobody', Qty: 10 }), 0);
    assert.equal(await dataCount('FormEngine.UptFormDataByWhere', { Qty: 11, _Where: [['Qty', '=', 10]] }), 1);
    assert.equal(await dataCount('FormEngine.UptFormDataByWhere', { Qty: 1, _Where: [['Qty', '=', 10]] }), 0);
    assert.equal(await dataCount('FormEngine.UptFormData', { Id: '9', Sku: 'N9', _NoLineForAdd: true }), 1);
    assert.equal(await dataCount('FormEngine.DelFormData', { Ids: ['9', 'nobody'] }), 1);
    assert.equal(await dataCount('FormEngine.DelFormData', { Id: '9' }), 0);
    assert.equal(await dataCount('FormEngine.DelFormDataByWhere', { _Where: [['Sku', 'In', ['A1', 'B2']]] }), 2);
  });

  it('refuses in the language that was asked for, by the same code, and touches nothing', async (t) => {
    const { run, store } = await filled(t);
    const refusals: readonly [
      method: Parameters<ScriptRun['call']>[0],
      param: object,
      code: string,
      zh: RegExp,
      en: RegExp,
    ][] = [
      ['FormEngine.AddFormData', { Sku: 'a1' }, 'ROW_NOT_UNIQUE', /lab_item 已有相同的 Sku/i, /same Sku/],
      ['FormEngine.UptFormData', { Qty: 1 }, 'PARAM_MISSING', /缺少参数 Id/, /parameter Id is missing/],
      ['FormEngine.UptFormDataByWhere', { Qty: 1 }, 'WHERE_REQUIRED', /必须带 _Where/, /needs a _Where/],
      ['FormEngine.DelFormDataByWhere', { _Where: [] }, 'WHERE_REQUIRED', /必须带 _Where/, /needs a _Where/],
      [
        'FormEngine.DelFormDataByWhere',
        {
          _Where: [
            ['Sku', '=', 'A1'],
            ['Qty', '=', 'ten'],
          ],
        },
        'WHERE_INVALID',
        /第 2 个条件.*Qty 的值须为数字/,
        /condition 2.*value for Qty must be a number/,
      ],
      ['FormEngine.UptFormData', { Id: '1', Qty: 'ten' }, 'PARAM_INVALID', /Qty.*整数/, /Qty.*whole numbers/],
      ['FormEngine.UptFormData', { Id: '1', Sku: 'B2' }, 'ROW_NOT_UNIQUE', /违反唯一约束/, /unique constraint/],
    ];
    for (const [method, param, code, zh, en] of refusals) {
      for (const [lang, words] of [
        ['cn', zh],
        ['en-US', en],
      ] as const) {
        const result = await run.result(method, 'lab_item', { ...param, _Lang: lang });
        assert.deepEqual([result.Code, result.Data, result.ReasonCode], [0, null, code]);
        assert.match(String(result.Msg), words);
      }
    }
    assert.equal(await store.tables.count({ table: 'lab_item', where: [], includeDeleted: true }), ROWS.length);
  });
}

function batches(filled: Filled): void {
  const item = (row: object) => ({ FormEngineKey: 'lab_item', ...row });
  const total = (store: TenantStore) => store.tables.count({ table: 'lab_item', where: [], includeDeleted: true });

  it('writes many rows and says how many', async (t) => {
    const { run } = await filled(t);
    const added = await run.result('FormEngine.AddTableData', [
      item({ Id: 'x', Sku: 'X' }),
      item({ Id: 'y', Sku: 'Y' }),
    ]);
    assert.deepEqual([added.Code, added.Data, added.DataCount], [1, ['x', 'y'], 2]);
    const updated = await run.result('FormEngine.UptTableData', [
      item({ Id: 'x', Qty: 1 }),
      item({ Id: 'nobody', Qty: 1 }),
    ]);
    assert.deepEqual([updated.Code, updated.DataCount], [1, 1]);
    const other = await run.result('FormEngine.UptFormDataBatch', 'lab_item', [
      { Id: 'x', Qty: 2 },
      { Id: 'y', Qty: 2 },
    ]);
    assert.equal(other.DataCount, 2);
    const deleted = await run.result('FormEngine.DelTableData', [item({ Id: 'x' }), item({ Ids: ['y', 'z'] })]);
    assert.deepEqual([deleted.Code, deleted.DataCount], [1, 2]);
    assert.deepEqual(await run.result('FormEngine.AddTableData', []), { Code: 1, Data: [], Msg: null, DataCount: 0 });
  });

  for (const [why, bad, code] of [
    ['a row that is there', item({ Sku: 'A1' }), 'ROW_NOT_UNIQUE'],
    ['a value that does not fit', item({ Sku: 'Z', Qty: 'ten' }), 'PARAM_INVALID'],
    ['a row without a table', { Sku: 'Z' }, 'PARAM_MISSING'],
    ['a table that is not there', { FormEngineKey: 'nowhere', Sku: 'Z' }, 'TABLE_UNKNOWN'],
    ['a table of the platform', { FormEngineKey: 'sys_log', Title: 'Z' }, 'TABLE_READ_ONLY'],
    ['a row that is none', 'Z', 'PARAM_INVALID'],
  ] as const) {
    it(`stores nothing of a batch with ${why}, and names the row`, async (t) => {
      const { run, store } = await filled(t);
      const before = await total(store);
      const rows = [item({ Sku: 'X' }), item({ Sku: 'Y' }), bad, item({ Sku: 'W' })];
      const result = await run.result('FormEngine.AddTableData', rows);
      assert.deepEqual([result.Code, result.ReasonCode, result.DataAppend], [0, code, { RowIndex: 2 }]);
      assert.match(String(result.Msg), /^第 3 行：/);
      assert.equal(await total(store), before);
    });
  }

  it("undoes a failed batch inside the run's transaction, and nothing else of it", async (t) => {
    const { store } = await filled(t);
    const tx = await store.begin(1_000);
    const run = new ScriptRun({ tables: tx.tables });
    await run.result('FormEngine.UptFormData', 'lab_item', { Id: '1', Qty: 77 }, TRANS);
    const failed = await run.result(
      'FormEngine.UptTableData',
      [item({ Id: '2', Qty: 88 }), item({ Id: '3', Sku: 'A1' })],
      TRANS,
    );
    assert.equal(failed.ReasonCode, 'ROW_NOT_UNIQUE');
    assert.equal((await run.result('FormEngine.DelTableData', [item({ Id: '4' })], TRANS)).DataCount, 1);
    await tx.commit({ claims: [], outbox: [] });
    const after = new ScriptRun({ tables: store.tables });
    const list = await after.result('FormEngine.GetTableData', 'lab_item', {
      _SelectFields: ['Sku', 'Qty'],
      _OrderBy: 'Sku',
    });
    assert.deepEqual(list.Data, [
      { Sku: 'A1', Qty: 77 },
      { Sku: 'B2', Qty: 20 },
      { Sku: 'C3', Qty: null },
    ]);
  });

  it('goes on writing for no run that has ended', async (t) => {
    const { run, store } = await filled(t);
    const before = await total(store);
    const ended = withProperty(run.context, 'signal', AbortSignal.abort());
    const result = (await HOST_CALLS['FormEngine.AddTableData'](ended, [[item({ Sku: 'X' })]])) as DosResult;
    assert.equal(result.ReasonCode, 'DB_TX_LOST');
    assert.equal(await total(store), before);
  });
}

/** The platform's own table of settings, as far as FormEngine reads it. */
const SETTINGS: TableDefinition = {
  name: 'diy_table',
  fields: [
    { name: 'Name', type: 'varchar(100)', unique: false },
    { name: 'EnableTrash', type: 'int', unique: false },
    { name: 'IsTree', type: 'int', unique: false },
    { name: 'TreeParentField', type: 'varchar(100)', unique: false },
  ],
  rows: [],
};

function recycleBin(filled: Filled): void {
  const withSettings = async (t: TestContext, settings: Record<string, string | number>) => {
    const opened = await filled(t);
    await opened.store.createTables([{ ...SETTINGS, rows: [{ Id: 'table-1', Name: 'LAB_ITEM', ...settings }] }]);
    return opened.run;
  };
  const ids = async (run: ScriptRun, param: object) => {
    const list = await run.result('FormEngine.GetTableData', 'lab_item', { _OrderBy: 'Id', ...param });
    return (list.Data as Row[]).map(({ Id }) => Id).join(' ');
  };

  it('marks rows where the table has a bin, lists them and brings them back', async (t) => {
    const run = await withSettings(t, { EnableTrash: 1 });
    assert.equal((await run.result('FormEngine.DelFormData', 'lab_item', { Id: '1' })).DataCount, 1);
    assert.equal(
      (await run.result('FormEngine.DelFormDataByWhere', 'lab_item', { _Where: [['Qty', '=', 20]] })).DataCount,
      1,
    );
    assert.equal((await run.result('FormEngine.DelFormData', 'lab_item', { Id: '1' })).DataCount, 0);
    assert.equal(await ids(run, {}), '3 4');
    assert.equal(await ids(run, { IsDeleted: 1 }), '1 2 5');
    assert.equal(await ids(run, { _IsContainDeleted: true }), '1 2 3 4 5');
    const restored = { Id: '1', IsDeleted: 0, _IsTrashRestore: true };
    assert.equal((await run.result('FormEngine.UptFormData', 'lab_item', restored)).DataCount, 1);
    assert.equal(await ids(run, {}), '1 3 4');
  });

  it('removes rows for good where it has none', async (t) => {
    const run = await withSettings(t, { EnableTrash: 0 });
    await run.result('FormEngine.DelTableData', [{ FormEngineKey: 'lab_item', Id: '1' }]);
    assert.equal(await ids(run, { _IsContainDeleted: true }), '2 3 4 5');
  });

  it('takes a table by its Id, and its tree as it is set', async (t) => {
    const run = await withSettings(t, { IsTree: 1, TreeParentField: 'Name' });
    assert.equal((await run.result('FormEngine.GetFormData', 'TABLE-1', { Id: '1' })).Code, 1);
    await run.result('FormEngine.UptTableData', 'lab_item', [{ Id: '2', Name: '1' }]);
    const tree = await run.result('FormEngine.GetTableDataTree', 'lab_item', { _OrderBy: 'Sku' });
    assert.equal(drawTree(tree.Data as Row[]), 'A1(B2) C3 D4');
    const flat = await withSettings(t, { IsTree: 0 });
    const refused = await flat.result('FormEngine.GetTableDataTree', 'lab_item', { _Lang: 'en' });
    assert.deepEqual([refused.Code, refused.ReasonCode], [0, 'PARAM_INVALID']);
    assert.match(String(refused.Msg), /is no tree/);
  });
}
