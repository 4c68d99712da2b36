/** What a script's SQL may be (delivery.md F2, architecture.md 6). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { guardSql } from '../../src/core/sql-guard.ts';
import { MAX_SQL_LENGTH } from '../../src/core/sql-tokens.ts';

/** Statement -> verb and tables. */
const ALLOWED: readonly (readonly [sql: string, verb: string, tables: string])[] = [
  ['select * from t', 'select', 't'],
  ['SELECT 1', 'select', ''],
  ['  /* note */ -- more\n # and more\n select 1 ; ; ', 'select', ''],
  ['select a.b, count(*) from t a, u b where a.x = b.y', 'select', 't,u'],
  ['select `from`, t.`where`, t.table from `t` t', 'select', 't'],
  ['select * from t left join u using (Id) where t.a in (select u.b from u)', 'select', 't,u'],
  ['select * from (t join u on t.a = u.a, w)', 'select', 't,u,w'],
  ['(select a from t) union all (select b from u) order by 1 limit 5', 'select', 't,u'],
  ['select extract(year from t.Day), trim(both from t.Name), substring(t.a from 2 for 3) from t', 'select', 't'],
  ['select cast(t.a as decimal(10,2)) n, convert(t.b, char(5)) from t', 'select', 't'],
  ['select t.a value, t.b window from t', 'select', 't'],
  ["select 'it''s; drop table t' a, \"/*! */\" b, 'a\\'; drop table u' c", 'select', ''],
  ['select sum(a) over (partition by t.b order by t.c) from t', 'select', 't'],
  ['select * from t where d > now() - interval 7 day for update', 'select', 't'],
  ['select * from t as `x y` where Id = @id', 'select', 't'],
  ["select t.a from t where match(t.a) against('x')", 'select', 't'],
  ['with c (n) as (select t.a from t) select c.n from c', 'select', 't,c'],
  ['with c as (select 1 a) update t set b = 1 where t.a in (select c.a from c)', 'update', 't,c'],
  ['insert into t (a, b) values (@p0, 1.5), (default, null)', 'insert', 't'],
  ['insert t set a = 1', 'insert', 't'],
  ['insert ignore into t (a) select u.a from u', 'insert', 't,u'],
  ['insert into t (a) values (1) on duplicate key update a = values(a), b = t.b + 1', 'insert', 't'],
  ['insert into t (a) select Title from sys_log', 'insert', 't,sys_log'],
  ['replace into t (a) values (replace(@a, 1, 2))', 'replace', 't'],
  ['update t set a = 1, b = concat(a, @x) where Id = @id limit 1', 'update', 't'],
  ['update t a join u b on a.x = b.x set a.y = b.y where b.z = 1', 'update', 't,u'],
  ['update t set a = (select count(*) from sys_log)', 'update', 't,sys_log'],
  ['delete from t where a in (1, 2)', 'delete', 't'],
  ['delete a from t a join u b on a.x = b.x', 'delete', 'a,t,u'],
  ['select * from sys_apiengine', 'select', 'sys_apiengine'],
  ['select 5--3', 'select', ''],
  ['select * from 2024_log', 'select', '2024_log'],
];

