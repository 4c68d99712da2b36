/** FormEngine over the real storage: what a script writes is what it reads and finds again. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { Row } from '../../src/ports/table-store.ts';
import { openSqlitePlace } from '../adapters/sql/sqlite-place.ts';
import { ScriptRun } from '../support/script-run.ts';

const FIELDS = [
  { name: 'Code', type: 'varchar(20)', unique: true },
  { name: 'Qty', type: 'int', unique: false },
  { name: 'Big', type: 'bigint', unique: false },
  { name: 'Price', type: 'decimal(18,2)', unique: false },
];

async function open(t: TestContext): Promise<ScriptRun> {
  const { store } = await openSqlitePlace(t);
  await store.createTables([{ name: 'lab_item', fields: FIELDS, rows: [] }]);
  return new ScriptRun({ tables: store.tables });
}

it('gives a new row back as it is stored', async (t) => {
  const run = await open(t);
  const added = await run.result('FormEngine.AddFormData', 'lab_item', {
    Code: 5,
    Qty: '7',
    Big: '9007199254740993',
    Price: '1.10',
  });
  const row = added.Data as Row;
  assert.deepEqual([row.Code, row.Qty, row.Big, row.Price], ['5', 7, '9007199254740993', 1.1]);
  const read = await run.result('FormEngine.GetFormData', 'LAB_ITEM', { Id: String(row.Id) });
  assert.deepEqual(read.Data, row);
});

it('finds rows by numbers and by their text alike', async (t) => {
  const run = await open(t);
  await run.result('FormEngine.AddFormData', 'lab_item', { Code: 5, Qty: 7, Big: '9007199254740993', Price: 1.1 });
  for (const condition of [
    ['Code', '=', 5],
    ['Code', '=', '5'],
    ['Code', 'In', [4, 5]],
    ['Qty', '=', '7'],
    ['Qty', '<', 8],
    ['Big', '=', '9007199254740993'],
    ['Price', '=', '1.1'],
    ['Price', '>', 1],
  ]) {
    const found = await run.result('FormEngine.GetTableDataCount', 'lab_item', { _Where: [condition] });
    assert.equal(found.DataCount, 1, JSON.stringify(condition));
  }
});

it('names the field of a unique violation', async (t) => {
  const run = await open(t);
  await run.result('FormEngine.AddFormData', 'lab_item', { Code: 'A' });
  const again = await run.result('FormEngine.AddFormData', 'lab_item', { Code: 'A' });
  assert.equal(again.ReasonCode, 'ROW_NOT_UNIQUE');
  assert.match(String(again.Msg), /lab_item.*Code/);
});

it('keeps the tables of the platform from being written, and those of the host from being seen', async (t) => {
  const run = await open(t);
  const readOnly = await run.result('FormEngine.AddFormData', 'sys_log', { Title: 'forged' });
  assert.equal(readOnly.ReasonCode, 'TABLE_READ_ONLY');
  const hidden = await run.result('FormEngine.GetTableData', 'mq_inbox');
  assert.equal(hidden.ReasonCode, 'TABLE_UNKNOWN');
});
