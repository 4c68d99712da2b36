import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedLines } from '../../src/core/line-diff.ts';

const shown = (before: string, after: string, around = 1_000) =>
  changedLines(before, after, around).map((line) => (line === undefined ? '…' : line.sign + line.text));

test('finds the shortest difference', () => {
  assert.deepEqual(shown('a\nb\nc\nd\ne\nf', 'a\nc\nd\nx\ne\nf'), [' a', '-b', ' c', ' d', '+x', ' e', ' f']);
});

test('shows some lines around each change, and where lines are left out between two', () => {
  const before = '1\n2\n3\n4\n5\n6\n7';
  assert.deepEqual(shown(before, '1x\n2\n3\n4\n5\n6\n7x', 1), ['-1', '+1x', ' 2', '…', ' 6', '-7', '+7x']);
  assert.deepEqual(shown(before, '1\n2\n3\n4x\n5\n6\n7', 0), ['-4', '+4x']);
  assert.deepEqual(shown(before, '1x\n2\n3\n4x\n5\n6\n7', 1), ['-1', '+1x', ' 2', ' 3', '-4', '+4x', ' 5']);
});

test('knows lines by their breaks, also where one text ends inside the other', () => {
  for (const [before, after, ...lines] of [
    ['', ''],
    ['a', 'a'],
    ['', 'a', '-', '+a'],
    ['a', 'a\nb', ' a', '+b'],
    ['b', 'a\nb', '+a', ' b'],
    ['a\nb', 'a\nx\nb', ' a', '+x', ' b'],
    ['a\n', 'a', ' a', '-'],
    ['\na', 'a', '-', ' a'],
    ['a\na\na', 'a\na', ' a', ' a', '-a'],
    ['xa\nb', 'a\nb', '-xa', '+a', ' b'],
    ['a\r\nb', 'a\nb', '-a\r', '+a', ' b'],
  ] as const) {
    assert.deepEqual(shown(before, after), lines, JSON.stringify([before, after]));
  }
});

test('made into lines again, the shown lines are both texts', () => {
  const words = ['', 'a', 'b', 'ab'];
  const textOf = (seed: number) =>
    Array.from({ length: seed % 6 }, (_, at) => words[Math.floor(seed / 4 ** at) % words.length]).join('\n');
  for (let seed = 0; seed < 2_000; seed++) {
    const [before, after] = [textOf(seed * 7), textOf(seed * 13 + 5)];
    if (before === after) continue;
    const lines = changedLines(before, after, 10);
    const without = (sign: string) =>
      lines
        .filter((line) => line?.sign !== sign)
        .map((line) => line?.text)
        .join('\n');
    assert.deepEqual([without('+'), without('-')], [before, after]);
  }
});

test('a change at the end of a text of a million lines costs what is shown', () => {
  const before = `// x\n${'\n'.repeat(1_000_000)}return 1;`;
  assert.deepEqual(shown(before, `${before}2`, 2), [' ', ' ', '-return 1;', '+return 1;2']);
  assert.equal(changedLines(before, `${before}2`, 1_000).length, 1_002);
  assert.deepEqual(shown(before, `// y${before.slice(4)}`, 1), ['-// x', '+// y', ' ']);
});
