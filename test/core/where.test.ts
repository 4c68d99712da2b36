import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Lang } from '../../src/core/errors.ts';
import { describeError } from '../../src/core/errors.ts';
import { type Condition, parseWhere, type WhereNode, type WhereScope } from '../../src/core/where.ts';
import { MAX_CONDITIONS, MAX_GROUP_DEPTH, MAX_VALUES } from '../../src/core/where-rule.ts';
import { accepted, refused } from '../support/parsed.ts';

const SCOPE: WhereScope = {
  table: 'Lab_Item',
  columns: [
    { name: 'Plant', kind: 'text' },
    { name: 'Qty', kind: 'integer' },
    { name: 'Price', kind: 'decimal' },
    { name: 'At', kind: 'datetime' },
    { name: 'Open', kind: 'boolean' },
    { name: 'Or', kind: 'text' },
    { name: 'site', kind: 'text' },
  ],
  localText: (millis) => new Date(millis + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' '),
  lang: 'en',
};

const parse = (input: unknown) => accepted(parseWhere(input, SCOPE));
const one = (condition: unknown) => parse([condition])[0] as Condition;

/** A tree as text: `A (B | C)`, with `|` for OR. */
function drawn(nodes: readonly WhereNode[]): string {
  return nodes
    .map((node, index) => {
      const text = 'group' in node ? `(${drawn(node.group)})` : String(node.value);
      return index === 0 ? text : `${node.glue === 'or' ? '|' : '&'} ${text}`;
    })
    .join(' ');
}

for (const input of [undefined, null, '', '  ', [], '[]']) {
  test(`${JSON.stringify(input)} is no condition`, () => assert.deepEqual(parse(input), []));
}

test('conditions carry glue, the column in the case of the table, operator and value', () => {
  const list = [
    ['plant', '=', 'A1'],
    ['or', 'SITE', 'In', ['n1', 2, null, true]],
  ];
  assert.deepEqual(parse(list), [
    { glue: 'and', column: 'Plant', operator: 'eq', value: 'A1' },
    { glue: 'or', column: 'site', operator: 'in', value: ['n1', '2', null, '1'] },
  ]);
});

test('a list may come as JSON text, of either form', () => {
  const expected = [{ glue: 'and', column: 'Qty', operator: 'gt', value: 1 }];
  assert.deepEqual(parse(' [["And","Qty",">",1]] '), expected);
  assert.deepEqual(parse('[{"Name":"Qty","Type":">","Value":1}]'), expected);
});

test('a field may name its own table, and no other', () => {
  assert.equal(one(['lab_item.QTY', '=', 1]).column, 'Qty');
  assert.equal(one({ FormEngineKey: 'LAB_ITEM', Name: 'qty', Type: '=', Value: 1 }).column, 'Qty');
  assert.equal(refused(parseWhere([['other.Qty', '=', 1]], SCOPE)).code, 'WHERE_INVALID');
  assert.equal(
    refused(parseWhere([{ FormEngineKey: 'other', Name: 'Qty', Type: '=', Value: 1 }], SCOPE)).code,
    'WHERE_INVALID',
  );
});

/** v8-surface.md 3.3, column "Spellings". */
const SPELLINGS = [
  [['Equal', '=', '==', ' equal '], 'eq'],
  [['NotEqual', '<>', '!=', 'NOTEQUAL'], 'ne'],
  [['>'], 'gt'],
  [['>='], 'ge'],
  [['<'], 'lt'],
  [['<='], 'le'],
] as const;

for (const [spellings, operator] of SPELLINGS) {
  for (const spelling of spellings) {
    test(`${spelling} is ${operator}`, () => assert.equal(one(['Qty', spelling, 5]).operator, operator));
  }
}

for (const operator of ['like', 'notLike', 'startLike', 'notStartLike', 'endLike', 'notEndLike'] as const) {
  test(`${operator} compares text, in any case of its name`, () => {
    assert.deepEqual(one(['Qty', operator.toUpperCase(), 5]), { glue: 'and', column: 'Qty', operator, value: '5' });
    assert.equal(one(['Plant', operator, '']).value, '');
  });
}

