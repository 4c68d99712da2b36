/** V8.Dbs: databases of microi_database and by V8.Dbs.Open, on a tenant with a file and one on MariaDB. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { GateServer } from '../support/gate-server.ts';
import { outside, tenantFile } from '../support/outside.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { type FreshDatabase, freshDatabase } from '../support/services/fresh-database.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';
import { DATABASES, run } from './pattern-host.ts';

const SCRIPTS = {
  'sql.js': `
    try {
      var section = V8.Dbs[V8.Param.Db].FromSql(V8.Param.Sql);
      for (var name in V8.Param.Values || {}) section.AddInParameter(name, V8.Param.Values[name]);
      return { Code: V8.Param.Code === undefined ? 1 : V8.Param.Code, Data: section[V8.Param.End || 'ToArray']() };
    } catch (e) { return { Code: 0, Msg: e.message, Data: e.ReasonCode }; }`,
  'names.js': `return { Code: 1, Data: [Object.keys(V8.Dbs), typeof V8.Dbs.nothing, typeof V8.Dbs.Count, typeof V8.Dbs.Open,
    V8.Dbs.erp === V8.Dbs.ERP, JSON.stringify(V8.Dbs)] };`,
  'manual.js': `
    var t = V8.Dbs[V8.Param.Db].BeginTransaction();
    t.FromSql('insert into bin (Id, Qty) values (@id, 1)').AddInParameter('id', V8.Param.Id).ExecuteNonQuery();
    var seen = t.FromSql('select count(*) from bin where Id = @id').AddInParameter('id', V8.Param.Id).ToInt();
    if (V8.Param.End) t[V8.Param.End]();
    var late = null;
    try { if (V8.Param.End) t.FromSql('select 1').ToInt(); } catch (e) { late = e.ReasonCode; }
    if (V8.Param.End) t.Close();
    return { Code: V8.Param.Code, Data: [seen, late] };`,
  'twice.js': `
    V8.Dbs[V8.Param.Db].BeginTransaction();
    try { V8.Dbs[V8.Param.Db].BeginTransaction(); } catch (e) { return { Code: 1, Data: e.ReasonCode }; }`,
  'open.js': `
    try { return { Code: 1, Data: V8.Dbs.Open(V8.Param.Type, V8.Param.Connection).FromSql('select count(*) from bin').ToInt() }; }
    catch (e) { return { Code: 0, Msg: e.message, Data: e.ReasonCode }; }`,
  'peek.js': `
    var out = [V8.FormEngine.GetTableData('microi_database').ReasonCode, V8.FormEngine.AddFormData('microi_database', { DbKey: 'x' }).ReasonCode];
    try { V8.Db.FromSql('select DbConn from microi_database').ToArray(); } catch (e) { out.push(e.ReasonCode); }
    return { Code: 1, Data: out };`,
  'message.js': `/** @queue work */
    return V8.Dbs.erp.FromSql("insert into bin (Id, Qty) values ('m', 1)").ExecuteNonQuery() ? { Code: 1 } : { Code: 0 };`,
};

const BIN = 'create table bin (Id varchar(36) primary key, Qty int)';

for (const [name, urlOf] of DATABASES) {
  describe(`V8.Dbs of a tenant on ${name}`, () => {
    async function open(t: TestContext) {
      const [databaseUrl, erp, dataDir] = [await urlOf(), await freshDatabase(), tempDir(t)];
      const log = new RecordingLog();
      const allow = [{ host: erp.host, port: erp.port }];
      const host = await TestHost.open(dataDir, { log, allow, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
      t.after(() => host.close());
      await host.push(SCRIPTS, []);
      const tenantSql = async (sql: string) =>
        databaseUrl === undefined ? outside(dataDir, tenantFile('demo'), sql) : sqlAsAdmin(databaseUrl, sql);
      await tenantSql(
        'create table microi_database (Id varchar(36), DbKey varchar(50), DbType varchar(20), DbConn varchar(500), IsEnable int, IsDeleted int)',
      );
      await sqlAsAdmin(erp.url, BIN);
      mkdirSync(join(dataDir, 'databases/demo'), { recursive: true });
      await outside(dataDir, 'databases/demo/files.db', BIN);
      const add = (key: string, type: string, connection: string, enabled = 1) =>
        tenantSql(`insert into microi_database values ('${key}', '${key}', '${type}', '${connection}', ${enabled}, 0)`);
      await add('Erp', 'MySql', erp.url);
      await add('Files', 'Sqlite', 'Data Source=files');
      const sql = (Db: string, Sql: string, more = {}) => run(host, 'sql', { Db, Sql, ...more });
      return { host, dataDir, erp, log, add, sql, tenantSql };
    }

    it('reads and writes by key in any case, and writes stay when the run fails', async (t) => {
      const { host, sql, add } = await open(t);
      await add('Off', 'Sqlite', 'off', 0);
      await add('Count', 'Sqlite', 'reserved');
      for (const Db of ['erp', 'FILES']) {
        const insert = 'insert into bin (Id, Qty) values (@p0, @qty)';
        const values = { Values: { '@p0': `a-${Db}`, qty: 2 }, End: 'ExecuteNonQuery' };
        assert.equal((await sql(Db, insert, values)).Data, 1);
        assert.equal((await sql(Db, insert, { ...values, Values: { p0: 'kept', qty: 3 }, Code: 0 })).Code, 0);
        const rows = (await sql(Db, 'select Id, Qty from bin order by Qty')).Data;
        assert.deepEqual(rows, [
          { Id: `a-${Db}`, Qty: 2 },
          { Id: 'kept', Qty: 3 },
        ]);
      }
      const { Data } = await run(host, 'names');
      assert.deepEqual(Data.slice(0, 5), [['Erp', 'Files', 'Open'], 'undefined', 'undefined', 'function', true]);
    });

    it('has transactions that the script ends, and that are undone when it does not', async (t) => {
      const { host, sql } = await open(t);
      for (const Db of ['erp', 'files']) {
        const manual = (Id: string, End: string, Code: number) => run(host, 'manual', { Db, Id, End, Code });
        assert.deepEqual((await manual('kept', 'Commit', 0)).Data, [1, 'DBS_TX_ENDED']);
        assert.deepEqual((await manual('undone', 'Rollback', 1)).Data, [1, 'DBS_TX_ENDED']);
        assert.deepEqual((await manual('closed', 'Close', 1)).Data, [1, 'DBS_TX_ENDED']);
        assert.deepEqual((await manual('left', '', 1)).Data, [1, null]);
        assert.deepEqual((await sql(Db, 'select Id from bin')).Data, [{ Id: 'kept' }]);
        assert.equal((await run(host, 'twice', { Db })).Data, 'DBS_TX_OPEN');
      }
      await host.store.journal.flush();
      const told = (await host.rows('sys_log')).filter((row) => row.Title === 'V8.Dbs');
      assert.equal(told.length, 4, 'of each database one of `left` and one of `twice`');
    });

    it('lets only statements on rows of this database pass', async (t) => {
      const { sql, erp } = await open(t);
      for (const Db of ['erp', 'files']) {
        for (const text of ['drop table bin', `select * from ${erp.name}.bin`, 'select 1; delete from bin', 'commit']) {
          assert.equal((await sql(Db, text)).Data, 'SQL_REFUSED', text);
        }
        assert.equal((await sql(Db, 'select * from mq_inbox')).Data, 'TABLE_UNKNOWN');
      }
      assert.equal((await sql('erp', 'select * from none')).Data, 'DB_STATEMENT');
    });

    it('keeps connections from scripts, errors and the log, and refuses what is not allowed', async (t) => {
      const { host, erp, log, add, sql } = await open(t);
      const secret = 'S3cret-of-db';
      await add('Closed', 'MySql', `mysql://someone:${secret}@127.0.0.1:1/erp`);
      await add('Meta', 'MySql', `mysql://someone:${secret}@169.254.169.254:3306/erp`);
      await add('Wrong', 'MySql', erp.url.replace(encodeURIComponent(erp.password), secret));
      await add('Odd', 'Oracle', `Data Source=x;Password=${secret}`);
      await add('Path', 'Sqlite', '../../host.db');
      await add('Broken', 'MySql', `Password=${secret}`);
      const codes = [];
      for (const Db of ['Closed', 'Meta', 'Wrong', 'Odd', 'Path', 'Broken']) {
        const { Data, Msg } = await sql(Db, 'select 1 as n');
        codes.push(Data);
        assert.ok(!Msg.includes(secret) && !Msg.includes('someone') && !Msg.includes('127.0.0.1'), Msg);
      }
      assert.deepEqual(codes, [
        'DBS_DENIED',
        'DBS_DENIED',
        'DBS_UNAVAILABLE',
        'DBS_INVALID',
        'DBS_INVALID',
        'DBS_INVALID',
      ]);
      assert.deepEqual((await run(host, 'peek')).Data, ['TABLE_UNKNOWN', 'TABLE_UNKNOWN', 'TABLE_UNKNOWN']);
      assert.ok(log.lines.some((line) => JSON.stringify(line).includes('database.extra_refused')));
      assert.ok(!JSON.stringify(log.lines).includes(secret));
    });

    it('opens a listed server by Open, and no other', async (t) => {
      const { host, erp, dataDir } = await open(t);
      const opened = (Type: string, Connection: string) => run(host, 'open', { Type, Connection });
      const string = `Data Source=${erp.host};Port=${erp.port};Database=${erp.name};User Id=${erp.user};Password=${erp.password}`;
      assert.deepEqual([(await opened('MySql', string)).Data, (await opened('MariaDB', erp.url)).Data], [0, 0]);
      assert.equal((await opened('MySql', 'mysql://a:b@db.example.com/erp')).Data, 'DBS_DENIED');
      assert.equal((await opened('Oracle', string)).Data, 'DBS_INVALID');
      assert.equal((await opened('Sqlite', 'files')).Data, 0);
      const folder = join(dataDir, 'databases/demo');
      const missing = 50 - readdirSync(folder).filter((file) => file.endsWith('.db')).length;
      for (let i = 0; i < missing; i++) writeFileSync(join(folder, `full-${i}.db`), '');
      assert.equal((await opened('Sqlite', 'one-more')).Data, 'DBS_INVALID', 'a name too many');
      assert.equal((await opened('Sqlite', 'files')).Data, 0, 'a name that is there');
    });

    it('is outside of trials, and follows a row that is switched off', async (t) => {
      const { host, sql, tenantSql } = await open(t);
      const trial = await host.host.services.tryMessage(
        'demo',
        { queue: 'work', messageJson: '{}', allowHttp: false },
        'en',
      );
      assert.match(trial.reason, /trial connects no other database/);
      assert.deepEqual((await sql('erp', 'select Id from bin')).Data, []);
      await tenantSql("update microi_database set IsEnable = 0 where DbKey = 'Erp'");
      await eventually(async () => assert.deepEqual((await run(host, 'names')).Data[0], ['Files', 'Open']));
    });
  });
}

