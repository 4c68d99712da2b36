import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printable } from '../../src/core/printable.ts';

for (const [value, text] of [
  ['orders', 'orders'],
  ['订单', '订单'],
  ['a\nb\u0000c\u2028d\u202ee', 'a·b·c·d·e'],
  ['\ud800', '·'],
  ['x'.repeat(81), `${'x'.repeat(80)}…`],
  [5, '5'],
  [null, ''],
  [undefined, ''],
  [{ a: 1 }, '{…}'],
  [[1], '[…]'],
  [() => 1, 'function'],
  [Symbol('s'), 'symbol'],
] as const) {
  test(`${typeof value} ${String(value).slice(0, 10)} is shown as ${text.slice(0, 10)}`, () =>
    assert.equal(printable(value), text));
}