for (const [operator, resolved] of [
  ['=', 'eq'],
  ['>', 'eq'],
  ['>=', 'eq'],
  ['<', 'eq'],
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
  ['["7", 1]', [7, 1]],
  ['[7615917337495251231]', ['7615917337495251231']],
] as const) {
  test(`In ${JSON.stringify(value)} is the list ${JSON.stringify(list)}`, () => {
    assert.deepEqual(one(['Qty', 'In', value]).value, list);
    assert.equal(one(['Qty', 'NotIn', value]).operator, 'notIn');
  });
}

/** A value becomes what its column holds; `undefined` is refused. */
const FITTED: readonly (readonly [column: string, value: unknown, fitted: unknown])[] = [
  ['Qty', '7', 7],
  ['Qty', ' +007 ', 7],
  ['Qty', '1.50', 1.5],
  ['Qty', true, 1],
  ['Qty', '9007199254740993', '9007199254740993'],
  ['Qty', '-9007199254740993', '-9007199254740993'],
  ['Qty', '', undefined],
  ['Qty', 'abc', undefined],
  ['Qty', '1e3', undefined],
  ['Qty', '0x10', undefined],
  ['Price', '1.10', 1.1],
  ['Price', '-0', 0],
  ['Price', '.5', 0.5],
  ['Price', '12345678901234567.89', '12345678901234567.89'],
  ['Price', '1,000', undefined],
  ['Open', 'TRUE', 1],
  ['Open', '0', 0],
  ['Open', 2, undefined],
  ['At', '2026-01-31', '2026-01-31 00:00:00'],
  ['At', '2026/1/5 7:08', '2026-01-05 07:08:00'],
  ['At', '2026-01-31T08:09:10', '2026-01-31 08:09:10'],
  ['At', '2026-01-31T18:09:10.000Z', '2026-02-01 02:09:10'],
  ['At', '2026-01-31T18:09:10.250+02:00', '2026-02-01 00:09:10.25'],
  ['At', '2024-02-29', '2024-02-29 00:00:00'],
  ['At', '2026-02-29', undefined],
  ['At', '2026-13-01', undefined],
  ['At', '2026-01-31 24:00:00', undefined],
  ['At', '2026-01-31Z', undefined],
  ['At', 'yesterday', undefined],
  ['At', '', undefined],
  ['At', 1767225600000, undefined],
  ['Plant', 5, '5'],
  ['Plant', 0.1 + 0.2, '0.30000000000000004'],
  ['Plant', false, '0'],
];

for (const [column, value, fitted] of FITTED) {
  test(`${column} compares with ${JSON.stringify(value)} as ${JSON.stringify(fitted) ?? 'nothing: refused'}`, () => {
    if (fitted !== undefined) {
      assert.deepEqual(one([column, '=', value]).value, fitted);
      assert.deepEqual(one([column, 'In', [value]]).value, [fitted]);
      return;
    }
    for (const operator of ['=', 'In']) {
      const error = refused(parseWhere([[column, operator, operator === 'In' ? [value] : value]], SCOPE));
      assert.match(describeError(error, 'en'), new RegExp(`value for ${column} must be`));
    }
  });
}

test('a column may be called Or, and a bracket may be a value', () => {
  assert.equal(one(['or', '=', 1]).column, 'Or');
  assert.deepEqual(one(['or', 'or', '=', 1]), { glue: 'or', column: 'Or', operator: 'eq', value: '1' });
  assert.equal(one(['Or', '=', 1, ')', '('].slice(0, 3)).column, 'Or');
  assert.equal(drawn(parse([['(', 'Or', '=', 1, ')']])), '(1)');
  assert.equal(one(['Plant', '=', ')']).value, ')');
  assert.equal(one(['AND', 'Plant', '=', '(']).value, '(');
  assert.equal(drawn(parse([['(', 'Plant', '=', ')', ')']])), '())');
});

