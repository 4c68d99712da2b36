/** What every table store promises (ports/table-store.ts). Run against each adapter by test/adapters. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../src/core/errors.ts';
import type { Condition, WhereNode } from '../../src/core/where.ts';
import type { Row, SelectQuery, TableStore } from '../../src/ports/table-store.ts';
import type { TableDefinition } from '../../src/ports/tenant-store.ts';
import type { OpenTenantStore } from './tenant-store-place.ts';

const ITEM: TableDefinition = {
  name: 'Shop_Item',
  fields: [
    { name: 'Sku', type: 'varchar(50)', unique: true },
    { name: 'Name', type: 'varchar(100)', unique: false },
    { name: 'Qty', type: 'int', unique: false },
    { name: 'Price', type: 'decimal(18,2)', unique: false },
    { name: 'Big', type: 'bigint', unique: false },
    { name: 'At', type: 'datetime', unique: false },
    { name: 'Note', type: 'mediumtext', unique: false },
  ],
  rows: [],
};

const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

const where = (
  column: string,
  operator: Condition['operator'],
  value: Condition['value'],
  glue: 'and' | 'or' = 'and',
) => ({ glue, column, operator, value }) satisfies Condition;

const query = (change: Partial<SelectQuery> = {}): SelectQuery => ({
  table: 'shop_item',
  columns: [],
  where: [],
  includeDeleted: false,
  sort: [{ column: 'Sku', descending: false }],
  limit: 100,
  offset: 0,
  ...change,
});

const ROWS: readonly Row[] = [
  { Id: '1', Sku: 'A1', Name: 'apple pie', Qty: 10, Price: 1.5, Note: '1000', Big: '9007199254740992', IsDeleted: 0 },
  {
    Id: '2',
    Sku: 'B2',
    Name: 'Apple juice',
    Qty: 20,
    Price: 2,
    Note: '100%',
    Big: '9007199254740993',
    IsDeleted: null,
  },
  { Id: '3', Sku: 'C3', Name: null, Qty: null, Price: null, Note: 'a\\c\\', IsDeleted: 0 },
  { Id: '4', Sku: 'D4', Name: 'gone', Qty: 10, Price: 9, IsDeleted: 1 },
  { Id: '5', Sku: 'E5', Name: '', Qty: 30, Price: 100, IsDeleted: 0 },
];

/** Expected SKUs per condition, by v8-surface.md 3.3. */
const CONDITIONS: readonly (readonly [title: string, conditions: readonly WhereNode[], skus: string])[] = [
  ['no condition', [], 'A1 B2 C3 E5'],
  ['eq', [where('Qty', 'eq', 10)], 'A1'],
  ['eq of a number as text', [where('Qty', 'eq', '10')], 'A1'],
  ['eq without regard to case', [where('Sku', 'eq', 'a1')], 'A1'],
  ['eq of a number in a text column compares text', [where('Name', 'eq', 0)], ''],
  ['ne of a number in a text column compares text', [where('Name', 'ne', 0)], 'A1 B2 E5'],
  ['eq empty text', [where('Name', 'eq', '')], 'E5'],
  ['eq null', [where('Qty', 'eq', null)], 'C3'],
  ['ne leaves null out', [where('Qty', 'ne', 10)], 'B2 E5'],
  ['ne null', [where('Qty', 'ne', null)], 'A1 B2 E5'],
  ['gt', [where('Qty', 'gt', 10)], 'B2 E5'],
  ['ge and le', [where('Qty', 'ge', 10), where('Qty', 'le', 20)], 'A1 B2'],
  ['lt compares numbers, not text', [where('Price', 'lt', '9')], 'A1 B2'],
  ['gt null asks for null', [where('Qty', 'gt', null)], 'C3'],
  ['in', [where('Qty', 'in', [10, '30'])], 'A1 E5'],
  ['in text', [where('Sku', 'in', ['A1', 'C3'])], 'A1 C3'],
  ['in nothing', [where('Qty', 'in', [])], ''],
  ['notIn', [where('Qty', 'notIn', [10])], 'B2 E5'],
  ['notIn nothing matches nothing', [where('Qty', 'notIn', [])], ''],
  ['in null', [where('Qty', 'in', null)], 'C3'],
  ['notIn null', [where('Qty', 'notIn', null)], 'A1 B2 E5'],
  ['like', [where('Name', 'like', 'pple')], 'A1 B2'],
  ['like empty text finds every row that has one', [where('Name', 'like', '')], 'A1 B2 E5'],
  ['like keeps wildcards', [where('Name', 'like', 'a%e j_ice')], 'B2'],
  ['notLike', [where('Name', 'notLike', 'juice')], 'A1 E5'],
  ['startLike', [where('Name', 'startLike', 'apple p')], 'A1'],
  ['notStartLike', [where('Name', 'notStartLike', 'apple p')], 'B2 E5'],
  ['endLike', [where('Name', 'endLike', 'juice')], 'B2'],
  ['notEndLike', [where('Name', 'notEndLike', 'juice')], 'A1 E5'],
  [
    'and binds tighter than or',
    [where('Sku', 'eq', 'C3'), where('Sku', 'eq', 'A1', 'or'), where('Qty', 'eq', 99)],
    'C3',
  ],
  [
    'a group holds together',
    [where('Qty', 'eq', 10), { glue: 'or', group: [where('Qty', 'eq', 20), where('Sku', 'eq', 'A1')] }],
    'A1',
  ],
  [
    'groups nest',
    [
      where('Qty', 'ge', 10),
      {
        glue: 'and',
        group: [where('Sku', 'eq', 'B2'), { glue: 'or', group: [where('Sku', 'eq', 'E5'), where('Qty', 'eq', 30)] }],
      },
    ],
    'B2 E5',
  ],
  ['a backslash takes the meaning of a wildcard', [where('Note', 'like', '100\\%')], 'B2'],
  ['a backslash at the end is one', [where('Note', 'endLike', 'c\\')], 'C3'],
  ['a wildcard without one is one', [where('Note', 'like', '100%')], 'A1 B2'],
  ['in of a decimal', [where('Price', 'in', [1.5, '100'])], 'A1 E5'],
  ['all digits of a long integer count', [where('Big', 'eq', '9007199254740993')], 'B2'],
  ['in compares all digits', [where('Big', 'in', ['9007199254740993', 5])], 'B2'],
  ['gt compares all digits', [where('Big', 'gt', '9007199254740992')], 'B2'],
  ['or never brings deleted rows back', [where('Sku', 'eq', 'A1'), where('Sku', 'eq', 'D4', 'or')], 'A1'],
];

