import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { ownPort } from '../support/own-port.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { freshRedis } from '../support/services/fresh-redis.ts';
import { freshVhost } from '../support/services/fresh-vhost.ts';
import { sqlAsAdmin, startMariaDb } from '../support/services/mariadb.ts';
import { runDoctor } from './doctor-run.ts';

const LIMIT = { timeout: 240_000 };

describe('v8host doctor at MariaDB', LIMIT, () => {
  it('finds a good schema good: login, rights, clock', async (t) => {
    const { url, name, adminUrl } = await freshDatabase();
    const run = await runDoctor(t, { databaseUrl: url });
    assert.equal(run.texts('database', 'ok').length, 2, run.out);
    assert.match(run.texts('database', 'ok')[0] ?? '', /^MariaDB \d+.*login works$/);
    assert.equal(run.texts('database', 'ok')[1], 'every right that is needed');
    assert.match(run.texts('clock', 'ok')[0] ?? '', /s apart$/);
    const left = await sqlAsAdmin(adminUrl, `show tables in ${name}`);
    assert.deepEqual(left, [], 'a table was left behind');
  });

  it('finds each way in which one is not', async (t) => {
    const good = await freshDatabase();
    const gone = await runDoctor(t, { databaseUrl: `mysql://a:b@127.0.0.1:${await ownPort()}/x` });
    assert.match(gone.texts('database', 'problem')[0] ?? '', /cannot be reached \(.*check address, port and firewall/);
    const wrong = await runDoctor(t, { databaseUrl: good.url.replace(/:[^:@]*@/, ':wrong-password@') });
    assert.match(wrong.texts('database', 'problem')[0] ?? '', /refuses the login of user/);
    assert.doesNotMatch(wrong.out, /wrong-password/);
    const readOnly = await freshDatabase({ privileges: 'select' });
    const refused = await runDoctor(t, { databaseUrl: readOnly.url });
    assert.match(refused.texts('database', 'problem').join(), /lacks rights on schema .*grant SELECT, INSERT/);
    const noDrop = await freshDatabase({ privileges: 'select, insert, update, delete, create, alter, drop' });
    assert.match(
      (await runDoctor(t, { databaseUrl: noDrop.url })).texts('database', 'problem').join(),
      /lacks rights on schema .*INDEX/,
    );
    const latin = await freshDatabase({ charset: 'latin1' });
    const charset = await runDoctor(t, { databaseUrl: latin.url });
    assert.match(charset.texts('database', 'problem').join(), /character set is latin1, not utf8mb4/);
    await sqlAsAdmin(good.adminUrl, `create table ${good.name}.old_table (Id int) engine = MyISAM`);
    const engine = await runDoctor(t, { databaseUrl: good.url }, { lang: 'zh_CN.UTF-8' });
    assert.match(engine.texts('database', 'problem').join(), /ALTER TABLE old_table ENGINE = InnoDB/);
    for (const run of [gone, wrong, refused, charset, engine]) assert.equal(run.code, 1);
  });

  it('finds a clock that is apart: told of from 2 s on, a problem from 30 s on', async (t) => {
    await using server = await startMariaDb(undefined, { args: ['--max-allowed-packet=64M'] });
    const { url } = await freshDatabase({ adminUrl: server.url });
    const shifted = async (seconds: number) => {
      // Of every session but the administrator's own.
      await server.sql(`set global init_connect = 'set timestamp = unix_timestamp(now(6)) + ${seconds}'`);
      return runDoctor(t, { databaseUrl: url });
    };
    const near = await shifted(12);
    assert.match(near.texts('clock', 'notice').join(), /^its clock is 1[12]\.\d s ahead of this machine's: run NTP/);
    assert.deepEqual(near.problems, []);
    const far = await shifted(-300);
    assert.match(far.texts('clock', 'problem').join(), /^its clock is 30\d\.\d s behind this machine's: run NTP/);
    assert.equal(far.code, 1);
  });

  it('finds a tenant whose user sees another tenant, and one that lacks a database', async (t) => {
    const main = await freshDatabase();
    const child = await freshDatabase();
    await sqlAsAdmin(main.adminUrl, `grant select on ${main.name}.* to '${child.user}'@'%'`);
    const columns = 'OsClient varchar(50), IsEnable int, DbType varchar(20), DbConn varchar(500)';
    const connection = child.url.replace('mysql://', '');
    const [, user, password, host, port, database] = /^(.+?):(.+?)@(.+?):(\d+)\/(.+)$/.exec(connection) ?? [];
    const text = `Data Source=${host};Port=${port};Database=${database};User Id=${user};Password=${decodeURIComponent(password ?? '')};`;
    await sqlAsAdmin(
      main.adminUrl,
      `create table ${main.name}.sys_osclients (Id varchar(36), ${columns}, IsDeleted int);
       insert into ${main.name}.sys_osclients values ('1', 'acme', 1, 'MySql', '${text}', 0), ('2', 'lost', 1, 'MySql', '', 0)`,
    );
    const run = await runDoctor(t, { databaseUrl: main.url });
    assert.equal(run.code, 1);
    assert.match(run.texts('tenant', 'problem').join(), /database user of tenant acme sees schemas of other tenants/);
    assert.match(run.texts('tenant', 'problem').join(), /DbConn is empty/);
    assert.ok(!run.out.includes(child.password), 'a password was told');
  });
});

describe('v8host doctor at RabbitMQ', LIMIT, () => {
  it('finds login, rights and queue types good', async (t) => {
    const { url } = await freshVhost();
    for (const type of ['classic', 'quorum']) {
      const run = await runDoctor(t, { queueUrl: url, queue: { type } });
      assert.deepEqual(run.texts('queue', 'problem'), [], run.out);
      assert.match(
        run.texts('queue', 'ok').join(),
        new RegExp(`login works.*declares, publishes and receives \\(${type}\\)`),
      );
    }
  });

  it('finds each way in which they are not', async (t) => {
    const { url, user } = await freshVhost();
    const gone = await runDoctor(t, { queueUrl: `amqp://a:b@127.0.0.1:${await ownPort()}/v` });
    assert.match(gone.texts('queue', 'problem').join(), /RabbitMQ at .* cannot be reached/);
    assert.match(gone.texts('queue', 'problem').join(), /check MQHost, MQPort/);
    const wrong = await runDoctor(t, { queueUrl: url.replace(/:[^:@]*@/, ':wrong-password@') });
    assert.match(wrong.texts('queue', 'problem').join(), /refused the login: check MQUserName and MQPassword/);
    const nowhere = await runDoctor(t, { queueUrl: url.replace(/\/[^/]*$/, '/no-such-vhost') });
    assert.match(nowhere.texts('queue', 'problem').join(), /does not open the virtual host no-such-vhost/);
    const permissions = { configure: '^microi\\.demo\\..*', write: '^microi\\.demo\\..*', read: '^microi\\.demo\\..*' };
    const noDefault = await freshVhost({ permissions });
    const refused = await runDoctor(t, { queueUrl: noDefault.url });
    assert.match(refused.texts('queue', 'problem').join(), /write on amq\.default/);
    for (const run of [gone, wrong, nowhere, refused]) {
      assert.equal(run.code, 1);
      assert.ok(!run.out.includes(user) && !run.out.includes('wrong-password'));
    }
  });
});

describe('v8host doctor at Redis', LIMIT, () => {
  it('finds a good server good, and each way in which one is not', async (t) => {
    const url = await freshRedis();
    const good = await runDoctor(t, { cacheUrl: url });
    assert.deepEqual(good.problems, []);
    assert.match(good.texts('cache', 'ok').join(), /^Redis \d+.*reads and writes$/);
    const gone = await runDoctor(t, { cacheUrl: `redis://127.0.0.1:${await ownPort()}/0` });
    assert.equal(gone.code, 1);
    assert.match(gone.texts('cache', 'problem').join(), /the connection is refused/);
    const beyond = await runDoctor(t, { cacheUrl: url.replace(/\d+$/, '9999') });
    assert.match(beyond.texts('cache', 'problem').join(), /the database number does not exist/);
    const sessions = { databaseUrl: (await freshDatabase()).url, mqtt: { shared: { enabled: true } } };
    const forgets = await runDoctor(t, { cacheUrl: url, ...sessions });
    assert.match(forgets.texts('cache', 'problem').join(), /appendonly is no.*set appendonly yes/);
    const client = new Redis(url);
    try {
      const [, before = 'noeviction'] = (await client.config('GET', 'maxmemory-policy')) as string[];
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const evicts = await runDoctor(t, { cacheUrl: url });
      await client.config('SET', 'maxmemory-policy', before);
      assert.match(evicts.texts('cache', 'problem').join(), /maxmemory-policy is allkeys-lru.*noeviction/);
    } finally {
      client.disconnect();
    }
  });
});
