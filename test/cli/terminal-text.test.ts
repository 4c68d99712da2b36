import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { localTime } from '../../src/cli/local-time.ts';
import { displayWidth, tableLines } from '../../src/cli/text-table.ts';
import { firstLine, visibleLines, visibleText } from '../../src/cli/visible-text.ts';
import { shellWord } from '../../src/core/shell-word.ts';

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

describe('a text of several lines', () => {
  it('is shown line by line, or by its first line alone', () => {
    assert.deepEqual(visibleLines('a\r\nb\u001b\nc', '  '), ['  a', '  b\\x1b', '  c']);
    assert.equal(firstLine('a\nb'), 'a');
    assert.equal(firstLine('😀'.repeat(101)), `${'😀'.repeat(99)}…`);
  });
});

describe('a time', () => {
  it("is written in the host's time zone", () => {
    const ms = Date.UTC(2026, 11, 31, 16, 0, 0, 7);
    assert.equal(localTime('Asia/Shanghai').text(ms), '2027-01-01 00:00:00.007');
    assert.equal(localTime('UTC').text(ms), '2026-12-31 16:00:00.007');
    assert.equal(localTime('America/New_York').text(ms), '2026-12-31 11:00:00.007');
  });
});

describe('a word to paste into a shell', () => {
  it('is quoted where it must be', () => {
    assert.equal(shellWord('order-A-1'), 'order-A-1');
    assert.equal(shellWord("it's $HOME"), `'it'\\''s $HOME'`);
    assert.equal(shellWord(''), "''");
  });
});