/** Groups (v8-surface.md 3.1): list, and the tree it means. */
const GROUPS: readonly (readonly [title: string, list: readonly unknown[], tree: string])[] = [
  [
    'no brackets',
    [
      ['Plant', '=', 'a'],
      ['OR', 'Plant', '=', 'b'],
      ['Plant', '=', 'c'],
    ],
    'a | b & c',
  ],
  [
    'a group after AND',
    [
      ['Plant', '=', 'a'],
      ['AND', '(', 'Plant', '=', 'b'],
      ['OR', 'Plant', '=', 'c', ')'],
    ],
    'a & (b | c)',
  ],
  [
    'a bracket before AND',
    [
      ['Plant', '=', 'a'],
      ['(', 'OR', 'Plant', '=', 'b'],
      ['AND', 'Plant', '=', 'c', ')'],
    ],
    'a | (b & c)',
  ],
  [
    'a leading group without glue',
    [
      ['(', 'Plant', 'Like', 'a'],
      ['OR', 'Plant', '=', 'b', ')'],
    ],
    '(a | b)',
  ],
  [
    'a group of one',
    [
      ['(', 'Plant', '=', 'a', ')'],
      ['or', 'Plant', '=', 'b'],
    ],
    '(a) | b',
  ],
  [
    'groups in groups, over several conditions',
    [
      ['(', 'Plant', '=', 'a'],
      ['AND', '(', 'Plant', '=', 'b'],
      ['OR', 'Plant', '=', 'c', ')'],
      ['OR', 'Plant', '=', 'd', ')'],
    ],
    '(a & (b | c) | d)',
  ],
  [
    'several brackets are one',
    [
      ['(', '(', 'Plant', '=', 'a'],
      ['OR', 'Plant', '=', 'b', ')'],
    ],
    '(a | b)',
  ],
  ['several brackets on both sides are one', [['(', '(', 'Plant', '=', 'a', ')', ')']], '(a)'],
  [
    'several brackets that only nest as written',
    [
      ['(', '(', 'Plant', '=', 'a'],
      ['OR', 'Plant', '=', 'b', ')'],
      ['AND', 'Plant', '=', 'c', ')'],
    ],
    '((a | b) & c)',
  ],
  [
    'the glue of the first condition is ignored',
    [
      ['OR', '(', 'Plant', '=', 'a', ')'],
      ['Plant', '=', 'b'],
    ],
    '(a) & b',
  ],
];

for (const [title, list, tree] of GROUPS) {
  test(`groups: ${title}`, () => assert.equal(drawn(parse(list)), tree));
}

/** v8-surface.md 3.2: each row is one condition in its object and its array form. */
const BOTH_FORMS: readonly (readonly [object: object, array: readonly unknown[]])[] = [
  [{ Name: 'Plant', Value: 'a', Type: 'Equal' }, ['Plant', 'Equal', 'a']],
  [{ name: 'Plant', VALUE: 'a', type: '=' }, ['Plant', '=', 'a']],
  [{ Name: 'Plant', Type: '<>' }, ['Plant', '<>', null]],
  [{ Name: 'Qty', Value: [1, '2'], Type: 'In', AndOr: 'Or' }, ['Or', 'Qty', 'In', [1, '2']]],
  [{ Name: 'Qty', Value: '[1]', Type: 'NotIn', AndOr: '' }, ['Qty', 'NotIn', '[1]']],
  [{ Name: 'Qty', Value: 1, Type: '>', GroupStart: true, GroupEnd: 1 }, ['(', 'Qty', '>', 1, ')']],
  [
    { Name: 'Qty', Value: 1, Type: '>', GroupStart: 'true', GroupEnd: '1', AndOr: 'AND' },
    ['AND', '(', 'Qty', '>', 1, ')'],
  ],
  [{ Name: 'Qty', Value: 1, Type: '>', GroupStart: false, GroupEnd: '0', _X_ROW_KEY: 'row_1' }, ['Qty', '>', 1]],
];

for (const [object, array] of BOTH_FORMS) {
  test(`${JSON.stringify(object)} is ${JSON.stringify(array)}`, () => {
    assert.deepEqual(parse([object]), parse([array]));
    assert.deepEqual(parse([['Qty', '=', 1], object]), parse([['Qty', '=', 1], array]), 'mixed lists keep every part');
  });
}

const GOOD = ['Qty', '=', 1];
const many = (count: number, item: unknown) => Array.from({ length: count }, () => item);

