import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { EngineRunner } from '../../src/ports/engine-runner.ts';
import { openLanes, returnedBy } from '../support/lanes.ts';

let lanes: EngineRunner;
before(async () => {
  lanes = await openLanes();
});
after(() => lanes.close());

const VALUES: readonly [expression: string, value: number | null][] = [
  ['calc("+", 0.1, 0.2)', 0.3],
  ['calc("-", 1, 0.9)', 0.1],
  ['calc("*", 1.1, 1.1)', 1.21],
  ['calc("/", 0.3, 0.1)', 3],
  ['calc("/", 1, 3)', 1 / 3],
  ['calc("%", 5.5, 2)', 1.5],
  ['calc("+", 0.1, 0.2, 0.3, 0.4)', 1],
  ['calc("-", 10, 1, 2)', 7],
  ['calc("add", "1.005", "2.005")', 3.01],
  ['calc("MUL", 19.9, 100)', 1990],
  ['calc(" div ", 1e21, 1e3)', 1e18],
  ['calc("sub", 1e-7, 1e-8)', 9e-8],
  ['calc("+", "12345678901234567890.12", 0)', 1.2345678901234567e19],
  ['calc("+", 5)', 5],
  ['calc("+", -0.1, -0.2)', -0.3],
  // As in plain arithmetic, what is no number spoils the result; JSON has no NaN.
  ['calc("+", 1, "x")', null],
  ['calc("+", 1, "")', null],
  ['calc("+", 1, null)', 1],
  ['calc("/", 1, 0)', null],
  ['calc("%", 1, 0)', null],
  ['calc("+")', null],
];

for (const [expression, value] of VALUES) {
  test(`${expression} is ${value}`, async () => {
    assert.equal(await returnedBy(lanes, `return ${expression}`), value);
  });
}

test('an unknown operation throws', async () => {
  for (const op of ['"**"', 'undefined', '"constructor"', '"__proto__"', '{}']) {
    const message = await returnedBy(lanes, `try { calc(${op}, 1, 2) } catch (e) { return e.message }`);
    assert.match(String(message), /unknown operation/, op);
  }
});

test('sums and products of cents are exact', async () => {
  const cents = fc.sample(fc.tuple(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: -1e6, max: 1e6 })), 300);
  const results = await returnedBy(
    lanes,
    'return V8.Param.map(([a, b]) => [calc("+", a / 100, b / 100), calc("-", a / 100, b / 100), calc("*", a / 100, b / 100)])',
    { input: { Param: cents } },
  );
  const expected = cents.map(([a, b]) => [(a + b) / 100, (a - b) / 100, (a * b) / 10_000]);
  assert.deepEqual(JSON.stringify(results), JSON.stringify(expected));
});