export function tableStoreContract(name: string, open: OpenTenantStore): void {
  const filled = async (t: Parameters<OpenTenantStore>[0]): Promise<TableStore> => {
    const { store } = await open(t);
    await store.createTables([ITEM]);
    for (const row of ROWS) await store.tables.insert('Shop_Item', row);
    return store.tables;
  };

  describe(`table store: ${name}`, () => {
    describing(filled);
    reading(filled);
    writing(filled);
    inTransactions(open);
  });
}

type Filled = (t: Parameters<OpenTenantStore>[0]) => Promise<TableStore>;

function describing(filled: Filled): void {
  it('describes a table by any case of its name', async (t) => {
    const info = await (await filled(t)).describe('SHOP_item');
    assert.equal(info?.name, 'Shop_Item');
    assert.equal(info.writable, true);
    const kinds = Object.fromEntries(info.columns.map(({ name: column, kind }) => [column, kind]));
    assert.deepEqual(
      [kinds.Id, kinds.Qty, kinds.Price, kinds.Big, kinds.At, kinds.Note, kinds.IsDeleted],
      ['text', 'integer', 'decimal', 'integer', 'datetime', 'text', 'integer'],
    );
  });

  it('hides the tables of the host and makes those of the platform read-only', async (t) => {
    const tables = await filled(t);
    for (const hidden of ['mq_inbox', 'MQ_Outbox', 'sys_osclients', 'schema_migration', 'sqlite_schema']) {
      assert.equal(await tables.describe(hidden), undefined, hidden);
      await assert.rejects(tables.count(query({ table: hidden })), hasCode('TABLE_UNKNOWN'));
      await assert.rejects(tables.insert(hidden, { Id: '1' }), hasCode('TABLE_UNKNOWN'));
    }
    assert.equal((await tables.describe('sys_apiengine'))?.writable, false);
    assert.equal(await tables.count(query({ table: 'sys_apiengine' })), 0);
    await assert.rejects(tables.insert('sys_apiengine', { Id: '1' }), hasCode('TABLE_READ_ONLY'));
    await assert.rejects(tables.update(query({ table: 'sys_log' }), { Title: 'x' }), hasCode('TABLE_READ_ONLY'));
    await assert.rejects(tables.delete(query({ table: 'diy_queue_receive' })), hasCode('TABLE_READ_ONLY'));
  });
}

