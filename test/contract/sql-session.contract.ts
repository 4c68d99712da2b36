/** A script's SQL (ports/sql-session.ts): the same statement has the same result on every adapter. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../../src/core/errors.ts';
import { guardSql } from '../../src/core/sql-guard.ts';
import { parameterKey, type SqlParameter } from '../../src/core/sql-statement.ts';
import type { SqlAnswer, SqlSession } from '../../src/ports/sql-session.ts';
import type { Row } from '../../src/ports/table-store.ts';
import type { TableDefinition, TenantStore } from '../../src/ports/tenant-store.ts';
import type { OpenTenantStore } from './tenant-store-place.ts';

const BIN: TableDefinition = {
  name: 'bin',
  fields: [
    { name: 'Sku', type: 'varchar(50)', unique: true },
    { name: 'Kind', type: 'varchar(50)', unique: false },
    { name: 'Qty', type: 'int', unique: false },
    { name: 'Price', type: 'decimal(18,2)', unique: false },
    { name: 'Big', type: 'bigint', unique: false },
    { name: 'At', type: 'datetime', unique: false },
  ],
  rows: [
    { Id: '1', Sku: 'A1', Kind: 'x', Qty: 10, Price: 1.5, Big: '9007199254740993', At: '2024-01-31 10:20:30' },
    { Id: '2', Sku: 'B2', Kind: 'y', Qty: 20, Price: 2.25, Big: 5, At: '2024-02-29 23:59:59' },
    { Id: '3', Sku: 'C3', Kind: 'x', Qty: null, Price: null, Big: null, At: null },
  ],
};

type Parameters = Readonly<Record<string, SqlParameter>>;

/** Runs a statement as a script's chain does. @throws AppError also of the guard. */
export function runSql(session: SqlSession, text: string, parameters: Parameters = {}): Promise<SqlAnswer> {
  const guarded = guardSql(text);
  if (!guarded.ok) throw new AppError(guarded.error.code, guarded.error.params);
  return session.run(
    guarded.value,
    new Map(Object.entries(parameters).map(([name, value]) => [parameterKey(name), value])),
  );
}

const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

/** What may confuse a reader of SQL inside a text. */
const LITERAL_PIECE = fc.constantFrom(
  "'",
  '"',
  '`',
  '\\',
  '--',
  '/*',
  '*/',
  '#',
  ';',
  '@x',
  '%',
  'a',
  ' ',
  '\n',
  'é',
  '中',
);

const plain = (rows: readonly Row[]) => rows.map((row) => ({ ...row }));

