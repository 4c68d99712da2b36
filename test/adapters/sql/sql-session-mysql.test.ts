import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { guardSql } from '../../../src/core/sql-guard.ts';
import { describeSqlSession } from '../../contract/sql-session.contract.ts';
import { freshDatabase } from '../../support/services/fresh-database.ts';
import { sqlAsAdmin } from '../../support/services/mariadb.ts';
import { hostileSql, mutated } from './hostile-sql.ts';
import { emptySchema, openMysql, openMysqlPlace, storeOver } from './mysql-place.ts';

describeSqlSession('MariaDB', openMysqlPlace);

test('no statement reaches another schema, with a user that could', async (t) => {
  const [own, other] = [await emptySchema(), await freshDatabase()];
  await sqlAsAdmin(other.adminUrl, `create table ${other.name}.vault (Mark varchar(50))`);
  await sqlAsAdmin(other.adminUrl, `insert into ${other.name}.vault values ('SECRET-MARK')`);
  const url = new URL(own.adminUrl);
  url.pathname = `/${own.name}`;
  const store = storeOver(await openMysql(t, url.href));
  t.after(() => store.close());
  const fields = [{ name: 'Sku', type: 'varchar(50)', unique: false }];
  await store.createTables([{ name: 'bin', fields, rows: [{ Id: '1', Sku: 'A1' }] }]);
  let sent = 0;
  const attempt = async (sql: string) => {
    const guarded = guardSql(sql);
    if (!guarded.ok) return;
    sent += 1;
    const tx = await store.begin(2_000);
    try {
      const rows = await tx.sql.run(guarded.value, new Map([['p', '%']])).then(
        (answer) => answer.rows,
        () => [],
      );
      const bins = await tx.tables
        .select({ table: 'bin', columns: [], where: [], includeDeleted: true, sort: [], limit: 100, offset: 0 })
        .catch(() => []);
      assert.doesNotMatch(JSON.stringify([rows, bins]), /SECRET-MARK/, sql);
    } finally {
      await tx.rollback();
    }
  };
  await fc.assert(fc.asyncProperty(hostileSql(other.name, 'vault'), attempt), { numRuns: 300 });
  assert.equal(sent, 0, 'the guard itself refuses them all');
  await fc.assert(fc.asyncProperty(mutated(hostileSql(other.name, 'vault')), attempt), { numRuns: 3_000 });
  assert.ok(sent > 0, 'some of the broken ones pass, and the server was asked');
  assert.deepEqual(await sqlAsAdmin(other.adminUrl, `select Mark from ${other.name}.vault`), [{ Mark: 'SECRET-MARK' }]);
});