function reading(filled: Filled): void {
  it('compares by the operators of the platform', async (t) => {
    const tables = await filled(t);
    for (const [title, conditions, skus] of CONDITIONS) {
      const rows = await tables.select(query({ where: conditions }));
      assert.equal(rows.map(({ Sku }) => Sku).join(' '), skus, title);
      assert.equal(await tables.count(query({ where: conditions })), rows.length, title);
    }
  });

  it('sorts, pages, projects and shows deleted rows on request', async (t) => {
    const tables = await filled(t);
    const sort = [
      { column: 'Qty', descending: true },
      { column: 'Sku', descending: false },
    ];
    const page = await tables.select(
      query({ columns: ['Sku', 'Qty'], sort, limit: 2, offset: 1, includeDeleted: true }),
    );
    assert.deepEqual(page, [
      { Sku: 'B2', Qty: 20 },
      { Sku: 'A1', Qty: 10 },
    ]);
    assert.equal(await tables.count(query({ includeDeleted: true })), 5);
  });

  it('gives values back as scripts see them', async (t) => {
    const tables = await filled(t);
    const row = {
      Id: 'v',
      Sku: 'O\'Brien "; drop table shop_item; --',
      Name: '价格 😀',
      Qty: -5,
      Price: 1234.5,
      Big: '9007199254740993',
      At: '2026-11-29 10:00:00',
      Note: null,
    };
    await tables.insert('shop_item', row);
    const [read] = await tables.select(query({ columns: Object.keys(row), where: [where('Id', 'eq', 'v')] }));
    assert.deepEqual(read, row);
    assert.equal(Object.getPrototypeOf(read), Object.prototype);
  });

  it('stores a number in a text column as JavaScript writes it', async (t) => {
    const tables = await filled(t);
    await tables.insert('shop_item', { Id: 'n', Sku: 5, Name: 0.1 + 0.2, Note: 1e21 });
    const [row] = await tables.select(query({ columns: ['Sku', 'Name', 'Note'], where: [where('Sku', 'eq', 5)] }));
    assert.deepEqual(row, { Sku: '5', Name: '0.30000000000000004', Note: '1e+21' });
  });
}

function writing(filled: Filled): void {
  it('counts matched rows, changed or not', async (t) => {
    const tables = await filled(t);
    const tens = query({ where: [where('Qty', 'eq', 10)], includeDeleted: true });
    assert.equal(await tables.update(tens, { Qty: 10 }), 2);
    assert.equal(await tables.update(tens, {}), 2);
    assert.equal(await tables.update(query({ where: [where('Sku', 'eq', 'nobody')] }), { Qty: 1 }), 0);
    assert.equal(
      await tables.update(query({ where: [where('Qty', 'eq', 10)] }), { Qty: 11 }),
      1,
      'not the deleted one',
    );
  });

  it('removes rows and says how many', async (t) => {
    const tables = await filled(t);
    assert.equal(await tables.delete(query({ where: [where('Sku', 'in', ['A1', 'B2', 'D4'])] })), 2);
    assert.equal(await tables.count(query({ includeDeleted: true })), 3);
  });

  it('names the field of a unique conflict, on insert and update, and no value', async (t) => {
    const tables = await filled(t);
    for (const write of [
      () => tables.insert('shop_item', { Id: '9', Sku: 'a1' }),
      () => tables.update(query({ where: [where('Sku', 'eq', 'B2')] }), { Sku: 'A1' }),
    ]) {
      await assert.rejects(write, (error: unknown) => {
        assert.ok(error instanceof AppError);
        assert.deepEqual([error.code, error.params.table, error.params.field], ['ROW_NOT_UNIQUE', 'Shop_Item', 'Sku']);
        return true;
      });
    }
  });

  it('refuses values that no column can hold, naming the field', async (t) => {
    const tables = await filled(t);
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, {}, []]) {
      await assert.rejects(tables.insert('shop_item', { Id: 'x', Qty: bad as number }), (error: unknown) => {
        assert.ok(error instanceof AppError);
        assert.deepEqual([error.code, error.params.field], ['PARAM_INVALID', 'Qty']);
        return true;
      });
    }
  });

  it("answers the script's own mistakes as DB_STATEMENT", async (t) => {
    const tables = await filled(t);
    await assert.rejects(tables.insert('shop_item', { Id: null, Sku: 'X' }), hasCode('DB_STATEMENT'));
    await assert.rejects(tables.insert('shop_item', { Id: 'x', Nonsense: 1 }), hasCode('DB_STATEMENT'));
    await assert.rejects(tables.select(query({ where: [where('Nonsense', 'eq', 1)] })), hasCode('DB_STATEMENT'));
  });

  it('answers TABLE_UNKNOWN for a table that does not exist', async (t) => {
    const tables = await filled(t);
    await assert.rejects(tables.select(query({ table: 'nowhere' })), hasCode('TABLE_UNKNOWN'));
  });
}