/** Statement, its parameters, its rows. */
const READS: readonly (readonly [sql: string, parameters: Parameters, rows: readonly Record<string, unknown>[]])[] = [
  [
    'select Sku, Qty, Price, Big, At from bin where Id = @id',
    { '@id': '1' },
    [{ Sku: 'A1', Qty: 10, Price: 1.5, Big: '9007199254740993', At: '2024-01-31 10:20:30' }],
  ],
  [
    'select `Sku` as `a b` from `bin` where `Kind` = @Kind and Qty > @n -- the end',
    { kind: 'X', n: 5 },
    [{ 'a b': 'A1' }],
  ],
  ['select Sku from bin where Sku in (@list) order by Sku', { list: ['a1', 'C3'] }, [{ Sku: 'A1' }, { Sku: 'C3' }]],
  ['select Sku from bin where Sku in (@list)', { list: [] }, []],
  ['select Sku from bin where Id = @id or (@id is null and Id = 2)', { id: null }, [{ Sku: 'B2' }]],
  ['select Sku from bin where Qty = @q and @yes', { q: 20, yes: true }, [{ Sku: 'B2' }]],
  [
    'select Kind, count(*) n, sum(Qty) q from bin group by Kind order by Kind',
    {},
    [
      { Kind: 'x', n: 2, q: 10 },
      { Kind: 'y', n: 1, q: 20 },
    ],
  ],
  ['select Sku from bin order by Id desc limit 1, 1', {}, [{ Sku: 'B2' }]],
  ['select Sku from bin order by Id limit @n offset @o', { n: 1, o: 2 }, [{ Sku: 'C3' }]],
  [
    'select a.Sku, b.Sku other from bin a left join bin b on a.Kind = b.Kind and a.Id < b.Id order by a.Id',
    {},
    [
      { Sku: 'A1', other: 'C3' },
      { Sku: 'B2', other: null },
      { Sku: 'C3', other: null },
    ],
  ],
  ['select a.Sku from bin a, bin b where a.Id = b.Id and b.Qty <=> null', {}, [{ Sku: 'C3' }]],
  ['with big as (select Sku from bin where Qty >= 10) select count(*) n from big', {}, [{ n: 2 }]],
  [
    'select Sku from bin where Id = 1 union all select Sku from bin where Id = 2 order by Sku',
    {},
    [{ Sku: 'A1' }, { Sku: 'B2' }],
  ],
  ['select Sku from bin use index (PRIMARY) where Id = 1 for update', {}, [{ Sku: 'A1' }]],
  ['select Sku from bin where Id = 1 lock in share mode', {}, [{ Sku: 'A1' }]],
  ["select Sku from bin where Sku like 'a%' && Id <> 2 || 1 = 0", {}, [{ Sku: 'A1' }]],
  ["select Sku from bin where concat(Sku, '%') like 'A1\\%'", {}, [{ Sku: 'A1' }]],
  ["select group_concat(Sku order by Sku desc separator '-') s from bin where Kind = 'x'", {}, [{ s: 'C3-A1' }]],
  ["select Sku from bin where At between '2024-01-01' and date_add('2024-01-31', interval 1 day)", {}, [{ Sku: 'A1' }]],
  ["select Sku from bin where At > '2024-03-01 00:00:00' - interval 1 day", {}, [{ Sku: 'B2' }]],
  ['select Sku from bin where At + interval 1 month = @at', { at: '2024-02-29 10:20:30' }, [{ Sku: 'A1' }]],
  [
    'select row_number() over (partition by Kind order by Id) n from bin order by Id',
    {},
    [{ n: 1 }, { n: 1 }, { n: 2 }],
  ],
  [
    "select 'it''s' a, \"x\" b, 'l\\'été' c, 'tab\\t' d, '--' e, '/*' f",
    {},
    [{ a: "it's", b: 'x', c: "l'été", d: 'tab\t', e: '--', f: '/*' }],
  ],
  ['select 1 n from dual', {}, [{ n: 1 }]],
  [
    'select COLUMN_NAME c, DATA_TYPE t, CHARACTER_MAXIMUM_LENGTH n from information_schema.COLUMNS' +
      " where TABLE_SCHEMA = database() and TABLE_NAME = @t and COLUMN_NAME in ('Sku', 'Price') order by ORDINAL_POSITION",
    { t: 'bin' },
    [
      { c: 'Sku', t: 'varchar', n: 50 },
      { c: 'Price', t: 'decimal', n: null },
    ],
  ],
  ["select count(*) n from `information_schema`.`tables` t where t.TABLE_NAME = 'bin'", {}, [{ n: 1 }]],
  [
    "select count(*) n from information_schema.tables where TABLE_NAME like 'mq%' or TABLE_NAME = 'sys_osclients'",
    {},
    [{ n: 0 }],
  ],
  ["select count(*) n from information_schema.columns where TABLE_NAME = 'mq_inbox'", {}, [{ n: 0 }]],
  [
    "select count(*) n from information_schema.statistics where TABLE_NAME = 'bin' and NON_UNIQUE = 0 and COLUMN_NAME = 'Sku'",
    {},
    [{ n: 1 }],
  ],
  ["show tables like 'bi%'", {}, [{ Name: 'bin' }]],
  ["show columns from bin like 'nothing'", {}, []],
  [
    'show full columns from `bin` where Field = @f',
    { f: 'Sku' },
    [{ Field: 'Sku', Type: 'varchar(50)', Null: 'YES', Key: 'UNI', Default: null, Extra: '' }],
  ],
  ['describe bin Id', {}, [{ Field: 'Id', Type: 'varchar(36)', Null: 'NO', Key: 'PRI', Default: null, Extra: '' }]],
  [
    'show index from bin',
    {},
    [
      { Table: 'bin', Non_unique: 0, Key_name: 'PRIMARY', Seq_in_index: 1, Column_name: 'Id' },
      { Table: 'bin', Non_unique: 0, Key_name: 'ux_bin_Sku', Seq_in_index: 1, Column_name: 'Sku' },
    ],
  ],
];

