/** One `_Where` in both of its forms finds the same rows on both databases, or is refused alike. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DosResult } from '../../../src/core/dos-result.ts';
import type { Row } from '../../../src/ports/table-store.ts';
import type { TableDefinition } from '../../../src/ports/tenant-store.ts';
import { ScriptRun } from '../../support/script-run.ts';
import { openMysqlPlace } from './mysql-place.ts';
import { openSqlitePlace } from './sqlite-place.ts';

const ITEM: TableDefinition = {
  name: 'lab_item',
  fields: [
    { name: 'Sku', type: 'varchar(50)', unique: false },
    { name: 'Note', type: 'mediumtext', unique: false },
    { name: 'Qty', type: 'int', unique: false },
    { name: 'Big', type: 'bigint', unique: false },
    { name: 'Price', type: 'decimal(18,2)', unique: false },
    { name: 'At', type: 'datetime', unique: false },
  ],
  rows: [],
};

/** Letters of both cases and a wildcard; what lies between the cases is sorted otherwise by MariaDB than by SQLite. */
const words = fc.oneof(
  fc.constantFrom('', 'a', 'A', 'ab', 'a%', '%', '0', '10', 'null'),
  fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'B', '%', '1'), maxLength: 4 }),
);
/** With every wildcard and the escape. */
const texts = fc.oneof(
  fc.constantFrom('', 'a', 'A', 'ab', 'a%', '%', '_', '\\', 'a\\', '\\%', '0', '10', 'null'),
  fc.string({ unit: fc.constantFrom('a', 'A', 'b', '%', '_', '\\', '1'), maxLength: 4 }),
);
const integers = fc.oneof(fc.integer({ min: -2, max: 12 }), fc.constantFrom('0', '10', '-1', '007'));
const bigs = fc.constantFrom('9007199254740992', '9007199254740993', '9007199254740994', 5, '-9007199254740993');
const prices = fc.constantFrom(0, 1.5, '1.50', '1.5', 2, '2.00', -0.25, '.5', '100');
const dates = fc.constantFrom(
  '2026-01-31',
  '2026-01-31 08:00:00',
  '2026/1/31',
  '2026-02-01T00:00',
  '2025-12-31 23:59:59',
);

const VALUES: Readonly<Record<string, fc.Arbitrary<string | number>>> = {
  Sku: words,
  Note: texts,
  Qty: integers,
  Big: bigs,
  Price: prices,
  At: dates,
};

const EQUAL = ['=', 'Equal', '<>', '!='];
const COMPARE = [...EQUAL, '>', '>=', '<', '<='];
const LIKE = ['Like', 'NotLike', 'StartLike', 'NotStartLike', 'EndLike', 'NotEndLike'];

/** Field, operator and a value of its kind, now and then one that does not fit. */
const comparisons = fc.constantFrom(...Object.keys(VALUES)).chain((field) => {
  const value: fc.Arbitrary<unknown> = fc.oneof(
    { weight: 12, arbitrary: VALUES[field] ?? texts },
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom('zzz', true) },
  );
  const like =
    field === 'Sku' || field === 'Note' ? [fc.tuple(fc.constantFrom(...LIKE), texts as fc.Arbitrary<unknown>)] : [];
  const list = fc.tuple(fc.constantFrom('In', 'NotIn'), fc.array(value, { maxLength: 3 }) as fc.Arbitrary<unknown>);
  return fc
    .oneof(fc.tuple(fc.constantFrom(...(field === 'Note' ? EQUAL : COMPARE)), value), list, ...like)
    .map(([operator, compared]) => ({ field, operator, value: compared }));
});

/** A list with brackets that close, in both forms. */
const lists = fc
  .array(fc.tuple(comparisons, fc.constantFrom('AND', 'OR'), fc.boolean()), { minLength: 1, maxLength: 5 })
  .map((parts) => {
    let open = false;
    return parts.map(([{ field, operator, value }, glue, bracket], index) => {
      const opens = bracket && !open;
      const closes = (open || opens) && (bracket !== opens || index === parts.length - 1);
      open = (open || opens) && !closes;
      return {
        array: [glue, ...(opens ? ['('] : []), field, operator, value, ...(closes ? [')'] : [])],
        object: { Name: field, Type: operator, Value: value, AndOr: glue, GroupStart: opens, GroupEnd: closes },
      };
    });
  });

const rowValues = fc.record({
  Sku: fc.option(words),
  Note: fc.option(texts),
  Qty: fc.option(integers),
  Big: fc.option(bigs),
  Price: fc.option(prices),
  At: fc.option(dates),
});

const seen = (result: DosResult) =>
  result.Code === 1 ? (result.Data as Row[]).map(({ Id }) => Id).join(' ') : `${result.ReasonCode}: ${result.Msg}`;

test('both forms find the same rows on SQLite and MariaDB', async (t) => {
  const stores = [(await openSqlitePlace(t)).store, (await openMysqlPlace(t)).store];
  const runs: ScriptRun[] = [];
  const rows = fc.sample(rowValues, 60).map((row, index) => ({ FormEngineKey: 'lab_item', Id: `r${index}`, ...row }));
  for (const store of stores) {
    await store.createTables([ITEM]);
    const run = new ScriptRun({ tables: store.tables });
    const added = await run.result('FormEngine.AddTableData', rows);
    assert.equal(added.Code, 1, String(added.Msg));
    runs.push(run);
  }
  let found = 0;
  await fc.assert(
    fc.asyncProperty(lists, async (list) => {
      const answers = new Set<string>();
      for (const run of runs) {
        for (const form of ['array', 'object'] as const) {
          const _Where = list.map((condition) => condition[form]);
          const param = { _Where, _OrderBy: 'Id', _SelectFields: ['Id'] };
          answers.add(seen(await run.result('FormEngine.GetTableData', 'lab_item', param)));
        }
      }
      assert.equal(answers.size, 1, [...answers].join('\n'));
      if ([...answers][0]?.startsWith('r')) found += 1;
    }),
    { numRuns: 400 },
  );
  assert.ok(found > 80, `${found} lists found rows: they must not all be refused`);
});
