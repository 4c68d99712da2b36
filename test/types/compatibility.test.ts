import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BEHAVIOUR_ROWS } from '../../scripts/compatibility/behaviour-rows.ts';
import { coveredPaths, membersOf } from '../../scripts/compatibility/covered-members.ts';
import { MEMBER_ROWS } from '../../scripts/compatibility/member-rows.ts';
import { SURFACE_MEMBERS } from '../../scripts/compatibility/surface-list.ts';
import { SCRIPT_CALL_PATHS } from '../../src/protocol/host-call-names.ts';
import { callablePaths, createV8Program } from './v8-program.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

test('every test that the table names exists under that title', () => {
  for (const { test: named } of [...MEMBER_ROWS, ...BEHAVIOUR_ROWS]) {
    const [file, title] = named;
    assert.ok(existsSync(ROOT + file), `${file} does not exist`);
    assert.ok(readFileSync(ROOT + file, 'utf8').includes(title), `${file} has no test "${title}"`);
  }
});

test('every host call has a row: add one to scripts/compatibility/member-rows.ts and run npm run docs', () => {
  const covered = new Set(coveredPaths());
  assert.deepEqual(
    SCRIPT_CALL_PATHS.filter((path) => !covered.has(path)),
    [],
  );
});

test('every function that the declarations have is in the table', () => {
  const covered = new Set(coveredPaths());
  assert.deepEqual(
    callablePaths(createV8Program([])).filter((path) => !covered.has(path)),
    [],
  );
});

test('every member that scripts of the platform use is on the page', () => {
  const named = new Set([...coveredPaths(), ...MEMBER_ROWS.flatMap(membersOf)]);
  assert.deepEqual(
    SURFACE_MEMBERS.filter((path) => !named.has(path)),
    [],
  );
  assert.equal(new Set(SURFACE_MEMBERS).size, SURFACE_MEMBERS.length);
  assert.equal(SURFACE_MEMBERS.length, 220, 'the list is that of the platform, not of this host');
});

test('no member is listed twice, and no row is empty', () => {
  const paths = coveredPaths();
  assert.deepEqual(
    paths.filter((path, position) => paths.indexOf(path) !== position),
    [],
  );
  assert.deepEqual(
    MEMBER_ROWS.filter((row) => membersOf(row).length === 0).map((row) => row.members),
    [],
  );
});
