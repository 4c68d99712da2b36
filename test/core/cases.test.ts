import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const COPY = new URL('../fixtures/cases/', import.meta.url);
const ORIGINAL = new URL('../../../shared/cases/', import.meta.url);

const jsonFiles = (folder: URL) => readdirSync(folder).filter((name) => name.endsWith('.json'));

test('the vectors in the repository are JSON lists or objects', () => {
  const names = jsonFiles(COPY);
  assert.ok(names.includes('queue-names.json') && names.includes('retry-decisions.json'));
  for (const name of names) assert.equal(typeof JSON.parse(readFileSync(new URL(name, COPY), 'utf8')), 'object');
});

test('the vectors are those of the shared folder where there is one (npm run cases:sync)', () => {
  // A clone has the copy alone; it then is the original.
  const original = existsSync(ORIGINAL) ? ORIGINAL : COPY;
  assert.deepEqual(jsonFiles(COPY), jsonFiles(original));
  for (const name of jsonFiles(original)) {
    assert.equal(readFileSync(new URL(name, COPY), 'utf8'), readFileSync(new URL(name, original), 'utf8'), name);
  }
});
