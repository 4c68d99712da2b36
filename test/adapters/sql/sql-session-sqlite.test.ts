import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../../../src/core/errors.ts';
import { guardSql } from '../../../src/core/sql-guard.ts';
import { describeSqlSession, runSql } from '../../contract/sql-session.contract.ts';
import { hostileSql, mutated } from './hostile-sql.ts';
import { openSqlitePlace } from './sqlite-place.ts';

describeSqlSession('SQLite', openSqlitePlace);

test('no statement reaches a hidden table, another file or the settings', async (t) => {
  const { store } = await openSqlitePlace(t);
  const fields = [{ name: 'Sku', type: 'varchar(50)', unique: false }];
  await store.createTables([{ name: 'bin', fields, rows: [{ Id: '1', Sku: 'A1' }] }]);
  let sent = 0;
  const attempt = async (sql: string) => {
    const guarded = guardSql(sql);
    if (!guarded.ok) return;
    sent += 1;
    const tx = await store.begin(2_000);
    try {
      const { rows } = await tx.sql.run(guarded.value, new Map([['p', '%']]));
      assert.doesNotMatch(JSON.stringify(rows), /0001-delivery|CREATE TABLE|delivery tables/i, sql);
    } catch (error) {
      assert.ok(error instanceof AppError && error.code !== 'INTERNAL', `${sql}: ${String(error)}`);
      assert.equal(tx.doom, undefined, sql);
    } finally {
      await tx.rollback();
    }
  };
  for (const table of ['schema_migration', 'sqlite_schema', 'mq_inbox', 'sys_osclients', 'dbstat']) {
    await fc.assert(fc.asyncProperty(hostileSql(undefined, table), attempt), { numRuns: 100 });
    assert.equal(sent, 0, 'the guard itself refuses them all');
  }
  await fc.assert(fc.asyncProperty(mutated(hostileSql('main', 'sqlite_schema')), attempt), { numRuns: 1_000 });
  await fc.assert(fc.asyncProperty(mutated(hostileSql(undefined, 'schema_migration')), attempt), { numRuns: 1_000 });
  assert.ok(sent > 0, 'some of the broken ones pass, and SQLite was asked');
});

test('statements that need not end are refused', async (t) => {
  const { store } = await openSqlitePlace(t);
  const endless = 'with recursive c (n) as (select 1 union all select n + 1 from c) select count(*) from c';
  for (const sql of [endless, endless.replace('recursive ', '')]) await assert.rejects(runSql(store.sql, sql));
});
