import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { divideConnections } from '../../../src/adapters/sql/database-mysql.ts';
import { emptySchema, openMysql } from './mysql-place.ts';

/** Expression of the server -> value of a script (defaults.md 7). */
const CELLS: readonly (readonly [expression: string, value: unknown])[] = [
  ['cast(7 as signed)', 7],
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', '9007199254740992'],
  ['-9007199254740993', '-9007199254740993'],
  ['18446744073709551615', '18446744073709551615'],
  ['cast(1.50 as decimal(18,2))', 1.5],
  ['cast(0.00 as decimal(18,2))', 0],
  ['cast(-0.10 as decimal(18,2))', -0.1],
  ['cast(1000000 as decimal(18,2))', 1000000],
  ['cast(1234567890123456.78 as decimal(18,2))', '1234567890123456.78'],
  ['cast(12345678901234567.89 as decimal(20,2))', '12345678901234567.89'],
  ['cast(0.1234567890123456789 as decimal(30,19))', '0.1234567890123456789'],
  ['cast(0.1 as double)', 0.1],
  ['null', null],
  ["'价格 😀'", '价格 😀'],
  ["timestamp'2026-01-02 03:04:05'", '2026-01-02 03:04:05'],
  ["cast('2026-01-02 03:04:05.678' as datetime(3))", '2026-01-02 03:04:05.678'],
  ["date'2026-01-02'", '2026-01-02'],
  ["time'-10:00:01'", '-10:00:01'],
  ["x'00ff'", new Uint8Array([0, 255])],
];

describe('a cell', () => {
  it('is the same value through a prepared statement as scripts know it', async (t) => {
    const database = await openMysql(t, (await emptySchema()).url);
    for (const [expression, value] of CELLS) {
      const { rows } = await sql<{ cell: unknown }>`select ${sql.raw(expression)} as cell`.execute(
        database.scriptReader,
      );
      assert.deepEqual(rows[0]?.cell, value, expression);
    }
  });

  it('takes what a script may store, and gives it back', async (t) => {
    const schema = await emptySchema();
    const database = await openMysql(t, schema.url);
    await database.define((db) =>
      sql`create table cells (Id int primary key, F float, D double, B bit(1), W bit(40), T longtext, N decimal(20,4))`.execute(
        db,
      ),
    );
    const row = { Id: 1, F: 0.1, D: 1e300, B: 1, W: 2 ** 39, T: 'x'.repeat(70_000), N: 0.0001 };
    await database.writeAsScript((db) => db.insertInto('cells').values(row).execute());
    assert.deepEqual(await database.scriptReader.selectFrom('cells').selectAll().execute(), [row]);
  });
});

describe('the connections of a tenant', () => {
  it('are divided so that runs get what the others leave', () => {
    for (const perTenant of [1, 4, 10, 20, 64, 200]) {
      const { runs, scripts, system } = divideConnections(perTenant);
      assert.ok(runs >= 1 && scripts >= 1 && system >= 2, String(perTenant));
      assert.ok(runs + scripts + system <= Math.max(4, perTenant), String(perTenant));
    }
    assert.deepEqual(divideConnections(10), { runs: 5, scripts: 3, system: 2 });
  });
});