for (const [why, input, index, rule] of [
  ['a single object', { Name: 'Qty', Value: 1, Type: '=' }, 1, /a single condition needs a list/],
  ['a single flat condition', GOOD, 1, /a single condition needs a list/],
  ['a flat condition with glue', ['AND', 'Qty', '=', 1], 1, /a single condition needs a list/],
  ['a number', 5, 1, /list of conditions/],
  ['text that is no list', 'Qty = 1', 1, /list of conditions/],
  ['text that is broken JSON', '[["Qty","=",1]', 1, /list of conditions/],
  ['an unknown field', [GOOD, ['Qtty', '=', 1]], 2, /field Qtty does not exist/],
  ['a fixed column that the table lacks', [['IsDeleted', '=', 1]], 1, /field IsDeleted/],
  ['a field of another table', [['stock.Qty', '=', 1]], 1, /field stock\.Qty/],
  ['an empty field', [['', '=', 1]], 1, /field {2}does not exist/],
  ['a field that is no text', [[5, '=', 1]], 1, /field 5/],
  ['an unknown operator', [GOOD, GOOD, ['Qty', 'Between', 1]], 3, /operator Between/],
  ['an unknown operator in brackets', [['AND', '(', 'Qty', 'IsNull', 1, ')']], 1, /operator IsNull/],
  ['two parts', [['Qty', '=']], 1, /write \[AND/],
  ['no parts', [[]], 1, /write \[AND/],
  ['four parts without AND or OR', [['XOR', 'Qty', '=', 1]], 1, /write \[AND/],
  ['five parts', [['AND', 'Qty', '=', 1, 2]], 1, /write \[AND/],
  ['glue twice', [['AND', 'OR', 'Qty', '=', 1]], 1, /write \[AND/],
  ['a bracket between the parts', [['Qty', '(', '=', 1]], 1, /write \[AND/],
  ['a bracket alone', [['('], GOOD], 1, /write \[AND/],
  ['thousands of brackets', [[...many(5_000, '('), ...GOOD, ...many(5_000, ')')]], 1, /write \[AND/],
  ['a text among the conditions', [GOOD, 'x'], 2, /write \[AND/],
  ['null among the conditions', [GOOD, null], 2, /write \[AND/],
  ['an object as value', [['Qty', '=', { a: 1 }]], 1, /finite number/],
  ['an array as value', [['Qty', '=', [1]]], 1, /finite number/],
  ['NaN', [['Qty', '=', Number.NaN]], 1, /finite number/],
  ['Infinity', [['Qty', '>', Number.POSITIVE_INFINITY]], 1, /finite number/],
  ['undefined', [['Qty', '=', undefined]], 1, /finite number/],
  ['In with a number', [['Qty', 'In', 5]], 1, /need an array/],
  ['In with an object inside', [['Qty', 'In', [1, {}]]], 1, /finite number/],
  ['Like null', [['Plant', 'Like', null]], 1, /not null/],
  ['a pattern without end', [['Plant', 'Like', 'x'.repeat(10_001)]], 1, /at most 10000 characters/],
  ['an object without Type', [{ Name: 'Qty', Value: 1 }], 1, /Type is missing/],
  ['an object without Name', [{ Type: '=', Value: 1 }], 1, /field {2}does not exist/],
  ['an object with a strange property', [{ Name: 'Qty', Type: '=', Valeu: 1 }], 1, /no property Valeu/],
  ['an object with a strange AndOr', [{ Name: 'Qty', Type: '=', Value: 1, AndOr: 'Xor' }], 1, /AndOr must be/],
  ['an object with a strange GroupStart', [{ Name: 'Qty', Type: '=', Value: 1, GroupStart: '(' }], 1, /must be true/],
  ['a bracket that is not closed', [GOOD, ['(', 'Qty', '=', 1], GOOD], 2, /is not closed/],
  ['a bracket that was not opened', [GOOD, GOOD, ['Qty', '=', 1, ')']], 3, /was not opened/],
  [
    'several brackets that mean something else as one',
    [
      ['Plant', '=', 'x'],
      ['AND', '(', '(', 'Plant', '=', 'a'],
      ['AND', 'Plant', '=', 'b', ')'],
      ['OR', '(', 'Plant', '=', 'c'],
      ['AND', 'Plant', '=', 'd', ')', ')'],
    ],
    2,
    /several brackets in one condition/,
  ],
  ['too deep a nest', many(MAX_GROUP_DEPTH + 1, ['(', 'Qty', '=', 1]), MAX_GROUP_DEPTH + 1, /nest at most 32/],
  ['too many conditions', many(MAX_CONDITIONS + 1, GOOD), MAX_CONDITIONS + 1, /at most 500 conditions/],
  ['too many values', [GOOD, ['Qty', 'In', many(MAX_VALUES, 1)]], 2, /10000 values/],
] as const) {
  test(`${why} is refused with its number and rule`, () => {
    const error = refused(parseWhere(input, SCOPE));
    assert.equal(error.code, 'WHERE_INVALID');
    assert.equal(error.params.index, index);
    assert.match(describeError(error, 'en'), rule);
  });
}

test('the largest list is taken', () => {
  assert.equal(parse(many(MAX_CONDITIONS, GOOD)).length, MAX_CONDITIONS);
  assert.equal((one(['Qty', 'In', many(MAX_VALUES, 1)]).value as unknown[]).length, MAX_VALUES);
  const open = many(MAX_GROUP_DEPTH, ['(', 'Qty', '=', 1]);
  assert.equal(parse([...open, ...many(MAX_GROUP_DEPTH, ['Qty', '=', 1, ')'])]).length, 1);
});

test('a refusal is in the language of the call alone', () => {
  const sentence = (lang: Lang) => describeError(refused(parseWhere([['Qtty', '=', 1]], { ...SCOPE, lang })), lang);
  assert.equal(sentence('zh'), '_Where 第 1 个条件不合法：字段 Qtty 不存在：检查拼写。');
  assert.equal(sentence('en'), '_Where condition 1 is invalid: the field Qtty does not exist: check its spelling.');
});

const texts = fc.oneof(fc.string(), fc.constantFrom('(', ')', 'AND', 'or', '=', 'In'));
const scalars = fc.oneof(
  texts,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constant(null),
  fc.boolean(),
);

/** A condition in both forms. */
const twins = fc
  .record({
    glue: fc.constantFrom(undefined, 'And', 'OR'),
    opens: fc.boolean(),
    closes: fc.boolean(),
    name: fc.constantFrom('plant', 'SITE', 'Or'),
    type: fc.constantFrom('=', '<>', '>', '<=', 'Like', 'In'),
    value: scalars,
  })
  .map(({ glue, opens, closes, name, type, value }) => {
    const bound = type === 'In' && value !== null ? [value] : type === 'Like' ? String(value) : value;
    const before = [...(glue === undefined ? [] : [glue]), ...(opens ? ['('] : [])];
    return {
      array: [...before, name, type, bound, ...(closes ? [')'] : [])],
      object: { Name: name, Value: bound, Type: type, AndOr: glue, GroupStart: opens, GroupEnd: closes },
    };
  });

test('both forms of any list mean the same tree, or are refused alike', () => {
  fc.assert(
    fc.property(fc.array(twins, { maxLength: 8 }), (list) => {
      const arrays = parseWhere(
        list.map(({ array }) => array),
        SCOPE,
      );
      const objects = parseWhere(
        list.map(({ object }) => object),
        SCOPE,
      );
      assert.deepEqual(objects, arrays);
    }),
    { numRuns: 500 },
  );
});

function conditionsOf(nodes: readonly WhereNode[]): readonly Condition[] {
  return nodes.flatMap((node) => ('group' in node ? conditionsOf(node.group) : [node]));
}

test('whatever comes in, as many conditions come out or the list is refused', () => {
  const anyItem = fc.oneof(
    twins.map(({ array }) => array),
    twins.map(({ object }) => object),
    fc.array(fc.anything(), { maxLength: 5 }),
    fc.anything(),
  );
  fc.assert(
    fc.property(fc.array(anyItem), (list) => {
      const parsed = parseWhere(list, SCOPE);
      if (!parsed.ok) return assert.equal(parsed.error.code, 'WHERE_INVALID');
      const conditions = conditionsOf(parsed.value);
      assert.equal(conditions.length, list.length);
      for (const { column } of conditions) assert.ok(SCOPE.columns.some(({ name }) => name === column));
    }),
    { numRuns: 500 },
  );
});