describe('V8.Dbs of a row that goes', () => {
  it('stays open for the run that uses it, and its connections end with that run', async (t) => {
    const [dataDir, erp, gate] = [tempDir(t), await freshDatabase(), await GateServer.listen(t)];
    const allow = [
      { host: erp.host, port: erp.port },
      { host: '127.0.0.1', port: gate.port },
    ];
    const host = await TestHost.open(dataDir, { allow, lanes: 2, limits: { wallMs: 120_000 } });
    t.after(() => host.close());
    t.after(() => gate.open());
    const hold = `
      var t = V8.Dbs.Erp.BeginTransaction();
      t.FromSql("insert into bin (Id, Qty) values ('a', 1)").ExecuteNonQuery();
      V8.Http.GetResponse({ Url: 'http://127.0.0.1:${gate.port}/' });
      t.FromSql('update bin set Qty = 2').ExecuteNonQuery();
      t.Commit();
      return { Code: 1, Data: V8.Dbs.Erp.FromSql('select Qty from bin').ToInt() };`;
    await host.push({ 'hold.js': hold, 'sql.js': SCRIPTS['sql.js'] }, []);
    await sqlAsAdmin(erp.url, BIN);
    const tenantSql = (sql: string) => outside(dataDir, tenantFile('demo'), sql);
    await tenantSql('create table microi_database (DbKey text, DbType text, DbConn text, IsEnable int)');
    await tenantSql(`insert into microi_database values ('Erp', 'MySql', '${erp.url}', 1)`);
    const connections = async () => {
      const sessions = `select count(*) as n from information_schema.processlist where user = '${erp.user}'`;
      return Number((await sqlAsAdmin(erp.adminUrl, sessions))[0]?.n);
    };

    const running = run(host, 'hold');
    await eventually(() => assert.equal(gate.requests, 1));
    await tenantSql('delete from microi_database');
    // Rows are believed for some seconds.
    await eventually(async () => {
      await host.adapters.databases.refresh();
      assert.equal((await run(host, 'sql', { Db: 'Erp', Sql: 'select 1 as n' })).Code, 0);
    });
    assert.ok((await connections()) > 0, 'the run has its transaction');
    gate.open();
    assert.deepEqual(await running, { Code: 1, Data: 2 });
    await eventually(async () => assert.equal(await connections(), 0));
  });
});

describe('V8.Dbs beside other tenants', () => {
  it('opens no schema of another tenant, not even with its password', async (t) => {
    const [main, theirs]: FreshDatabase[] = [await freshDatabase(), await freshDatabase()];
    const allow = [{ host: theirs?.host ?? '', port: theirs?.port }];
    const host = await TestHost.open(tempDir(t), { databaseUrl: main?.url ?? '', allow });
    t.after(() => host.close());
    await host.adapters.directory.add('other', theirs?.url);
    await host.push({ 'sql.js': SCRIPTS['sql.js'] }, []);
    await sqlAsAdmin(
      main?.url ?? '',
      `create table microi_database (DbKey varchar(50), DbType varchar(20), DbConn varchar(500), IsEnable int);
       insert into microi_database values ('Theirs', 'MySql', '${theirs?.url}', 1), ('Own', 'MySql', '${main?.url}', 1)`,
    );
    const tried = async (Db: string) => (await run(host, 'sql', { Db, Sql: 'select 1 as n' })).Data;
    assert.equal(await tried('Theirs'), 'DBS_DENIED');
    assert.deepEqual(await tried('Own'), [{ n: 1 }]);
  });
});
