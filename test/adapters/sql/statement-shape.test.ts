/** Remembered statements are those that the builder would make anew, whatever the values and whatever came before. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createMysqlDialect } from '../../../src/adapters/sql/dialect-mysql.ts';
import { sqliteDialect } from '../../../src/adapters/sql/dialect-sqlite.ts';
import { kyselyOver } from '../../../src/adapters/sql/kysely-session.ts';
import { ShapedStatements } from '../../../src/adapters/sql/shaped-statements.ts';
import type { SqlDialect } from '../../../src/adapters/sql/sql-dialect.ts';
import { SqlTableStore, targetOver } from '../../../src/adapters/sql/table-store.ts';
import type { SqlValue } from '../../../src/core/sql-value.ts';
import type { WhereNode, WhereOperator } from '../../../src/core/where.ts';
import type { Row, TableInfo, TableStore } from '../../../src/ports/table-store.ts';

const LAB: TableInfo = {
  name: 'lab',
  writable: true,
  columns: [
    { name: 'Id', kind: 'text' },
    { name: 'Qty', kind: 'integer' },
    { name: 'Price', kind: 'decimal' },
    { name: 'At', kind: 'datetime' },
    { name: 'IsDeleted', kind: 'integer' },
  ],
};

/** A store, and what it sent: each statement with its values. A count finds one row. */
function openStore(dialect: SqlDialect, statements: ShapedStatements, describeTable = async () => LAB) {
  const sent: string[] = [];
  const db = kyselyOver<Record<string, Record<string, SqlValue>>>(dialect, async ({ sql, parameters }) => {
    sent.push(`${sql} ${parameters.map((value) => `${typeof value} ${value}`).join(', ')}`);
    return { rows: [{ rows: 1 }], numAffectedRows: 0n };
  });
  const target = targetOver(db, (work) => work());
  return { sent, store: new SqlTableStore({ describe: describeTable, dialect, statements }, target) };
}

const names = fc.constantFrom(...LAB.columns.map(({ name }) => name));
const values: fc.Arbitrary<SqlValue> = fc.oneof(
  fc.constantFrom(null, '', '0', '1.5', '12345678901234567', 7, 1.5, -1),
  fc.string({ maxLength: 4 }),
);
const operators = fc.constantFrom<WhereOperator>('eq', 'ne', 'gt', 'le', 'in', 'notIn', 'like', 'notEndLike');
const glues = fc.constantFrom('and' as const, 'or' as const);
const conditions = fc.record({ glue: glues, column: names, operator: operators }).chain((head) => {
  const lists = fc.oneof(fc.array(values, { maxLength: 3 }), fc.constant(null));
  const value = head.operator.toLowerCase().endsWith('in') ? lists : values;
  return value.map((given) => ({ ...head, value: given }) as WhereNode);
});
const wheres: fc.Arbitrary<readonly WhereNode[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: conditions },
    {
      weight: 1,
      arbitrary: fc.record({ glue: glues, group: fc.array(conditions, { minLength: 1, maxLength: 3 }) }),
    },
  ),
  { maxLength: 3 },
);
const rows: fc.Arbitrary<Row> = fc.dictionary(names, values, { maxKeys: 3 });

const calls: fc.Arbitrary<(store: TableStore) => Promise<unknown>> = fc
  .record({
    where: wheres,
    includeDeleted: fc.boolean(),
    columns: fc.uniqueArray(names, { maxLength: 2 }),
    sort: fc.array(fc.record({ column: names, descending: fc.boolean() }), { maxLength: 2 }),
    limit: fc.nat(20),
    row: rows,
    verb: fc.constantFrom('select', 'update', 'insert'),
  })
  .map(({ verb, row, ...query }) => (store: TableStore) => {
    if (verb === 'insert') return store.insert('lab', row);
    if (verb === 'update') return store.update({ ...query, table: 'lab' }, row);
    return store.select({ ...query, table: 'lab', offset: 3 });
  });

describe('remembered statements', () => {
  for (const [name, dialect] of [
    ['MySQL', createMysqlDialect('mariadb')],
    ['SQLite', sqliteDialect],
  ] as const) {
    it(`are what the builder makes, on ${name}`, async () => {
      const remembered = openStore(dialect, new ShapedStatements());
      await fc.assert(
        fc.asyncProperty(calls, async (call) => {
          const anew = openStore(dialect, new ShapedStatements());
          await call(anew.store);
          await call(remembered.store);
          await call(remembered.store);
          const [expected] = anew.sent;
          assert.deepEqual(remembered.sent.splice(0), [expected, expected]);
        }),
        { numRuns: 600 },
      );
    });
  }

  it('end with the description of their table', async () => {
    const dialect = createMysqlDialect('mariadb');
    let table = LAB;
    const { sent, store } = openStore(dialect, new ShapedStatements(), async () => table);
    const filter = { table: 'lab', where: [], includeDeleted: false };
    await store.update(filter, { Qty: 1 });
    table = { ...LAB, name: 'LAB', columns: LAB.columns.filter(({ name }) => name !== 'IsDeleted') };
    await store.update(filter, { Qty: 2 });
    assert.deepEqual(sent, [
      'update `lab` set `Qty` = ? where (`IsDeleted` <> 1 or `IsDeleted` is null) number 1',
      'update `LAB` set `Qty` = ? number 2',
    ]);
  });

  it('hold no value of the first call', async () => {
    const statements = new ShapedStatements();
    const { store } = openStore(createMysqlDialect('mariadb'), statements);
    await store.insert('lab', { Id: 'a secret' });
    const shape = { text: 'insert\0Id\0\0', values: ['b'] };
    const kept = statements.of(LAB, shape, () => assert.fail('it is not remembered'));
    assert.deepEqual(kept.parameters, ['b']);
    assert.doesNotMatch(JSON.stringify(kept), /a secret/);
  });
});
