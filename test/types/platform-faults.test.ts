import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FAULT_ROWS } from '../../scripts/platform-faults/rows.ts';

const ROOT = new URL('../../', import.meta.url);
const upTo = (letter: string, count: number) => Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);

/** Faults of the platform: 21 admitted, 20 found, 30 former ones. Of the public reports those that concern a host. */
const REPORTS = ['R1', 'R2', 'R3', 'R4', 'R6', 'R7', 'R8', 'R9', 'R10', 'R12', 'R13', 'R14', 'R15', 'R17', 'R18'];
const BROKER_REPORTS = ['R20', 'R21', 'R22', 'R23', 'R25', 'E1', 'E3'];

/** Titles of the tests and groups of a file, `…` in the place of values. */
function titlesOf(file: string): ReadonlySet<string> {
  const source = readFileSync(new URL(file, ROOT), 'utf8');
  const calls = source.matchAll(
    /\b(?:test|it|describe)\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g,
  );
  return new Set(
    [...calls].map(([, single, double, template]) => withoutBackslashes(single ?? double ?? valuesLeftOut(template))),
  );
}

/** A template without its `${…}`, whose braces may be nested. */
function valuesLeftOut(template = ''): string {
  let text = '';
  let depth = 0;
  for (let at = 0; at < template.length; at++) {
    if (depth === 0 && template.startsWith('${', at)) {
      text += '…';
      depth = 1;
      at++;
    } else if (depth > 0) {
      depth += template[at] === '{' ? 1 : template[at] === '}' ? -1 : 0;
    } else text += template[at];
  }
  return text;
}

const withoutBackslashes = (text: string): string => text.replace(/\\(.)/g, '$1');

test('every known fault has one row, in the order of its list', () => {
  assert.deepEqual(
    FAULT_ROWS.map(({ id }) => id),
    [...upTo('A', 21), ...upTo('B', 20), ...upTo('C', 30), ...REPORTS, ...BROKER_REPORTS],
  );
});

test('every row names a test, and says in both languages what became of the fault', () => {
  for (const { id, fault, here, shown } of FAULT_ROWS) {
    assert.ok(shown.length > 0, id);
    for (const text of [...fault, ...here]) assert.notEqual(text.trim(), '', id);
    assert.match(fault[1] + here[1], /\p{Script=Han}/u, id);
  }
});

test('every test that the rows name exists under that whole title', () => {
  const missing = FAULT_ROWS.flatMap((row) =>
    row.shown
      .filter(([file, title]) => !titlesOf(file).has(title))
      .map(([file, title]) => `${row.id}: ${file} has no test "${title}"`),
  );
  assert.deepEqual(missing, []);
});

test('public reports of the queue each have a test under their number', () => {
  const titles = [...titlesOf('test/app/public-reports.test.ts')].join('\n');
  for (const report of ['10', '12', '13', '14', '15', '17', '18'])
    assert.match(titles, new RegExp(`\\(report ${report}\\)`));
});
