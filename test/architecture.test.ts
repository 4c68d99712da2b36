import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findBreaches, findCycle, zoneOf } from './support/import-rules.ts';
import {
  bannedSyntaxOf,
  functionsOf,
  globalUsesOf,
  parseSource,
  readSourceTree,
  type SourceFile,
} from './support/source-tree.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = readSourceTree(ROOT, 'src');

/** Longer than this needs a row in OVER_BUDGET. */
const FILE_LINES = 350;
const FUNCTION_LINES = 60;

/** `path` or `path#function` -> why it is better long. */
const OVER_BUDGET: Readonly<Record<string, string>> = {};

const CLOCK_AND_CHANCE = [
  'Date.now',
  'Date()',
  'Math.random',
  'performance.now',
  'crypto.randomUUID',
  'crypto.getRandomValues',
  'setTimeout()',
  'setInterval()',
  'setImmediate()',
  'queueMicrotask()',
  'fetch()',
];

test('the source tree is read', () => {
  assert.ok(SOURCE.length > 30, `only ${SOURCE.length} files found`);
});

test('every import is in the import table', () => {
  assert.deepEqual(findBreaches(SOURCE), []);
});

test('no modules import each other in a circle', () => {
  assert.equal(findCycle(SOURCE)?.join(' -> '), undefined);
});

test('no code writes to the console: the log and the CLI have their own ways out', () => {
  assert.deepEqual(
    usesOutside(SOURCE, /^console\./, () => false),
    [],
  );
});

test('only config reads the environment', () => {
  assert.deepEqual(
    usesOutside(SOURCE, /^process\.env$/, (zone) => zone === 'config'),
    [],
  );
});

test('only the entry points end their process', () => {
  assert.deepEqual(
    usesOutside(SOURCE, /^process\.exit$/, (zone) => zone === 'main' || zone === 'sandbox'),
    [],
  );
});

test('core reads no clock, no randomness and no timers', () => {
  const core = SOURCE.filter(({ path }) => zoneOf(path) === 'core');
  const uses = core.flatMap((file) => globalUsesOf(file).map((use) => `${file.path}: ${use}`));
  assert.deepEqual(
    uses.filter((use) => CLOCK_AND_CHANCE.some((banned) => use.endsWith(`: ${banned}`))),
    [],
  );
});

test('no default exports, enums, namespaces or notes to do later', () => {
  assert.deepEqual(
    SOURCE.flatMap((file) => bannedSyntaxOf(file).map((what) => `${file.path}: ${what}`)),
    [],
  );
});

test('files and functions keep to their budget or say why not', () => {
  assert.deepEqual(overBudget(SOURCE), Object.keys(OVER_BUDGET).sort());
});

test('the pages of the console keep to the budget, too', () => {
  const pages = globSync('src/admin/console/**/*.vue', { cwd: ROOT });
  assert.ok(pages.length > 5, `only ${pages.length} pages found`);
  const lines = (path: string) => readFileSync(join(ROOT, path), 'utf8').trimEnd().split('\n').length;
  assert.deepEqual(
    pages.filter((path) => lines(path) > FILE_LINES),
    [],
  );
});

test('the checks see what they are there for', () => {
  const files = [
    parseSource('src/core/a.ts', `import { b } from './b.ts';\nimport fs from 'node:fs';\nexport default 1; // TODO`),
    parseSource('src/core/b.ts', `import { a } from './a.ts';\nconsole.log(process.env.HOME, new Date());`),
    parseSource('src/app/c.ts', `import type { T } from '../core/a.ts';\nimport { type U } from '../protocol/m.ts';`),
    parseSource('src/ports/d.ts', `import type { T } from '../protocol/m.ts';\nimport { env } from 'node:process';`),
    parseSource('src/attic/e.ts', `const load = () => import('undici');`),
  ];
  assert.deepEqual(findBreaches(files), [
    'src/core/a.ts -> node:fs',
    'src/app/c.ts -> src/protocol/m.ts',
    'src/ports/d.ts -> node:process',
    'src/attic/e.ts: zone attic has no row in the import table',
  ]);
  assert.deepEqual(findCycle(files), ['src/core/a.ts', 'src/core/b.ts', 'src/core/a.ts']);
  assert.deepEqual(
    usesOutside(files, /^(console\.|process\.env$|Date\(\)$)/, () => false),
    [
      'src/core/b.ts: console.log',
      'src/core/b.ts: process.env',
      'src/core/b.ts: Date()',
      'src/ports/d.ts: process.env',
    ],
  );
  assert.deepEqual(files.flatMap(bannedSyntaxOf), ['TODO', 'export default']);
  const long = `export function long() {\n${'  f();\n'.repeat(FUNCTION_LINES)}}\n${'// line\n'.repeat(FILE_LINES)}`;
  assert.deepEqual(overBudget([parseSource('src/core/f.ts', long)]), ['src/core/f.ts', 'src/core/f.ts#long']);
});

function usesOutside(
  files: readonly SourceFile[],
  use: RegExp,
  isAllowed: (zone: string) => boolean,
): readonly string[] {
  return files
    .filter(({ path }) => !isAllowed(zoneOf(path)))
    .flatMap((file) =>
      [...new Set(globalUsesOf(file))].filter((name) => use.test(name)).map((n) => `${file.path}: ${n}`),
    );
}

function overBudget(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => {
    const lines = file.text.trimEnd().split('\n').length;
    const functions = functionsOf(file).filter((span) => span.lines > FUNCTION_LINES);
    return [...(lines > FILE_LINES ? [file.path] : []), ...functions.map(({ name }) => `${file.path}#${name}`)];
  });
}
