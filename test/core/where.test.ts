import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { describeError } from '../../src/core/errors.ts';
import { parseWhere } from '../../src/core/where.ts';
import { accepted, refused } from '../support/parsed.ts';

const COLUMNS = ['Plant', 'Qty', 'Or', 'site'];
const one = (condition: unknown) => accepted(parseWhere([condition], COLUMNS))[0];

for (const input of [undefined, null, '', '  ', [], '[]']) {
  test(`${JSON.stringify(input)} is no condition`, () => assert.deepEqual(accepted(parseWhere(input, COLUMNS)), []));
}

test('conditions carry glue, the column in the case of the table, operator and value', () => {
  assert.deepEqual(
    accepted(
      parseWhere(
        [
          ['plant', '=', 'A1'],
          ['or', 'SITE', 'In', ['n1', 2, null, true]],
        ],
        COLUMNS,
      ),
    ),
    [
      { glue: 'and', column: 'Plant', operator: 'eq', value: 'A1' },
      { glue: 'or', column: 'site', operator: 'in', value: ['n1', 2, null, 1] },
    ],
  );
});

test('a list may come as JSON text', () => {
  assert.deepEqual(accepted(parseWhere(' [["And","Qty",">",1]] ', COLUMNS)), [
    { glue: 'and', column: 'Qty', operator: 'gt', value: 1 },
  ]);
});

for (const [spellings, operator] of [
  [['Equal', '=', '==', ' equal '], 'eq'],
  [['NotEqual', '<>', '!=', 'NOTEQUAL'], 'ne'],
  [['>'], 'gt'],
  [['>='], 'ge'],
  [['<'], 'lt'],
  [['<='], 'le'],
] as const) {
  for (const spelling of spellings) {
    test(`${spelling} is ${operator}`, () => assert.equal(one(['Qty', spelling, 5])?.operator, operator));
  }
}

for (const operator of ['like', 'notLike', 'startLike', 'notStartLike', 'endLike', 'notEndLike'] as const) {
  test(`${operator} compares text, in any case of its name`, () => {
    assert.deepEqual(one(['Plant', operator.toUpperCase(), 5]), { glue: 'and', column: 'Plant', operator, value: '5' });
    assert.equal(one(['Plant', operator, ''])?.value, '');
  });
}

for (const [operator, resolved] of [
  ['=', 'eq'],
  ['>', 'eq'],
  ['<=', 'eq'],
  ['In', 'eq'],
  ['<>', 'ne'],
  ['NotIn', 'ne'],
] as const) {
  test(`${operator} null is ${resolved} null`, () => {
    assert.deepEqual(one(['Qty', operator, null]), { glue: 'and', column: 'Qty', operator: resolved, value: null });
  });
}

for (const [value, list] of [
  [[], []],
  ['', []],
  ['(1, 2, 3)', []],
  ['5', []],
  ['["a", 1]', ['a', 1]],
  ['[7615917337495251231]', ['7615917337495251231']],
] as const) {
  test(`In ${JSON.stringify(value)} is the list ${JSON.stringify(list)}`, () => {
    assert.deepEqual(one(['Qty', 'In', value])?.value, list);
    assert.equal(one(['Qty', 'NotIn', value])?.operator, 'notIn');
  });
}

test('the fixed columns are known everywhere, and a column may be called Or', () => {
  assert.equal(one(['isdeleted', '=', 0])?.column, 'IsDeleted');
  assert.equal(one(['or', '=', 1])?.column, 'Or');
  assert.deepEqual(one(['or', 'or', '=', 1]), { glue: 'or', column: 'Or', operator: 'eq', value: 1 });
});

test('a bracket as value is a value', () => {
  assert.equal(one(['Plant', '=', ')'])?.value, ')');
  assert.equal(one(['AND', 'Plant', '=', '('])?.value, '(');
});

test('booleans are bound as 0 and 1', () => {
  assert.equal(one(['Qty', '=', true])?.value, 1);
  assert.equal(one(['Qty', '=', false])?.value, 0);
});

const GOOD = ['Qty', '=', 1];