function inTransactions(open: OpenTenantStore): void {
  it('sees tables and rows of its own transaction, others see them after the commit', async (t) => {
    const { store } = await open(t);
    assert.equal(await store.tables.describe('shop_item'), undefined);
    await store.createTables([ITEM]);
    assert.equal((await store.tables.describe('shop_item'))?.name, 'Shop_Item');
    const tx = await store.begin(1_000);
    await tx.tables.insert('shop_item', { Id: '1', Sku: 'A1' });
    assert.equal(await tx.tables.count(query()), 1);
    assert.equal(await store.tables.count(query()), 0);
    await tx.commit({ claims: [], outbox: [] });
    assert.equal(await store.tables.count(query()), 1);
  });

  it('takes a group of writes back up to its beginning, and the transaction goes on', async (t) => {
    const { store } = await open(t);
    await store.createTables([ITEM]);
    const tx = await store.begin(1_000);
    await tx.tables.insert('shop_item', { Id: '1', Sku: 'A1' });
    await assert.rejects(
      tx.tables.allOrNothing(async (tables) => {
        await tables.insert('shop_item', { Id: '2', Sku: 'B2' });
        await tables.update(query({ where: [where('Sku', 'eq', 'A1')] }), { Qty: 1 });
        await tables.insert('shop_item', { Id: '3', Sku: 'A1' });
      }),
      hasCode('ROW_NOT_UNIQUE'),
    );
    assert.equal(tx.doom, undefined);
    const kept = await tx.tables.allOrNothing(async (tables) => {
      await tables.insert('shop_item', { Id: '4', Sku: 'D4' });
      return 'kept';
    });
    assert.equal(kept, 'kept');
    await tx.commit({ claims: [], outbox: [] });
    const rows = await store.tables.select(query({ columns: ['Sku', 'Qty'] }));
    assert.deepEqual(rows, [
      { Sku: 'A1', Qty: null },
      { Sku: 'D4', Qty: null },
    ]);
  });

  it('gives a group outside of one a transaction of its own', async (t) => {
    const { store } = await open(t);
    await store.createTables([ITEM]);
    const group = store.tables.allOrNothing(async (tables) => {
      await tables.insert('shop_item', { Id: '1', Sku: 'A1' });
      assert.equal(await tables.count(query()), 1);
      assert.equal(await store.tables.count(query()), 0);
      await tables.insert('shop_item', { Id: '1', Sku: 'B2' });
    });
    await assert.rejects(group, hasCode('ROW_NOT_UNIQUE'));
    assert.equal(await store.tables.count(query()), 0);
    await store.tables.allOrNothing((tables) => tables.insert('shop_item', { Id: '1', Sku: 'A1' }));
    assert.equal(await store.tables.count(query()), 1);
  });

  it('makes a write outside of it wait for its end', async (t) => {
    const { store } = await open(t);
    await store.createTables([ITEM]);
    const tx = await store.begin(1_000);
    await tx.tables.insert('shop_item', { Id: '1', Sku: 'A1' });
    const outside = store.tables.insert('shop_item', { Id: '2', Sku: 'B2' });
    await tx.commit({ claims: [], outbox: [] });
    await outside;
    assert.equal(await store.tables.count(query()), 2);
  });
}
