import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { systemClock } from '../../src/adapters/system/system-clock.ts';
import { localMillis, normalDateText } from '../../src/core/date-text.ts';
import { documentMatcher } from '../../src/core/document-match.ts';
import { parseDocumentWhere } from '../../src/core/document-where.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { accepted } from '../support/parsed.ts';

const { localText } = systemClock('Asia/Shanghai');
const parse = (input: unknown) => parseDocumentWhere(input, { localText, lang: 'en' });

describe('_Where of documents that cannot be read is refused (v8-surface.md 6.4 i)', () => {
  const refused: readonly [where: unknown, index: number, rule: RegExp][] = [
    ['Name = 1', 1, /write a list/],
    [{ Name: 'A' }, 1, /needs a list around it/],
    [['Name', '=', 1], 1, /needs a list around it/],
    [[['A', '=', 1], 'OR'], 2, /write \[AND\|OR/],
    [[['A', '=', { $gt: '' }]], 1, /string, a finite number/],
    [[['A', 'In', { $exists: true }]], 1, /array, or text with commas/],
    [[['A', 'In', [['x']]]], 1, /string, a finite number/],
    [[['$where', '=', 'sleep(1)']], 1, /no part of it begins with \$/],
    [[['A.$gt', '=', 1]], 1, /no part of it begins with \$/],
    [[['A..B', '=', 1]], 1, /it is not empty/],
    [[['', '=', 1]], 1, /it is not empty/],
    [[[5, '=', 1]], 1, /it is not empty/],
    [[['_id', 'Like', 'a']], 1, /_id cannot be compared by the Like/],
    [[['CreateTime', '=', '2026-01-31']], 1, /CreateTime is a moment/],
    [[['CreateTime', '>', 'yesterday']], 1, /CreateTime is a moment/],
    [
      [
        ['A', '=', 1],
        ['B', '=', 2, ')'],
      ],
      2,
      /closes a bracket/,
    ],
    [
      [
        ['(', 'A', '=', null],
        ['B', '=', 2],
      ],
      1,
      /not closed/,
    ],
    [[['A', 'Like', 'x'.repeat(10_001)]], 1, /at most 10000 characters/],
    [Array.from({ length: 501 }, () => ['A', '=', 1]), 501, /at most 500 conditions/],
    [[['A', 'In', Array.from({ length: 10_001 }, (_, n) => n)]], 1, /10000 values/],
  ];
  for (const [where, index, rule] of refused) {
    it(JSON.stringify(where).slice(0, 60), () => {
      const result = parse(where);
      assert.equal(result.ok, false);
      if (result.ok) return;
      assert.equal(result.error.code, 'WHERE_INVALID');
      assert.equal(result.error.params.index, index);
      assert.match(String(result.error.params.rule), rule);
    });
  }
});

describe('what the platform’s rules made of a condition', () => {
  it('is told to its author: an unknown operator, a short condition', () => {
    const { notes } = accepted(
      parse([
        ['A', 'Contains', 1],
        ['B', '='],
        ['C', '=', null],
      ]),
    );
    assert.deepEqual(
      notes.map(({ index, rule }) => [index, rule.en.slice(0, 21)]),
      [
        [1, 'the operator Contains'],
        [2, 'it has fewer than thr'],
      ],
    );
  });

  it('a condition that asks for nothing leaves no trace, its brackets among it', () => {
    assert.deepEqual(
      accepted(
        parse([
          ['(', 'A', '=', null],
          ['OR', 'B', '=', null, ')'],
        ]),
      ).nodes,
      [],
    );
  });
});

describe('a filter', () => {
  const value = fc.constantFrom('', 'a', 'A', 'ab', '1', '2026-01-31', 0, 1, 2.5, true, false, null);
  const document = fc.dictionary(fc.constantFrom('x', 'y'), fc.oneof(value, fc.array(value, { maxLength: 2 })), {
    noNullPrototype: true,
  });
  const found = (where: unknown, fields: JsonObject) =>
    documentMatcher(accepted(parse(where)).nodes)({ id: 'i', createdAt: 0, fields });

  it('and its negative divide all documents between them', () => {
    const pairs = [
      ['=', '<>'],
      ['In', 'NotIn'],
      ['Like', 'NotLike'],
      ['StartLike', 'NotStartLike'],
      ['EndLike', 'NotEndLike'],
    ];
    fc.assert(
      fc.property(document, value, fc.constantFrom(...pairs), (fields, operand, [positive, negative]) => {
        fc.pre(operand !== null);
        const given = positive === 'In' ? [operand] : operand;
        assert.notEqual(found([['x', positive, given]], fields), found([['x', negative, given]], fields));
      }),
    );
  });

  it('keeps to AND before OR', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.boolean(), fc.boolean(), (a, b, c) => {
        const where = [
          ['a', '=', true],
          ['OR', 'b', '=', true],
          ['AND', 'c', '=', true],
        ];
        assert.equal(found(where, { a, b, c }), a || (b && c));
        const grouped = [
          ['(', 'a', '=', true],
          ['OR', 'b', '=', true, ')'],
          ['AND', 'c', '=', true],
        ];
        assert.equal(found(grouped, { a, b, c }), (a || b) && c);
      }),
    );
  });
});

describe('a local text as a moment', () => {
  for (const zone of ['Asia/Shanghai', 'UTC', 'America/New_York', 'Australia/Lord_Howe']) {
    it(`is the moment whose text it is, in ${zone}`, () => {
      const { localText: write } = systemClock(zone);
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (seconds) => {
          const text = write(seconds * 1_000);
          assert.equal(write(localMillis(text, write)), text);
        }),
      );
    });
  }

  it('keeps milliseconds', () => {
    const text = normalDateText('2026-01-31 08:00:00.250', localText) ?? assert.fail();
    assert.equal(localMillis(text, localText), Date.UTC(2026, 0, 31, 0, 0, 0, 250));
  });
});