/** Statement -> code, and the part that the refusal names. */
const REFUSED: readonly (readonly [sql: string, code: string, part: string])[] = [
  ['', 'SQL_REFUSED', 'SQL'],
  [' ; ', 'SQL_REFUSED', 'SQL'],
  ...[
    'create table x (a int)',
    'drop table t',
    'alter table t add b int',
    'truncate table t',
    'rename table t to u',
    'commit',
    'rollback',
    'begin',
    'start transaction',
    'savepoint a',
    'set autocommit = 1',
    'lock tables t write',
    'unlock tables',
    'use other',
    'call p()',
    'prepare s from "select 1"',
    'execute s',
    'do sleep(1)',
    'handler t open',
    'load data infile "/etc/passwd" into table t',
    'grant all on *.* to x',
    'analyze table t',
    'flush tables',
    'kill 1',
    'show databases',
    'show tables from other',
    'show columns from other.bin',
    'describe mq_inbox',
    'explain select 1',
    'pragma table_info(t)',
    "attach database '/tmp/x' as y",
    'vacuum into "/tmp/x"',
    'table t',
    'values row(1)',
    'xa start "a"',
  ].map((sql) => [sql, 'SQL_REFUSED', sql.split(' ')[0] ?? ''] as const),
  ['(delete from t)', 'SQL_REFUSED', 'delete'],
  ['select 1; select 2', 'SQL_REFUSED', ';'],
  ['select 1;drop table t', 'SQL_REFUSED', ';'],
  ['/*!50000 commit */', 'SQL_REFUSED', '/*!'],
  ['select 1 /*M!100100 , 2 */', 'SQL_REFUSED', '/*!'],
  ['select /*!*/ 1', 'SQL_REFUSED', '/*!'],
  ['select * from other.t', 'SQL_REFUSED', 'other.t'],
  ['select * from `other`.`t`', 'SQL_REFUSED', '`other`.`t`'],
  ['select * from other . t', 'SQL_REFUSED', 'other.t'],
  ['select * from other/**/./**/t', 'SQL_REFUSED', 'other.t'],
  ['select * from other.5t', 'SQL_REFUSED', 'other.5t'],
  ['select * from t, other.u', 'SQL_REFUSED', 'other.u'],
  ['select * from t other, other.u', 'SQL_REFUSED', 'other.u'],
  ['select * from t value, other.u', 'SQL_REFUSED', 'other.u'],
  ['select * from window, other.u', 'SQL_REFUSED', 'other.u'],
  ['select * from `where`, other.u', 'SQL_REFUSED', 'other.u'],
  ['select * from `.` a, other.u', 'SQL_REFUSED', 'other.u'],
  ['select * from t join u on t.a = u.a, other.v', 'SQL_REFUSED', 'other.v'],
  ['select * from t join u on duplicate, other.v', 'SQL_REFUSED', 'other.v'],
  ['select * from (t join (other.u))', 'SQL_REFUSED', 'other.u'],
  ['select * from t where a in (select b from other.u)', 'SQL_REFUSED', 'other.u'],
  ['select extract(year from (select a from other.u))', 'SQL_REFUSED', 'other.u'],
  ['with c as (select * from other.t) select * from c', 'SQL_REFUSED', 'other.t'],
  ['insert into other.t values (1)', 'SQL_REFUSED', 'other.t'],
  ['insert other.t values (1)', 'SQL_REFUSED', 'other.t'],
  ['replace other.t values (1)', 'SQL_REFUSED', 'other.t'],
  ['update other.t set a = 1', 'SQL_REFUSED', 'other.t'],
  ['update t, other.u set t.a = 1', 'SQL_REFUSED', 'other.u'],
  ['delete from other.t', 'SQL_REFUSED', 'other.t'],
  ['delete from t using t join other.u', 'SQL_REFUSED', 'other.u'],
  ['delete other.t from t', 'SQL_REFUSED', 'other.t'],
  ['select other.t.a from t', 'SQL_REFUSED', 'other.t'],
  ['select t. a from t', 'SQL_REFUSED', 't.a'],
  ['select . from other.t', 'SQL_REFUSED', 'select.from'],
  ['select other.f(1)', 'SQL_REFUSED', 'other.f'],
  ['select * from information_schema.schemata', 'SQL_REFUSED', 'information_schema.schemata'],
  ['update information_schema.tables set TABLE_NAME = 1', 'TABLE_READ_ONLY', 'information_schema_tables'],
  ['select next value for other.s', 'SQL_REFUSED', 'value for'],
  ["select * from 'mq_inbox'", 'SQL_REFUSED', "'mq_inbox'"],
  ["insert into 'mq_inbox' values (1)", 'SQL_REFUSED', "'mq_inbox'"],
  ['select a into outfile "/tmp/x" from t', 'SQL_REFUSED', 'INTO'],
  ['select a from t into dumpfile "/tmp/x"', 'SQL_REFUSED', 'INTO'],
  ['insert into t select 1 into outfile "x"', 'SQL_REFUSED', 'INTO'],
  ['select a from t into @x', 'SQL_REFUSED', 'INTO'],
  ['select * from t procedure analyse()', 'SQL_REFUSED', 'procedure'],
  ...[
    'sleep',
    'benchmark',
    'get_lock',
    'release_lock',
    'load_file',
    'load_extension',
    'sys_exec',
    'user',
    'nextval',
  ].map((name) => [`select ${name} (1)`, 'SQL_REFUSED', `${name}(`] as const),
  ['select `sleep`(1)', 'SQL_REFUSED', '`sleep`('],
  ['select 1 as a from t where sleep(1)', 'SQL_REFUSED', 'sleep('],
  ['insert into t sleep(5)', 'SQL_REFUSED', 'sleep('],
  ['insert into t a (b) values (1)', 'SQL_REFUSED', 'a('],
  ['select * from pragma_table_info(1)', 'SQL_REFUSED', 'pragma_table_info('],
  ['select @@version', 'SQL_REFUSED', '@@version'],
  ['select @a := 1', 'SQL_REFUSED', ':= 1'],
  ['select ?', 'SQL_REFUSED', '?'],
  ['select {d "2024-01-01"}', 'SQL_REFUSED', '{d "2024-01-01"}'],
  ["select _latin1'a'", 'SQL_REFUSED', '_latin1'],
  ['insert or rollback into t values (1)', 'SQL_REFUSED', 'insert or'],
  ['update or fail t set a = 1', 'SQL_REFUSED', 'update or'],
  ["select 'open", 'SQL_REFUSED', "'open"],
  ["select 'a\\'", 'SQL_REFUSED', "'a\\'"],
  ['select `open', 'SQL_REFUSED', '`open'],
  ['select 1 /* open', 'SQL_REFUSED', '/* open'],
  ['select (1', 'SQL_REFUSED', '('],
  ['select 1)', 'SQL_REFUSED', ')'],
  ['select 1\0', 'SQL_REFUSED', '\\0'],
  [`select '${'x'.repeat(MAX_SQL_LENGTH)}'`, 'SQL_REFUSED', String(MAX_SQL_LENGTH + 9)],
  ['select * from mq_inbox', 'TABLE_UNKNOWN', 'mq_inbox'],
  ['select * from `MQ_Outbox`', 'TABLE_UNKNOWN', 'MQ_Outbox'],
  ['select * from ｓｙｓ_osclients', 'TABLE_UNKNOWN', 'ｓｙｓ_osclients'],
  ['select * from sys_oſclients', 'TABLE_UNKNOWN', 'sys_oſclients'],
  ['delete from schema_migration', 'TABLE_UNKNOWN', 'schema_migration'],
  ['select 1 from t where exists (select 1 from mq_crash)', 'TABLE_UNKNOWN', 'mq_crash'],
  ['update sys_config set a = 1', 'TABLE_READ_ONLY', 'sys_config'],
  ['update t join sys_config s on 1 = 1 set s.a = 1', 'TABLE_READ_ONLY', 'sys_config'],
  ['update (sys_config) set a = 1', 'TABLE_READ_ONLY', 'sys_config'],
  ['delete from diy_queue_receive', 'TABLE_READ_ONLY', 'diy_queue_receive'],
  ['delete l from sys_log l', 'TABLE_READ_ONLY', 'sys_log'],
  ['insert into sys_apiengine (Id) values (1)', 'TABLE_READ_ONLY', 'sys_apiengine'],
  ['replace sys_log values (1)', 'TABLE_READ_ONLY', 'sys_log'],
  ['select * from sys_config for update', 'TABLE_READ_ONLY', 'sys_config'],
  ['select * from sys_config lock in share mode', 'TABLE_READ_ONLY', 'sys_config'],
];

