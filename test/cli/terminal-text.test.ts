import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { displayWidth, tableLines } from '../../src/cli/text-table.ts';
import { visibleText } from '../../src/cli/visible-text.ts';

describe('a table', () => {
  it('counts two columns for wide characters and none for marks', () => {
    const widths: readonly (readonly [string, number])[] = [
      ['abc', 3],
      ['队列', 4],
      ['（），。', 8],
      ['かな한글', 8],
      ['e\u0301', 1],
      ['😀', 2],
      ['𠮷', 2],
      ['é—·', 3],
    ];
    for (const [text, width] of widths) assert.equal(displayWidth(text), width, text);
  });

  it('stands its columns under each other and ends lines without blanks', () => {
    assert.deepEqual(tableLines([['队列', 'x', ''], ['orders', 'yy', 'z'], ['a']]), [
      '队列    x',
      'orders  yy  z',
      'a',
    ]);
    assert.deepEqual(tableLines([]), []);
  });

  it('keeps a value on its line and its control characters harmless', () => {
    assert.deepEqual(tableLines([['a\nb\u001b[2J', 'c']]), ['a\\nb\\x1b[2J  c']);
    assert.equal(visibleText('\u202eabc\u0085\t中'), '\\u202eabc\\x85 中');
  });
});
