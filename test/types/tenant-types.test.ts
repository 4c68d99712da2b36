import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import ts from 'typescript';
import { renderScriptTypes } from '../../src/core/script-types.ts';
import { createV8Program, problemsOf } from './v8-program.ts';

const editor = createRequire(import.meta.url)('../../runtime-types/editor/index.cjs') as {
  checkScript(compiler: typeof ts, program: ts.Program, fileName: string): readonly ts.Diagnostic[];
};

const TYPES = renderScriptTypes({
  tables: [
    {
      name: 'shop_order',
      columns: [
        { name: 'Id', kind: 'text' },
        { name: 'Sku', kind: 'text' },
        { name: 'Qty', kind: 'integer' },
        { name: 'State', kind: 'text' },
      ],
    },
    { name: 'shop_stock', columns: [{ name: 'Stock', kind: 'decimal' }] },
  ],
  queues: ['orders', 'erp-calls'],
  engines: ['stock-show'],
});

const directory = mkdtempSync(join(tmpdir(), 'v8host-types-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const declarations = join(directory, 'tenant.d.ts');
writeFileSync(declarations, TYPES);
let scripts = 0;

/** Lines that the editor marks in a script of this tenant, by the plugin that reads it as a function body. */
function markedLines(lines: readonly string[], types = declarations): readonly number[] {
  const file = join(directory, `script-${scripts++}.js`);
  writeFileSync(file, lines.join('\n'));
  const program = createV8Program([types, file]);
  return editor.checkScript(ts, program, file).map(({ file: source, start = 0 }) => {
    assert.equal(source?.fileName, file);
    return 1 + (source?.getLineAndCharacterOfPosition(start).line ?? -1);
  });
}

/** Each script is wrong in its second line, and there alone. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  'a table that does not exist': ['// read', "V8.FormEngine.GetFormData('shop_ordr', { Id: '1' });"],
  'a table inside the parameters': ['// read', "V8.FormEngine.GetTableData({ FormEngineKey: 'shop_ordr' });"],
  'a table in a batch': ['V8.FormEngine.AddTableData([', "  { FormEngineKey: 'shop_ordr', Qty: 1 }", ']);'],
  'a field to write': ['// write', "V8.FormEngine.AddFormData('shop_order', { Quantity: 1 });"],
  'a field to change': ['// write', "V8.FormEngine.UptFormData('shop_order', { Id: '1', Stat: 'done' });"],
  'a field inside the parameters': [
    "V8.FormEngine.AddFormData({ FormEngineKey: 'shop_order', Qty: 1,",
    '  Quantity: 1,',
    '});',
  ],
  'a field of a batch': ['V8.FormEngine.AddTableData([', "  { FormEngineKey: 'shop_stock', Stok: 1 },", ']);'],
  'a field of the lists of SaveBatch': [
    '// save',
    "V8.FormEngine.SaveBatch({ FormEngineKey: 'shop_stock', AddList: [{ Stok: 1 }], UptList: [] });",
  ],
  'a value that no column holds': ['// write', "V8.FormEngine.AddFormData('shop_order', { State: { a: 1 } });"],
  'a field of a condition': ['// read', "V8.FormEngine.GetTableData('shop_order', { _Where: [['Stat', '=', 'x']] });"],
  'a field of an older condition': [
    '// read',
    "V8.FormEngine.GetTableData('shop_order', { _Where: [{ Name: 'Stat', Type: '=', Value: 1 }] });",
  ],
  'a field to select': ['// read', "V8.FormEngine.GetTableData('shop_order', { _SelectFields: ['Stat'] });"],
  'a field to sort by': ['// read', "V8.FormEngine.GetTableData('shop_order', { _OrderBy: 'Stat' });"],
  'fields to sort by': ['// read', "V8.FormEngine.GetTableData('shop_order', { _OrderBys: { Stat: 'asc' } });"],
  'paging without an underscore': ['// read', "V8.FormEngine.GetTableData('shop_order', { PageSize: 5 });"],
  'a field of a row': [
    "var r = V8.FormEngine.GetFormData('shop_order', { Id: '1' });",
    'if (r.Code === 1) console.log(r.Data.Stat);',
  ],
  'a field of a row that is awaited': [
    "var r = await V8.FormEngine.GetTableDataAsync('shop_order');",
    'if (r.Code === 1) console.log(r.Data[0].Stat);',
  ],
  'a queue': ['// send', "V8.MQ.SendMsg({ QueueName: 'order', Message: 1 });"],
  'a queue as the first argument': ['// send', "V8.MQ.SendMsg('order', { a: 1 });"],
  'an engine': ['// call', "V8.ApiEngine.Run('stock-shw', { Sku: 'P-1' });"],
  'an engine inside the parameters': ['// call', "V8.ApiEngine.Run({ ApiEngineKey: 'stock-shw' });"],
  'a result without Code': ["if (!V8.Param.Id) return { Code: 0, Msg: 'no Id' };", 'return { code: 1 };'],
  'a result that a callee misspelt': ['var done = { Data: 1 };', 'return done;'],
  'a wrong name behind a return': ['// read', "return V8.FormEngine.GetFormData('shop_ordr', { Id: '1' });"],
  'the older way to give a result': ['// end', 'V8.Result = { code: 1 };'],
};

describe('types of a tenant', () => {
  for (const [what, lines] of Object.entries(WRONG)) {
    it(`mark ${what}`, () => {
      assert.deepEqual([...new Set(markedLines(lines))], [2]);
    });
  }

  it('mark nothing in a right script', () => {
    assert.deepEqual(markedLines(RIGHT), []);
  });

  it('leave every name open where they were not made', () => {
    const open = join(directory, 'open.d.ts');
    writeFileSync(open, renderScriptTypes({ tables: [], queues: [], engines: [] }));
    assert.deepEqual(markedLines([...RIGHT.slice(0, -1), "V8.ApiEngine.Run('any');", 'return 1;'], open), []);
    assert.deepEqual(markedLines(["V8.FormEngine.GetFormData('any', { Any: 1 });"], open), []);
  });

  it('are free of errors themselves, also with names that are no identifiers', () => {
    const strange = join(directory, 'strange.d.ts');
    const table = { name: 'a-b "c"\n*/', columns: [{ name: '1st', kind: 'blob' as const }] };
    writeFileSync(strange, renderScriptTypes({ tables: [table], queues: ["it's"], engines: ['__proto__'] }));
    assert.deepEqual(problemsOf(createV8Program([strange]), strange), []);
  });

  it('are the same text for the same names in another order, and take names that differ by case for one', () => {
    const [a, b] = [
      { name: 'a_1', columns: [] },
      { name: 'B_1', columns: [] },
    ];
    const one = renderScriptTypes({ tables: [a, b], queues: ['x', 'y'], engines: [] });
    const other = renderScriptTypes({
      tables: [b, a, { name: 'A_1', columns: [{ name: 'Late', kind: 'text' }] }],
      queues: ['y', 'x', 'Y'],
      engines: [],
    });
    assert.equal(other, one);
  });
});

