/** SQL that reaches for another schema or a hidden table, written in every way that came to mind. */
import fc from 'fast-check';

const GAP = fc.constantFrom(' ', '\n', '\t', '/**/', ' -- x\n', ' # x\n', '  ');

/** A dotted name in its many spellings. */
function spelt(schema: string, table: string): fc.Arbitrary<string> {
  const quoted = (name: string) => fc.constantFrom(name, `\`${name}\``);
  const dot = fc.constantFrom('.', ' . ', '/**/./**/', ' .', '. ', '.\n');
  return fc.tuple(quoted(schema), dot, quoted(table)).map((parts) => parts.join(''));
}

/** Places for a table, `%` where it goes. */
const PLACES = [
  'select * from %',
  'select Mark from %',
  'select x.* from % x',
  'select * from bin, %',
  'select * from bin b left join % on 1 = 1',
  'select * from bin b join % s on b.Id = b.Id',
  'select * from bin b join bin c on b.Id = c.Id, % s',
  'select * from (bin, %)',
  'select * from ((%))',
  'select * from (select * from %) s',
  'select (select max(Mark) from %) m',
  'select Id from bin union select Mark from %',
  'select Id from bin where exists (select 1 from % where Mark like @p)',
  'select extract(year from (select max(Mark) from %)) m',
  'select trim(both from (select max(Mark) from %)) m',
  'with s as (select * from %) select * from s',
  'select * from bin value, %',
  'select * from bin `where`, %',
  'select * from bin straight_join %',
  'select * from bin natural join %',
  'select * from lateral (select * from %) s',
  'select if(1, (select max(Mark) from %), 0) m',
  'select case when 1 then (select max(Mark) from %) end m',
  'select * from bin order by (select Mark from % limit 1)',
  'insert into bin (Id, Sku) select concat(Mark, @p), Mark from %',
  'insert into % (Mark) values (1)',
  'insert % set Mark = 1',
  'replace into % (Mark) values (1)',
  'replace % (Mark) values (1)',
  'update % set Mark = 1',
  'update bin b, % s set s.Mark = 1',
  'update bin b join % s set s.Mark = b.Id',
  'update bin set Sku = (select max(Mark) from %)',
  "update bin set Sku = concat((select max(Mark) from %), Id) where Id = '1'",
  'delete from %',
  'delete s from % s',
  'delete from bin using bin join %',
  'delete bin, s from bin join % s',
  'insert into bin (Id) values ((select max(Mark) from %))',
  "insert into bin (Id) values ('1') on duplicate key update Sku = (select max(Mark) from %)",
  'table %',
  'select * from bin where Id in (table %)',
  'select 1; select * from %',
  '/*! select * from % */',
  'select 1 /*! union select Mark from % */',
  'select Id from bin /*M! union select Mark from % */',
  'do (select max(Mark) from %)',
  'call %()',
  'handler % open',
  'lock tables % read',
  'select * from bin procedure analyse((select max(Mark) from %), 1)',
  'select * into outfile "/tmp/v8host" from %',
  'explain select * from %',
  'show create table %',
  'describe %',
  'truncate table %',
  'drop table %',
  'alter table % add x int',
  'create table stolen as select * from %',
] as const;

/** A statement that names `schema.table`, or `table` alone when there is no schema. */
export function hostileSql(schema: string | undefined, table: string): fc.Arbitrary<string> {
  const name =
    schema === undefined ? fc.constantFrom(table, `\`${table}\``, table.toUpperCase()) : spelt(schema, table);
  return fc
    .tuple(fc.constantFrom(...PLACES), name, GAP, fc.boolean())
    .map(([place, spelling, gap, isUpper]) =>
      (isUpper ? place.toUpperCase().replace('@P', '@p') : place).replaceAll('%', spelling).replaceAll(' ', gap),
    );
}

const PIECES = fc.constantFrom(
  '(',
  ')',
  '`',
  "'",
  '"',
  '.',
  ',',
  ' ',
  '/*',
  '*/',
  '--',
  '#',
  '\n',
  ' as ',
  ' x ',
  ' on ',
  ' from ',
  ' where ',
  '@',
  ';',
  '\\',
);

/** The same with a piece added or a few characters taken away somewhere: what an attacker tries next. */
export function mutated(sql: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const edits = fc.array(fc.tuple(fc.nat(120), PIECES, fc.nat(2)), { minLength: 1, maxLength: 3 });
  return fc
    .tuple(sql, edits)
    .map(([text, list]) =>
      list.reduce(
        (edited, [at, piece, removed]) =>
          edited.slice(0, at) + (removed === 0 ? piece : '') + edited.slice(at + removed),
        text,
      ),
    );
}