/** Expression and its value, without a table. */
const VALUES: readonly (readonly [expression: string, value: string | number | null])[] = [
  ['7 / 2', 3.5],
  ['6/2*5', 15],
  ['7 div 2', 3],
  ['7 mod 4', 3],
  ['mod(7, 4)', 3],
  ['5--3', 8],
  ['1 / 0', null],
  ["if(1 > 2, 'a', 'b')", 'b'],
  ['ifnull(null, 3)', 3],
  ['isnull(null)', 1],
  ['nullif(1, 1)', null],
  ["coalesce(null, 'x')", 'x'],
  ['greatest(3, 20, 1)', 20],
  ["least('b', 'A', 'c')", 'A'],
  ["concat('a', 1, '-', 2.5)", 'a1-2.5'],
  ["concat('a', null)", null],
  ["concat_ws('-', 'a', null, 'b')", 'a-b'],
  ["left('héllo', 2)", 'hé'],
  ["right('hello', 3)", 'llo'],
  ["substring('hello', 2, 3)", 'ell'],
  ["substring('hello' from 2 for 3)", 'ell'],
  ["mid('hello', 2)", 'ello'],
  ["substring_index('a.b.c', '.', 2)", 'a.b'],
  ["substring_index('a.b.c', '.', -1)", 'c'],
  ["length('é')", 2],
  ["char_length('é')", 1],
  ["upper('abc')", 'ABC'],
  ["lcase('ABC')", 'abc'],
  ["trim('  x ')", 'x'],
  ["replace('aXbX', 'X', '-')", 'a-b-'],
  ["lpad('7', 3, '0')", '007'],
  ["rpad('ab', 4, 'xy')", 'abxy'],
  ["repeat('ab', 3)", 'ababab'],
  ["reverse('abc')", 'cba'],
  ["locate('L', 'hello')", 3],
  ["instr('hello', 'l')", 3],
  ["insert('Quadratic', 3, 4, 'What')", 'QuWhattic'],
  ["find_in_set('b', 'a,b,c')", 2],
  ["field('b', 'a', 'b')", 2],
  ["elt(2, 'a', 'b')", 'b'],
  ["strcmp('a', 'B')", -1],
  ['format(1234567.891, 2)', '1,234,567.89'],
  ["ascii('A')", 65],
  ['abs(-3)', 3],
  ['ceil(1.2)', 2],
  ['floor(-1.2)', -2],
  ['round(2.5)', 3],
  ['round(2.345, 1)', 2.3],
  ['truncate(2.39, 1)', 2.3],
  ['pow(2, 10)', 1024],
  ['sqrt(16)', 4],
  ['sign(-2)', -1],
  ["md5('a')", '0cc175b9c0f1b6a831c399e269772661'],
  ["sha1('a')", '86f7e437faa5a7fce15d1ddcb9eaeaea377667b8'],
  ["sha2('a', 256)", 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb'],
  ["cast('12' as signed)", 12],
  ["cast('1.50' as decimal(10,2))", 1.5],
  ['cast(12 as char)', '12'],
  ["convert('7', signed)", 7],
  ["cast('2024-02-03 04:05:06' as date)", '2024-02-03'],
  ["date('2024-02-03 04:05:06')", '2024-02-03'],
  ["time('2024-02-03 04:05:06')", '04:05:06'],
  ["date_format('2024-02-03 04:05:06', '%Y-%m-%d %H:%i:%s')", '2024-02-03 04:05:06'],
  ["date_format('2024-02-03 14:05:06', '%y%c%e %l:%i %p %W %M %j %%')", '2423 2:05 PM Saturday February 034 %'],
  ["date_format('2024-02-30', '%Y')", null],
  ["str_to_date('03/02/2024', '%d/%m/%Y')", '2024-02-03'],
  ["str_to_date('2024-02-03 04:05:06', '%Y-%m-%d %H:%i:%s')", '2024-02-03 04:05:06'],
  ["date_add('2024-01-31', interval 1 month)", '2024-02-29'],
  ["date_sub('2024-03-01 00:00:00', interval 90 second)", '2024-02-29 23:58:30'],
  ["date_add('2024-01-31', interval 1 hour)", '2024-01-31 01:00:00'],
  ["adddate('2024-01-31', 2)", '2024-02-02'],
  ["datediff('2024-03-01', '2024-02-28 23:00:00')", 2],
  ["timestampdiff(month, '2024-01-31', '2024-02-29')", 0],
  ["timestampdiff(minute, '2024-01-01 00:00:00', '2024-01-01 02:00:59')", 120],
  ["timestampadd(day, 1, '2024-02-28')", '2024-02-29'],
  ["extract(year from '2024-02-03')", 2024],
  ["year('2024-02-03')", 2024],
  ["quarter('2024-05-03')", 2],
  ["month('2024-02-03')", 2],
  ["dayofmonth('2024-02-03')", 3],
  ["dayofweek('2024-02-03')", 7],
  ["dayofyear('2024-02-03')", 34],
  ["weekday('2024-02-03')", 5],
  ["week('2024-02-03')", 4],
  ["weekofyear('2024-02-03')", 5],
  ["hour('2024-02-03 04:05:06')", 4],
  ["last_day('2024-02-03')", '2024-02-29'],
  ["dayname('2024-02-03')", 'Saturday'],
  ["to_days('2024-02-03')", 739284],
  ["unix_timestamp('2024-02-03 08:00:00')", 1706918400],
  ['from_unixtime(1706918400)', '2024-02-03 08:00:00'],
  ["from_unixtime(1706918400, '%Y/%m')", '2024/02'],
  ['sec_to_time(3661)', '01:01:01'],
  ["time_to_sec('01:01:01')", 3661],
  ['timestampdiff(second, now(), current_timestamp)', 0],
  ['curdate() = current_date', 1],
  ['unix_timestamp() - unix_timestamp(now())', 0],
  ['timestampdiff(hour, utc_timestamp(), now())', 8],
  ["'a' = 'a'", 1],
  ['1 <=> null', 0],
  ['null <=> null', 1],
  ["case when 1 then 'x' else 'y' end", 'x'],
  ["'abc' like 'A%'", 1],
  ["to_base64('abc')", 'YWJj'],
  ["hex('abc')", '616263'],
  ['json_unquote(json_extract(\'{"a":"b"}\', \'$.a\'))', 'b'],
];

/** Statement, its parameters, how many rows it matched; in this order. */
const WRITES: readonly (readonly [sql: string, parameters: Parameters, affected: number])[] = [
  ["insert into bin (Id, Sku, Kind, Qty) values ('4', @s, 'z', 1), ('5', 'E5', 'z', 2)", { s: "D'4" }, 2],
  ["insert ignore into bin (Id, Sku) values ('4', 'other')", {}, 0],
  [
    "insert into bin (Id, Sku, Qty) select concat('6', Id), concat(Sku, '-copy'), Qty from bin where Id = @id",
    { id: '2' },
    1,
  ],
  ['update bin set Qty = Qty - @n where Id = @id and Qty >= @n', { n: 3, id: '1' }, 1],
  ['update bin set Qty = Qty - @n where Id = @id and Qty >= @n', { n: 300, id: '1' }, 0],
  ["update bin set Kind = 'x' where Kind = 'X'", {}, 2],
  ["update bin set Kind = if(Qty is null, 'none', concat(Kind, '!')) where Id in (@ids)", { ids: ['3', '4'] }, 2],
  ["delete from bin where Sku = 'e5'", {}, 1],
  ["delete from bin where Sku = 'none'", {}, 0],
  ["insert into bin (Id, Sku, Qty) values ('7', 'G7', 1) on duplicate key update Qty = values(Qty)", {}, 1],
];
const LEFT = [
  { Id: '1', Sku: 'A1', Kind: 'x', Qty: 7 },
  { Id: '2', Sku: 'B2', Kind: 'y', Qty: 20 },
  { Id: '3', Sku: 'C3', Kind: 'none', Qty: null },
  { Id: '4', Sku: "D'4", Kind: 'z!', Qty: 1 },
  { Id: '62', Sku: 'B2-copy', Kind: null, Qty: 20 },
  { Id: '7', Sku: 'G7', Kind: null, Qty: 1 },
];

type Outcome = string | number | null;

/** What stays different (docs/sql.md): statement, and the first value or else the affected rows, or the error's code. */
const DIFFERENCES: readonly (readonly [sql: string, mysql: Outcome, sqlite: Outcome])[] = [
  ["select 'a' = 'A'", 1, 0],
  ["select upper('é')", 'É', 'é'],
  [
    'with recursive c (n) as (select 1 union all select n + 1 from c where n < 3) select max(n) from c',
    3,
    'DB_STATEMENT',
  ],
  ["select 'abc' regexp '^a'", 1, 'DB_STATEMENT'],
  ["select convert_tz('2024-01-01 00:00:00', '+00:00', '+08:00')", '2024-01-01 08:00:00', 'DB_STATEMENT'],
  ['select 1 xor 1', 0, 'DB_STATEMENT'],
  ['select cast(1.6 as signed)', 2, 1],
  ['select json_extract(\'{"a":"b"}\', \'$.a\')', '"b"', 'b'],
  ["insert into bin (Id, Sku, Qty) values ('1', 'A1', 11) on duplicate key update Qty = values(Qty)", 2, 1],
  ["replace into bin (Id, Sku) values ('1', 'A1')", 2, 1],
  ["insert into bin set Id = '8'", 1, 'DB_STATEMENT'],
  ["update bin a join bin b on a.Id = b.Id set a.Qty = 1 where a.Id = '2'", 1, 'DB_STATEMENT'],
  ["delete from bin where Kind = 'none' limit 1", 0, 'DB_STATEMENT'],
  ["update bin set Qty = 'many' where Id = '2'", 'DB_STATEMENT', 1],
];

export function describeSqlSession(name: 'SQLite' | 'MariaDB', open: OpenTenantStore): void {
  const filled = async (t: TestContext): Promise<TenantStore> => {
    const { store } = await open(t);
    await store.createTables([BIN]);
    return store;
  };

  describe(`scripts' SQL on ${name}`, () => {
    it('reads rows as MySQL does', async (t) => {
      const { sql } = await filled(t);
      const found = new Map<string, unknown>();
      for (const [text, parameters] of READS) {
        found.set(text, await runSql(sql, text, parameters).then(({ rows }) => plain(rows), String));
      }
      assert.deepEqual(found, new Map(READS.map(([text, , rows]) => [text, rows])));
    });

    it('computes as MySQL does', async (t) => {
      const { sql } = await filled(t);
      const found = new Map<string, unknown>();
      for (const [expression] of VALUES) {
        const value = await runSql(sql, `select ${expression} as v`).then(({ rows }) => rows[0]?.v, String);
        found.set(expression, value);
      }
      assert.deepEqual(found, new Map(VALUES));
    });

    it('differs where the documentation says so, and there alone', async (t) => {
      const { sql } = await filled(t);
      const found: [string, Outcome][] = [];
      for (const [text] of DIFFERENCES) found.push([text, await outcomeOf(sql, text)]);
      assert.deepEqual(
        found,
        DIFFERENCES.map(([text, mysql, sqlite]) => [text, name === 'SQLite' ? sqlite : mysql]),
      );
    });

    it('writes and counts what it matched', async (t) => {
      const { sql } = await filled(t);
      const found: unknown[] = [];
      for (const [text, parameters] of WRITES) {
        found.push(await runSql(sql, text, parameters).then(({ affected }) => affected, String));
      }
      assert.deepEqual(
        found,
        WRITES.map(([, , affected]) => affected),
      );
      const { rows } = await runSql(sql, 'select Id, Sku, Kind, Qty from bin order by Id');
      assert.deepEqual(plain(rows), LEFT);
    });

    it('names the columns of a unique conflict, and no value', async (t) => {
      const { sql } = await filled(t);
      const conflict = runSql(sql, "insert into bin (Id, Sku) values ('9', @s)", { s: 'a1' });
      await assert.rejects(conflict, (error) => hasCode('ROW_NOT_UNIQUE')(error) && /Sku/.test(String(error)));
    });

    it('runs in a transaction, sees its own rows and is undone with it', async (t) => {
      const store = await filled(t);
      const tx = await store.begin(1_000);
      await runSql(tx.sql, "update bin set Qty = 0 where Kind = 'x'");
      assert.equal((await runSql(tx.sql, 'select sum(Qty) q from bin')).rows[0]?.q, 20);
      assert.equal((await runSql(store.sql, 'select sum(Qty) q from bin')).rows[0]?.q, 30);
      await tx.rollback();
      assert.equal((await runSql(store.sql, 'select sum(Qty) q from bin')).rows[0]?.q, 30);
    });

    it('leaves the transaction open after a statement that fails', async (t) => {
      const store = await filled(t);
      const tx = await store.begin(1_000);
      await runSql(tx.sql, "update bin set Qty = 1 where Id = '1'");
      for (const bad of [
        'select * from nothing_here',
        'select nothing from bin',
        'select 1 1 1',
        'insert into bin (Id) values ("1")',
      ]) {
        await assert.rejects(
          runSql(tx.sql, bad),
          (error) => hasCode('DB_STATEMENT')(error) || hasCode('ROW_NOT_UNIQUE')(error),
          bad,
        );
      }
      assert.equal(tx.doom, undefined);
      await tx.commit({ claims: [], outbox: [] });
      assert.equal((await runSql(store.sql, "select Qty from bin where Id = '1'")).rows[0]?.Qty, 1);
    });

    it('ends a statement that passes its time, and goes on with the transaction', async (t) => {
      const store = await filled(t);
      const names = 'abcdefghijklmno'.split('');
      const joined = names.map((alias) => `bin ${alias}`).join(', ');
      const text = `select ${name === 'SQLite' ? 'a.Id' : 'count(*)'} from ${joined} where o.Kind <> a.Sku`;
      const guarded = guardSql(text);
      assert.ok(guarded.ok);
      const slow = (sql: SqlSession, ms: number) => sql.run(guarded.value, new Map(), ms);
      await assert.rejects(slow(store.sql, 1), hasCode('SQL_TIMEOUT'));
      const tx = await store.begin(1_000);
      await runSql(tx.sql, "update bin set Qty = 99 where Id = '1'");
      await assert.rejects(slow(tx.sql, 1), hasCode('SQL_TIMEOUT'));
      await runSql(tx.sql, "update bin set Kind = 'late' where Id = '1'");
      await tx.commit({ claims: [], outbox: [] });
      const { rows } = await runSql(store.sql, "select Qty, Kind from bin where Id = '1'");
      assert.deepEqual(plain(rows), [{ Qty: 99, Kind: 'late' }]);
    });

    it('reads no more rows and bytes than a host can hold', async (t) => {
      const { sql } = await filled(t);
      const digits =
        '(select 0 d union all select 1 union all select 2 union all select 3 union all select 4 union all select 5 union all select 6 union all select 7 union all select 8 union all select 9)';
      const powers = (count: number) => Array.from({ length: count }, (_, i) => `${digits} t${i}`).join(', ');
      assert.equal((await runSql(sql, `select 1 v from ${powers(4)}`)).rows.length, 10_000);
      await assert.rejects(runSql(sql, `select 1 v from ${powers(5)}`), hasCode('TOO_MANY_ROWS'));
      assert.equal((await runSql(sql, `select 1 v from ${powers(5)} limit 100000`)).rows.length, 100_000);
      await assert.rejects(runSql(sql, `select 1 v from ${powers(6)} limit 200000`), hasCode('TOO_MANY_ROWS'));
      await assert.rejects(
        runSql(sql, `select repeat('x', 100000) v from ${powers(3)}`),
        hasCode('V8_RESULT_TOO_LARGE'),
      );
      // The session is fit for the next statement.
      assert.equal((await runSql(sql, 'select 1 as serverStatus')).rows[0]?.serverStatus, 1);
    });

    it('binds every value: nothing in one becomes SQL', async (t) => {
      const { sql } = await filled(t);
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 30 }), async (text) => {
          const value = text.replaceAll('\0', '');
          const { rows } = await runSql(sql, 'select @v as v, concat(@v, @v) as w', { v: value });
          assert.deepEqual(plain(rows), [{ v: value, w: value + value }]);
        }),
        { numRuns: 100 },
      );
    });

    it('reads every literal as it was meant', async (t) => {
      const { sql } = await filled(t);
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: LITERAL_PIECE, maxLength: 12 }),
          fc.constantFrom("'", '"'),
          async (text, quote) => {
            const written = text.replaceAll('\\', '\\\\').replaceAll(quote, quote + quote);
            const { rows } = await runSql(sql, `select ${quote}${written}${quote} as v /* ${quote} */ -- ${quote}`);
            assert.deepEqual(plain(rows), [{ v: text }]);
          },
        ),
        { numRuns: 100 },
      );
    });
  });
}

async function outcomeOf(sql: SqlSession, text: string): Promise<Outcome> {
  try {
    const { rows, affected } = await runSql(sql, text);
    return rows.length === 0 ? affected : (Object.values(rows[0] ?? {})[0] ?? null);
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}