for (const [why, input, index, rule] of [
  ['an object', { Name: 'Qty', Value: 1, Type: '=' }, 1, /object form is not supported/],
  ['a list of objects', [{ Name: 'Qty', Value: 1, Type: '=' }], 1, /object form is not supported/],
  ['a mixed list', [GOOD, { Name: 'Qty' }], 2, /object form is not supported/],
  ['a single flat condition', GOOD, 1, /write \[\[field/],
  ['a flat condition with glue', ['AND', 'Qty', '=', 1], 1, /write \[\[field/],
  ['a number', 5, 1, /list of conditions/],
  ['text that is no list', 'Qty = 1', 1, /list of conditions/],
  ['text that is broken JSON', '[["Qty","=",1]', 1, /list of conditions/],
  ['an unknown field', [GOOD, ['Qtty', '=', 1]], 2, /field Qtty does not exist/],
  ['a field of another table', [['stock.Qty', '=', 1]], 1, /field stock\.Qty/],
  ['an empty field', [['', '=', 1]], 1, /field {2}does not exist/],
  ['a field that is no text', [[5, '=', 1]], 1, /field 5/],
  ['an unknown operator', [GOOD, GOOD, ['Qty', 'Between', 1]], 3, /operator Between/],
  ['two parts', [['Qty', '=']], 1, /write \[field/],
  ['no parts', [[]], 1, /write \[field/],
  ['four parts without AND or OR', [['XOR', 'Qty', '=', 1]], 1, /write \[field/],
  ['five parts', [['AND', 'Qty', '=', 1, 2]], 1, /write \[field/],
  ['a text among the conditions', [GOOD, 'x'], 2, /write \[field/],
  ['null among the conditions', [GOOD, null], 2, /write \[field/],
  ['an opening bracket', [['(', 'Qty', '=', 1]], 1, /groups/],
  ['a closing bracket', [['Qty', '=', 1, ')']], 1, /groups/],
  ['a bracket after AND', [GOOD, ['AND', '(', 'Qty', '=', 1]], 2, /groups/],
  ['an object as value', [['Qty', '=', { a: 1 }]], 1, /finite number/],
  ['an array as value', [['Qty', '=', [1]]], 1, /finite number/],
  ['NaN', [['Qty', '=', Number.NaN]], 1, /finite number/],
  ['Infinity', [['Qty', '>', Number.POSITIVE_INFINITY]], 1, /finite number/],
  ['undefined', [['Qty', '=', undefined]], 1, /finite number/],
  ['In with a number', [['Qty', 'In', 5]], 1, /need an array/],
  ['In with an object inside', [['Qty', 'In', [1, {}]]], 1, /finite number/],
  ['Like null', [['Plant', 'Like', null]], 1, /not null/],
] as const) {
  test(`${why} is refused with its number and rule`, () => {
    const error = refused(parseWhere(input, COLUMNS));
    assert.equal(error.code, 'WHERE_INVALID');
    assert.equal(error.params.index, index);
    assert.match(describeError(error, 'en'), rule);
  });
}

const scalars = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constant(null),
  fc.boolean(),
);
const goodConditions = fc
  .tuple(
    fc.constantFrom([], ['AND'], ['or']),
    fc.constantFrom('plant', 'QTY', 'Id'),
    fc.constantFrom('=', '<>', '>', '<='),
    scalars,
  )
  .map(([glue, ...rest]) => [...glue, ...rest]);

test('every condition of an accepted list is in the result, in order', () => {
  fc.assert(
    fc.property(fc.array(goodConditions), (list) => {
      const parsed = accepted(parseWhere(list, COLUMNS));
      assert.deepEqual(
        parsed.map(({ column }) => column.toLowerCase()),
        list.map((parts) => String(parts.at(-3)).toLowerCase()),
      );
    }),
  );
});

test('whatever comes in, as many conditions come out or the list is refused', () => {
  const anything = fc.array(fc.oneof(goodConditions, fc.array(fc.anything(), { maxLength: 5 }), fc.anything()));
  fc.assert(
    fc.property(anything, (list) => {
      const parsed = parseWhere(list, COLUMNS);
      if (parsed.ok) assert.equal(parsed.value.length, list.length);
      else assert.equal(parsed.error.code, 'WHERE_INVALID');
    }),
  );
});
