import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orThrow } from '../../src/core/errors.ts';
import type { JsonValue } from '../../src/core/json.ts';
import { toWhereObjects } from '../../src/core/where-objects.ts';

/** Name, Type, Value, AndOr, opens a group, closes one. */
type Parts = readonly [string, string, JsonValue, string, boolean, boolean];

const CONDITIONS: readonly [condition: JsonValue, parts: Parts][] = [
  [
    ['A', '=', 1],
    ['A', '=', 1, 'And', false, false],
  ],
  [
    ['AND', 'A', '=', 1],
    ['A', '=', 1, 'And', false, false],
  ],
  [
    ['or', 'A', 'Like', 'x'],
    ['A', 'Like', 'x', 'Or', false, false],
  ],
  [
    ['(', 'A', '=', null],
    ['A', '=', null, 'And', true, false],
  ],
  [
    ['OR', '(', 'A', 'In', [1, 2]],
    ['A', 'In', [1, 2], 'Or', true, false],
  ],
  [
    ['(', 'OR', 'A', '=', 1],
    ['A', '=', 1, 'Or', true, false],
  ],
  [
    ['A', '=', 1, ')'],
    ['A', '=', 1, 'And', false, true],
  ],
  [
    ['OR', '((', '=', 1, ')', ')'],
    ['((', '=', 1, 'Or', false, true],
  ],
  [
    ['(', '(', 'A', '=', 1, ')', ')'],
    ['A', '=', 1, 'And', true, true],
  ],
  [
    ['A', '=', ')'],
    ['A', '=', ')', 'And', false, false],
  ],
];

for (const [condition, parts] of CONDITIONS) {
  test(`${JSON.stringify(condition)} as an object`, () => {
    const [object] = orThrow(toWhereObjects([condition]));
    assert.deepEqual(
      [object?.Name, object?.Type, object?.Value, object?.AndOr, object?.GroupStart, object?.GroupEnd],
      parts,
    );
  });
}

test('objects pass through, texts are read, nothing is an empty list', () => {
  const object = { Name: 'A', Type: 'Equal', Value: 1, FormEngineKey: 't' };
  assert.deepEqual(orThrow(toWhereObjects([object])), [object]);
  assert.equal(orThrow(toWhereObjects('[["A","=",1]]'))[0]?.Name, 'A');
  for (const nothing of [null, undefined, '', []]) assert.deepEqual(orThrow(toWhereObjects(nothing)), []);
});

test('what is no condition is refused with its number', () => {
  for (const bad of [['A', '='], ['A', '=', 1, 2], [1, '=', 1], 'A', [], ['AND', '('], null]) {
    const refused = toWhereObjects([['A', '=', 1], bad]);
    assert.equal(refused.ok, false, JSON.stringify(bad));
    assert.equal(!refused.ok && refused.error.params.index, 2);
  }
  for (const bad of ['no json', '{}', 5, {}]) assert.equal(toWhereObjects(bad).ok, false, JSON.stringify(bad));
});
