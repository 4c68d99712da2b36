/** On a server a statement would go on without its run: it ends with it, whoever sent it and however it commits. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { CompiledQuery } from 'kysely';
import { MysqlAddress } from '../../src/adapters/sql/address-mysql.ts';
import { MysqlConnection } from '../../src/adapters/sql/connection-mysql.ts';
import { MysqlDatabase } from '../../src/adapters/sql/database-mysql.ts';
import { AppError } from '../../src/core/errors.ts';
import { eventually } from '../support/eventually.ts';
import { type FreshDatabase, freshDatabase } from '../support/services/fresh-database.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';
import { run } from './pattern-host.ts';

const WALL_MS = 1_500;
/** Minutes of work for the server, and no row of an answer before the end of it. */
const HEAVY = 'from n a, n b, n c, n d where a.Id * b.Id * c.Id * d.Id = -1';

const SCRIPTS = {
  'read.js': `return { Code: 1, Data: V8.Db.FromSql('select count(*) ${HEAVY}').ToInt() };`,
  'write.js': `return { Code: 1, Data: V8.Db.FromSql('insert into bin (Id) select count(*) ${HEAVY}').ExecuteNonQuery() };`,
  'locked.js': `return V8.FormEngine.UptFormData('bin', { Id: '1', Qty: 2 });`,
  'batch.js': `return V8.FormEngine.UptFormDataBatch([{ FormEngineKey: 'bin', Id: '1', _RowModel: { Qty: 3 } }]);`,
  'inner.js': `return { Code: 1, Data: V8.Db.FromSql('select count(*) ${HEAVY}').ToInt() };`,
  'outer.js': `return V8.ApiEngine.Run('inner', {});`,
};

/** Statements that the server is at for this schema. */
function underWay(database: FreshDatabase): Promise<Record<string, unknown>[]> {
  const text = `select INFO from information_schema.processlist where DB = '${database.name}' and COMMAND <> 'Sleep'`;
  return sqlAsAdmin(database.adminUrl, text);
}

async function fill({ adminUrl, name }: FreshDatabase): Promise<void> {
  await sqlAsAdmin(adminUrl, `create table ${name}.n (Id int primary key)`);
  await sqlAsAdmin(adminUrl, `insert into ${name}.n select seq from ${name}.seq_1_to_3000`);
}

describe('a statement on a server', () => {
  async function open(t: TestContext) {
    const database = await freshDatabase();
    const host = await TestHost.open(tempDir(t), { databaseUrl: database.url, limits: { wallMs: WALL_MS } });
    t.after(() => host.close());
    await fill(database);
    await host.push(SCRIPTS, [{ Name: 'bin', Fields: [{ Name: 'Qty', Type: 'int' }], Rows: [{ Id: '1', Qty: 1 }] }]);
    return { database, host };
  }

  for (const engine of ['read', 'write', 'outer']) {
    it(`ends with its run when it commits by itself: ${engine}`, async (t) => {
      const { database, host } = await open(t);
      const started = performance.now();
      await assert.rejects(run(host, engine), (e) => e instanceof AppError && e.code === 'V8_TIMEOUT');
      assert.ok(performance.now() - started < WALL_MS + 5_000, 'the caller does not wait for it');
      await eventually(async () => assert.deepEqual(await underWay(database), []), 3_000);
      assert.equal((await host.rows('bin')).length, 1, 'what it did is undone');
    });
  }

  for (const engine of ['locked', 'batch']) {
    it(`does not wait for a lock when its run is over: ${engine}`, async (t) => {
      const { database, host } = await open(t);
      const setup = `use ${database.name}; set autocommit = 0`;
      const other = await MysqlConnection.open(MysqlAddress.parse(database.url), { setup, maxPacket: 1e6 });
      t.after(() => other.destroy());
      await other.execute({ sql: "update bin set Qty = 9 where Id = '1'", parameters: [] });
      const started = performance.now();
      await assert.rejects(run(host, engine), (e) => e instanceof AppError && e.code === 'V8_TIMEOUT');
      assert.ok(performance.now() - started < WALL_MS + 5_000);
      await other.execute({ sql: 'rollback', parameters: [] });
      assert.deepEqual(
        (await host.rows('bin')).map(({ Qty }) => Qty),
        [1],
      );
    });
  }
});

it('a read of the host that is given up ends at the server, and is not sent again', async (t) => {
  const schema = await freshDatabase();
  await fill(schema);
  const pools = { runs: 1, scripts: 1, system: 2 };
  const database = await MysqlDatabase.open(MysqlAddress.parse(schema.url), { pools, timeZone: 'Asia/Shanghai' });
  t.after(() => database.close());
  const read = (text: string) => database.reader.executeQuery(CompiledQuery.raw(text));
  await read('select 1');
  const started = performance.now();
  await assert.rejects(read(`select count(*) ${HEAVY}`), (e) => e instanceof AppError && e.code === 'DB_UNAVAILABLE');
  assert.ok(performance.now() - started < 25_000, 'once, on a session that served before');
  await eventually(async () => assert.deepEqual(await underWay(schema), []), 3_000);
});
