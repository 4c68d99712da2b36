/** docs/failure.md promises a test for each of its rows; this holds it to that. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

/** Numbers of the table's rows. */
function documentedRows(): number[] {
  const text = readFileSync(join(ROOT, 'docs/failure.md'), 'utf8');
  return [...text.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]));
}

/** Numbers that tests name: `failure row N: …`, or a template whose table lists `[N, …]`. */
function testedRows(source: string): number[] {
  const named = [...source.matchAll(/test\(\s*['"`]failure row (\d+):/g)].map((match) => Number(match[1]));
  return /failure row \$\{row\}:/.test(source) ? [...named, ...listedRows(source)] : named;
}

function listedRows(source: string): number[] {
  return [...source.matchAll(/^ {2}\[(\d+), '/gm)].map((match) => Number(match[1]));
}

function rowsOfAllTests(): Set<number> {
  const files = globSync('test/**/*.test.ts', { cwd: ROOT }).filter((file) => !file.endsWith('failure-table.test.ts'));
  return new Set(files.flatMap((file) => testedRows(readFileSync(join(ROOT, file), 'utf8'))));
}

test('the failure table numbers its rows one after the other', () => {
  const rows = documentedRows();
  assert.ok(rows.length >= 26, `${rows.length} rows found`);
  assert.deepEqual(
    rows,
    rows.map((_, index) => index + 1),
  );
});

test('every row of the failure table has a test that provokes it', () => {
  const tested = rowsOfAllTests();
  assert.deepEqual(
    documentedRows().filter((row) => !tested.has(row)),
    [],
    'rows without a test named "failure row N:"',
  );
});

test('no test names a row that the failure table does not have', () => {
  const documented = new Set(documentedRows());
  assert.deepEqual(
    [...rowsOfAllTests()].filter((row) => !documented.has(row)),
    [],
  );
});