const RIGHT = [
  '/**',
  ' * @queue orders',
  ' */',
  "var r = V8.FormEngine.GetFormData('shop_order', { _Where: [['Sku', '=', V8.Param.Sku]] }, V8.DbTrans);",
  'if (r.Code !== 1) return r;',
  'if (r.Data.Qty - 1 < 0) return { Code: 0, Msg: r.Data.State };',
  "V8.FormEngine.UptFormData('shop_order', { Id: r.Data.Id, Qty: null, State: 'done' });",
  "V8.FormEngine.AddTableData([{ FormEngineKey: 'shop_order', Qty: '2' }, { FormEngineKey: 'shop_stock', Stock: 2.5 }]);",
  "V8.FormEngine.GetTableData({ TableName: 'shop_stock', _OrderBys: { Stock: 'desc' } });",
  "V8.FormEngine.UptTableData('shop_order', [{ Id: '1', Qty: 1 }]);",
  "V8.FormEngine.SaveBatch({ FormEngineKey: 'shop_order', AddList: [{ Sku: 'a' }], UptList: [{ Id: '1', Qty: 2 }] });",
  'V8.FormEngine.GetTableData(V8.Param.Table, V8.Param.Where);',
  "V8.FormEngine.AddFormData('shop_order', V8.Param);",
  '/** @type {V8Condition[]} */',
  'var where = [];',
  "where.push(['Qty', '>', 1]);",
  "var list = V8.FormEngine.GetTableData('shop_order', { _Where: where, _SelectFields: ['Id', 'Qty'] });",
  'if (list.Code === 1) list.Data.map((row) => row.Qty.toFixed(0) + row.State.trim());',
  "V8.MQ.SendMsg({ QueueName: 'erp-calls', Message: { a: 1 } });",
  "var shown = await V8.ApiEngine.RunAsync('stock-show', { Sku: 'P-1' });",
  'if (shown && shown.Code !== 1) return shown;',
  "if (V8.Param.Text) return 'success';",
  'return { Code: 1, Data: list, More: 1 };',
];
