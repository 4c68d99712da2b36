/** Statements of scripts that would hold the host's thread: refused by their plan, before they begin. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { AppError } from '../../../src/core/errors.ts';
import { MAX_ROW_STEPS } from '../../../src/core/query-plan.ts';
import { runSql } from '../../contract/sql-session.contract.ts';
import { openSqlitePlace } from './sqlite-place.ts';

/** Its square is more than a statement may step through. */
const ROWS = 8_000;

async function open(t: TestContext) {
  const place = await openSqlitePlace(t);
  const fields = [
    { name: 'Note', type: 'varchar(50)', unique: false },
    { name: 'Qty', type: 'int', unique: false },
  ];
  await place.store.createTables([
    { name: 'big', fields, rows: [] },
    { name: 'small', fields, rows: [{ Id: '1', Note: 'n1', Qty: ROWS - 1 }] },
  ]);
  await place.outside(
    `insert into big (Id, Note, Qty) with recursive n (i) as (select 1 union all select i + 1 from n where i < ${ROWS})
     select 'r' || i, 'n' || i, i from n`,
  );
  return place;
}

const REFUSED: readonly (readonly [what: string, sql: string])[] = [
  ['a join of everything', 'select count(*) n from big a, big b where a.Note <> b.Note'],
  ['a join on a pattern', "select count(*) n from big a join `big` as `b c` on `b c`.Note like concat(a.Note, '%')"],
  ['a join on a range', 'select count(*) n from big a left join big b on a.Qty < b.Qty'],
  ['a subquery for each row', 'select a.Id from big a where (select count(*) from big b where b.Note <> a.Note) > 5'],
  ['tables without aliases', 'select count(*) n from small, big, (select Qty q from big) v where v.q > big.Qty'],
  [
    'a union in a join',
    'select count(*) n from (select Note from big union all select Note from big) v, big w where v.Note <> w.Note',
  ],
  ['an update with a subquery', 'update small set Qty = (select count(*) from big a, big b where a.Qty < b.Qty)'],
  ['a deletion with a subquery', 'delete from big where exists (select 1 from big c where c.Qty > big.Qty + 9000)'],
];

const ALLOWED: readonly (readonly [what: string, sql: string, n: number])[] = [
  ['a join by Id', 'select count(*) n from big a join big b on a.Id = b.Id', ROWS],
  ['a join that SQLite makes an index for', 'select count(*) n from big a join big b on a.Note = b.Note', ROWS],
  ['a join with a small table', 'select count(*) n from small s, big b where b.Qty > s.Qty', 1],
  ['a subquery that is made once', 'select count(*) n from big where Qty = (select max(Qty) from big)', 1],
  ['one table without an index', "select count(*) n from big where Note like '%n%'", ROWS],
];

describe('the work of a statement on SQLite', () => {
  for (const [what, sql] of REFUSED) {
    it(`is bounded: ${what}`, async (t) => {
      const { store } = await open(t);
      const tx = await store.begin(1_000);
      await runSql(tx.sql, "update small set Note = 'kept'");
      await assert.rejects(runSql(tx.sql, sql), (error) => {
        assert.ok(error instanceof AppError);
        assert.equal(error.code, 'SQL_TOO_MUCH_WORK');
        assert.equal(error.params.limit, MAX_ROW_STEPS);
        assert.ok(Number(error.params.steps) > MAX_ROW_STEPS, String(error.params.steps));
        assert.match(String(error.params.tables), /\bbig\b/);
        return true;
      });
      assert.equal(tx.doom, undefined, 'the transaction goes on');
      await tx.commit({ claims: [], outbox: [] });
      assert.equal((await runSql(store.sql, 'select Note from small')).rows[0]?.Note, 'kept');
    });
  }

  for (const [what, sql, n] of ALLOWED) {
    it(`does not forbid ${what}`, async (t) => {
      const { store } = await open(t);
      assert.equal((await runSql(store.sql, sql)).rows[0]?.n, n);
    });
  }

  it('is that of the rows which are there now; a range of an index may be all of them', async (t) => {
    const { store, outside } = await open(t);
    const join = 'select count(*) n from big a left join big b on b.Qty > a.Qty + 8000';
    const isRefused = () => assert.rejects(runSql(store.sql, join), { code: 'SQL_TOO_MUCH_WORK' });
    await isRefused();
    await outside('create index big_qty on big (Qty)');
    await isRefused();
    // The last one stays: its number alone would say that there are as many rows as before.
    await outside('delete from big where Qty between 11 and 7999');
    assert.equal((await runSql(store.sql, join)).rows[0]?.n, 11);
  });
});
