import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { GENERATED_PAGES } from '../../scripts/generated-pages.ts';
import { ERROR_TABLE } from '../../src/core/error-table.ts';

for (const { path, render } of GENERATED_PAGES) {
  test(`${path} is what npm run docs writes`, () => {
    assert.equal(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'), render());
  });
}

test('docs/errors.md has one anchored row for every code', () => {
  const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  const anchors = [...page.matchAll(/<a id="(\w+)">/g)].map(([, code]) => code);
  assert.deepEqual(anchors, Object.keys(ERROR_TABLE));
});
