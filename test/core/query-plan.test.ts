/** Plans as SQLite writes them, and how many rows they step through. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasNestedScans, type PlanRow, rowSteps } from '../../src/core/query-plan.ts';

/** Each line is a row; two blanks in front of it make it part of the one above. */
function planOf(text: string): PlanRow[] {
  const open: number[] = [0];
  return text
    .trim()
    .split('\n')
    .map((line, i) => {
      const depth = line.search(/\S/) / 2;
      open[depth + 1] = i + 1;
      return { id: i + 1, parent: open[depth] ?? 0, detail: line.trim() };
    });
}

const SIZES: Record<string, number> = { a: 1_000, b: 2_000, c: 10, 'a b': 5 };
const sizeOf = (name: string) => SIZES[name];

const PLANS: readonly (readonly [what: string, plan: string, steps: number, nested: boolean])[] = [
  ['one table', 'SCAN a', 1_000, false],
  ['a row by its index', 'SEARCH a USING INDEX sku (Sku=?)', 0, false],
  ['a range of an index', 'SEARCH a USING INDEX sku (Qty>?)', 1_000, false],
  ['a part of an index, then a range', 'SEARCH a USING INDEX sku (Sku=? AND Qty>?)', 0, false],
  ['a join by an index', 'SCAN a\nSEARCH b USING AUTOMATIC COVERING INDEX (Sku=?)', 1_000, false],
  ['a join of everything with everything', 'SCAN a\nSCAN b', 1_000 + 2_000_000, true],
  ['three loops', 'SCAN a\nSCAN b\nSCAN c', 1_000 + 2_000_000 + 20_000_000, true],
  ['a join on a range', 'SCAN a\nSEARCH b USING INDEX sku (Qty<?) LEFT-JOIN', 1_000 + 2_000_000, true],
  ['a subquery for each row', 'SCAN a\nCORRELATED SCALAR SUBQUERY 1\n  SCAN b', 1_000 + 2_000_000, true],
  [
    'a subquery for the one row',
    'SEARCH a USING INDEX sku (Sku=?)\nCORRELATED SCALAR SUBQUERY 1\n  SCAN b',
    2_000,
    false,
  ],
  ['a subquery once', 'SCAN a\nLIST SUBQUERY 1\n  SCAN b', 3_000, false],
  ['a subquery by a name', 'MATERIALIZE v\n  SCAN a\nSCAN b\nSCAN v', 1_000 + 2_000 + 2_000_000, true],
  ['a subquery by a name alone', 'CO-ROUTINE v\n  SCAN a\nSCAN v\nUSE TEMP B-TREE FOR ORDER BY', 2_000, false],
  ['a union', 'COMPOUND QUERY\n  LEFT-MOST SUBQUERY\n    SCAN a\n  UNION ALL\n    SCAN b', 3_000, false],
  [
    'a union by a name in a loop',
    'CO-ROUTINE v\n  COMPOUND QUERY\n    LEFT-MOST SUBQUERY\n      SCAN c\n    UNION ALL\n      SCAN c\nSCAN b\nSCAN v',
    20 + 2_000 + 40_000,
    true,
  ],
  ['rows that are written out', 'SCAN 3-ROW VALUES CLAUSE\nSCAN c\nSCAN CONSTANT ROW', 3 + 30 + 30, true],
  ['an alias with blanks', 'SCAN a b USING COVERING INDEX x\nSCAN c LEFT-JOIN', 5 + 50, true],
  ['what is no table', 'SCAN a\nSCAN pragma_table_info VIRTUAL TABLE INDEX 0', 2_000, true],
];

for (const [what, plan, steps, nested] of PLANS) {
  test(`${what}: ${steps} rows`, () => {
    const rows = planOf(plan);
    assert.equal(rowSteps(rows, sizeOf), steps);
    assert.equal(hasNestedScans(rows), nested);
  });
}
