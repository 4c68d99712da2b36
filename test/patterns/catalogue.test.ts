/** Which test shows each pattern that people of the platform write (script-patterns.md). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const FORM = 'form-engine-patterns';
const ENTRY = 'entry-patterns';

/** Number of the pattern, file of its test and the test's title. */
const PATTERNS: readonly (readonly [number: number, file: string, title: string])[] = [
  [1, 'mqtt-patterns', 'one engine for all events'],
  [2, 'mqtt-patterns', 'telemetry: a reading out of range is blocked'],
  [3, 'mqtt-patterns', 'a reading counts once, and an exception blocks'],
  [4, 'message-patterns', 'producer: a repeated click sends the same message'],
  [5, 'message-patterns', 'consumer: the payload is below the envelope'],
  [6, 'message-patterns', 'ERP: what it refuses or breaks is noted'],
  [7, 'message-patterns', 'job: two runs at once share the rows'],
  [8, 'message-patterns', 'background task: each slice says where the next goes on'],
  [9, FORM, 'lists with conditions built as needed'],
  [10, FORM, 'adds a row after it looked for it'],
  [11, FORM, 'writes many rows of several tables, all or none'],
  [12, FORM, 'undoes a chain in one transaction when its last step fails'],
  [13, 'table-patterns', 'deletes and rebuilds the rows below one'],
  [14, 'table-patterns', 'recodes a tree by recursion'],
  [15, 'table-patterns', 'puts a form right before it is stored'],
  [16, 'table-copy-patterns', 'copies a table’s definition with spread'],
  [17, 'table-patterns', 'copies a row: an empty Id makes a new one'],
  [18, FORM, 'reads older conditions as it reads their arrays'],
  [19, 'table-patterns', 'decodes columns for the reader alone'],
  [20, 'sql-patterns', 'reads missing rows as null and [], and writes as numbers'],
  [21, 'sql-patterns', 'builds a statement line by line'],
  [22, 'external-patterns', 'a manual transaction: its commit stays'],
  [23, ENTRY, 'an engine that only engines reach'],
  [24, 'http-patterns', 'sends every kind of request'],
  [25, 'http-patterns', 'asks for a token once and keeps it while it lives'],
  [26, 'sql-patterns', 'verifies a signed callback, takes it once'],
  [27, ENTRY, 'a login at a provider'],
  [28, ENTRY, 'a file handed on'],
  [29, ENTRY, 'uploads: a map of names and Base64'],
  [30, 'cache-patterns', 'reads the table once, then the cache'],
  [31, ENTRY, 'a code by SMS'],
  [32, ENTRY, 'a member’s token'],
  [33, ENTRY, 'a gate by role'],
  [34, 'cache-patterns', 'takes a payment once'],
  [35, 'cache-patterns', 'comes back only when it is asked for'],
  [36, 'language-patterns', 'waits for several at once'],
  [37, 'language-patterns', 'does its work in a timer before the run is over'],
  [38, 'language-patterns', 'keeps rows of engines in the cache'],
  [39, 'language-patterns', 'finds what is missing as undefined'],
  [40, 'mongo-patterns', 'an audit log by months'],
];

test('every pattern has its test', () => {
  const numbers = PATTERNS.map(([number]) => number);
  assert.deepEqual(
    numbers,
    Array.from({ length: 40 }, (_, index) => index + 1),
  );
});

for (const [number, file, title] of PATTERNS) {
  test(`pattern ${number} is a test on both databases: ${title}`, () => {
    const text = readFileSync(new URL(`${file}.test.ts`, import.meta.url), 'utf8');
    assert.ok(text.includes(title), `${file} has no such test`);
    assert.ok(text.includes('MariaDB') || text.includes('of DATABASES'), `${file} runs on one database`);
  });
}
