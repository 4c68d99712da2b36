/** A script that ends a transaction of another database itself (pattern 22), on the real host and on both databases. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outside, tenantFile } from '../support/outside.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';
import { DATABASES, run, scriptFiles, tableOf } from './pattern-host.ts';

for (const [name, urlOf] of DATABASES) {
  describe(`patterns of other databases on ${name}`, () => {
    it('a manual transaction: its commit stays and its rollback undoes, whatever the result of the run', async (t) => {
      const erp = await freshDatabase();
      await sqlAsAdmin(
        erp.url,
        `create table bin (Id varchar(36) primary key, Qty int); insert into bin values ('from', 5), ('to', 0)`,
      );
      const [databaseUrl, dataDir] = [await urlOf(), tempDir(t)];
      const allow = [{ host: erp.host, port: erp.port }];
      const host = await TestHost.open(dataDir, { allow, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
      t.after(() => host.close());
      const shelves = `return { Code: 1, Data: V8.Dbs.Erp.FromSql('select Qty from bin order by Id').ToArray() };`;
      await host.push({ ...scriptFiles('dbs-transfer'), 'shelves.js': shelves }, [tableOf('transfer', ['Note'])]);
      const byHand = [
        'create table microi_database (Id varchar(36), DbKey varchar(50), DbType varchar(20), DbConn varchar(500), IsEnable int)',
        `insert into microi_database values ('1', 'Erp', 'MySql', '${erp.url}', 1)`,
      ];
      for (const sql of byHand) {
        if (databaseUrl === undefined) await outside(dataDir, tenantFile('demo'), sql);
        else await sqlAsAdmin(databaseUrl, sql);
      }
      const quantities = async () => (await run(host, 'shelves')).Data.map(({ Qty }: { Qty: number }) => Qty);

      assert.deepEqual(await run(host, 'dbs-transfer', { Qty: 2, Code: 1 }), { Code: 1 });
      assert.deepEqual(await quantities(), [3, 2]);
      assert.deepEqual(await run(host, 'dbs-transfer', { Qty: 1, Code: 0 }), { Code: 0 });
      assert.deepEqual(await quantities(), [2, 3], 'the run rolled back, the other database did not');
      await assert.rejects(run(host, 'dbs-transfer', { Qty: 9, Code: 1 }), /shelf from/);
      assert.deepEqual(await quantities(), [2, 3]);
      assert.deepEqual(await run(host, 'dbs-transfer', { Qty: 1, Code: 1, Connection: erp.url }), { Code: 1 });
      assert.deepEqual(await quantities(), [1, 4]);
      assert.deepEqual((await host.rows('transfer')).map(({ Note }) => Note).sort(), ['asked 1', 'asked 2']);
    });
  });
}
