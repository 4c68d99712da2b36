import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { MysqlAddress } from '../../../src/adapters/sql/address-mysql.ts';
import { DATABASE_TYPES, openTenant } from '../../../src/adapters/sql/tenant-opener.ts';
import { type AppError, describeError } from '../../../src/core/errors.ts';
import { ownPort } from '../../support/own-port.ts';
import { freshDatabase } from '../../support/services/fresh-database.ts';
import { type MariaDb, startMariaDb } from '../../support/services/mariadb.ts';
import { POOLS } from './mysql-place.ts';
import { hasCode } from './mysql-shop.ts';
import { clock, ids, RecordingLog, temporaryFolder } from './sqlite-place.ts';

let server: MariaDb;

before(async () => {
  server = await startMariaDb(undefined, { args: ['--log-bin', '--binlog-format=STATEMENT', '--sync-binlog=0'] });
});

after(() => server[Symbol.asyncDispose]());

const rowBinlog = () => server.sql('set global binlog_format = ROW');

async function open(t: TestContext, url: string) {
  const log = new RecordingLog();
  const options = {
    dataDir: temporaryFolder(t),
    log,
    clock,
    ids,
    pools: POOLS,
    timeZone: 'Asia/Shanghai',
    extend: false,
  };
  const opened = await openTenant(options, 'factory', { kind: 'mysql', address: MysqlAddress.parse(url) });
  t.after(() => opened.store.close());
  const warnings = log.lines
    .filter(({ event }) => event === 'database.misconfigured')
    .map(({ fields }) => String(fields?.message));
  return { ...opened, warnings };
}

/** The error's sentence says all that is asked for, and holds no password. */
const says =
  (code: string, ...parts: readonly RegExp[]) =>
  (error: unknown) => {
    assert.ok(hasCode(code)(error), String(error));
    const sentence = describeError((error as AppError).toRecord(), 'en');
    for (const part of parts) assert.match(sentence, part);
    assert.doesNotMatch(sentence + describeError((error as AppError).toRecord(), 'zh'), /topsecret/);
    return true;
  };

describe('opening a schema', () => {
  it('refuses a binary log with which nothing could be written, and opens when it is set right', async (t) => {
    const schema = await freshDatabase({ adminUrl: server.url });
    await assert.rejects(open(t, schema.url), says('DB_SETTING', /binlog_format STATEMENT/, /1665/, /SET GLOBAL/));
    await rowBinlog();
    const { store } = await open(t, schema.url);
    await store.probe();
  });

  it('names the server that does not answer', async (t) => {
    const port = await ownPort();
    const url = `mysql://app:topsecret@127.0.0.1:${port}/s`;
    await assert.rejects(
      open(t, url),
      says('DB_UNREACHABLE', new RegExp(`127.0.0.1:${port}`), /ECONNREFUSED/, /check/),
    );
    const unknown = 'mysql://app:topsecret@no-such-host.invalid:3306/s';
    await assert.rejects(open(t, unknown), says('DB_UNREACHABLE', /no-such-host.invalid:3306/, /ENOTFOUND|EAI_AGAIN/));
  });

  it('names the user whose login is refused', async (t) => {
    await rowBinlog();
    const schema = await freshDatabase({ adminUrl: server.url });
    const url = schema.url.replace(/:[^:@]+@/, ':topsecret@');
    await assert.rejects(open(t, url), says('DB_LOGIN_REFUSED', new RegExp(schema.user), /password/));
  });

  it('names the schema that is missing, and the one the user may not enter', async (t) => {
    await rowBinlog();
    const [mine, other] = [
      await freshDatabase({ adminUrl: server.url }),
      await freshDatabase({ adminUrl: server.url }),
    ];
    const missing = `${server.url.replace('root@', 'root:@')}/no_such_schema`;
    await assert.rejects(open(t, missing), says('DB_MISSING', /no_such_schema/, /CREATE DATABASE/));
    const foreign = mine.url.replace(mine.name, other.name);
    await assert.rejects(open(t, foreign), says('DB_PRIVILEGES', new RegExp(other.name), /grant SELECT/));
  });

  it('names the rights that a read-only user lacks, on a new schema and on a migrated one', async (t) => {
    await rowBinlog();
    const schema = await freshDatabase({ adminUrl: server.url, privileges: 'select' });
    await assert.rejects(open(t, schema.url), says('DB_PRIVILEGES', /CREATE/, new RegExp(schema.user)));
    await server.sql(`grant all privileges on ${schema.name}.* to '${schema.user}'@'%'`);
    await (await open(t, schema.url)).store.close();
    await server.sql(`revoke all privileges on ${schema.name}.* from '${schema.user}'@'%'`);
    await server.sql(`grant select on ${schema.name}.* to '${schema.user}'@'%'`);
    await assert.rejects(open(t, schema.url), says('DB_PRIVILEGES', /UPDATE/, new RegExp(schema.user)));
  });

  it('warns of what loses acknowledged effects, of small packets, of character sets and of other engines', async (t) => {
    await rowBinlog();
    const schema = await freshDatabase({ adminUrl: server.url, charset: 'latin1' });
    await server.sql(`set global innodb_flush_log_at_trx_commit = 2;
      create table ${schema.name}.legacy (Id int) engine=MyISAM;
      create table ${schema.name}.sys_log (Id varchar(36) primary key) engine=InnoDB`);
    const { warnings } = await open(t, schema.url);
    await server.sql('set global innodb_flush_log_at_trx_commit = 1');
    for (const part of [
      /innodb_flush_log_at_trx_commit is not 1/,
      /sync_binlog is not 1/,
      /max_allowed_packet is below 32M/,
      /character set is latin1/,
      /table legacy is MyISAM, not InnoDB/,
      /table sys_log is latin1_swedish_ci/,
    ]) {
      assert.equal(warnings.filter((warning) => part.test(warning)).length, 1, `${part}: ${warnings.join('\n')}`);
    }
  });

  it('makes tables of its own that take Chinese text whatever the character set of the schema', async (t) => {
    await rowBinlog();
    const schema = await freshDatabase({ adminUrl: server.url, charset: 'latin1' });
    const { store } = await open(t, schema.url);
    store.journal.sysLog({ type: 'console', title: '接收', content: '价格 😀', level: 1, eventId: 'e1', runId: 'R' });
    assert.equal((await store.journal.story('e1')).sysLog[0]?.content, '价格 😀');
  });

  it('works the same for two hosts that open a new schema at once', async (t) => {
    await rowBinlog();
    const schema = await freshDatabase({ adminUrl: server.url });
    const opened = await Promise.all([open(t, schema.url), open(t, schema.url), open(t, schema.url)]);
    for (const { store } of opened) await store.probe();
    const rows = await server.sql(`select Version from ${schema.name}.schema_migration order by Version`);
    assert.deepEqual(
      rows.map(({ Version }) => Version),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    );
  });

  it('gives sessions the zone of the host by its offset where the server knows no zones', async (t) => {
    await rowBinlog();
    const schema = await freshDatabase({ adminUrl: server.url });
    const { database } = await open(t, schema.url);
    const { rows } = await sql<{ zone: string }>`select @@session.time_zone as zone`.execute(database.reader);
    assert.equal(rows[0]?.zone, '+08:00');
    assert.equal(DATABASE_TYPES.mysql, 'MySql');
  });
});