describe('guardSql', () => {
  for (const [sql, verb, tables] of ALLOWED) {
    it(`allows ${sql.slice(0, 90)}`, () => {
      const result = guardSql(sql);
      assert.ok(result.ok, JSON.stringify(result));
      assert.deepEqual([result.value.verb, result.value.tables.join(',')], [verb, tables]);
    });
  }

  for (const [sql, code, part] of REFUSED) {
    it(`refuses ${JSON.stringify(sql.slice(0, 90))}`, () => {
      const result = guardSql(sql);
      assert.ok(!result.ok, 'it was allowed');
      assert.deepEqual([result.error.code, result.error.params.part ?? result.error.params.table], [code, part]);
    });
  }
});

/** Pieces of statements, hostile ones among them, that generated SQL is put together from. */
const PIECES = fc.constantFrom(
  ...'select from where join on using and or union insert into values update set delete replace with as t u a b'.split(
    ' ',
  ),
  ...'( ) , ; . * = @p /* */ -- # ` \' " /*! /*M! \\ interval day limit 1 .5 1e5 0x1F value window key duplicate'.split(
    ' ',
  ),
  ...'`where` `.` `t` count sleep other.t `other`.`t` mq_inbox sys_log commit for table lateral procedure'.split(' '),
  "'x'",
  '"y"',
  "'a\\'b'",
  '\n',
  '\t',
);
const SQL = fc
  .array(fc.tuple(PIECES, fc.constantFrom(' ', '', '/**/')), { maxLength: 25 })
  .map((pieces) => pieces.map(([piece, gap]) => piece + gap).join(''));
const LIKELY_SQL = fc
  .tuple(fc.constantFrom('select ', 'select * from t', 'update t set a = ', 'insert into t '), SQL)
  .map((parts) => parts.join(' '));

describe('guardSql on any text', () => {
  it('answers, and what it lets through names no schema and no hidden table', () => {
    fc.assert(
      fc.property(LIKELY_SQL, (sql) => {
        const result = guardSql(sql);
        if (!result.ok) return;
        const code = result.value.tokens.filter(({ kind }) => kind !== 'string');
        const text = code.map(({ kind, value }) => (kind === 'quoted' && !/^\w+$/.test(value) ? 'x' : value)).join(' ');
        assert.doesNotMatch(text, /\bmq_inbox\b|;|\/\*|(?<!\. )\bprocedure\b|(?<!\bas )\bsleep \(/);
        assert.doesNotMatch(text, /(\bfrom|\bjoin|\binto|^update) other \. t\b/);
        assert.match(code[0]?.text ?? '', /^(select|insert|update|delete|replace|with|\()$/);
      }),
      { numRuns: 3_000 },
    );
  });

  it('answers for texts of any characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        guardSql(`select ${text}`);
      }),
      { numRuns: 1_000 },
    );
  });
});
