import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commentsByPath, createV8Program } from './v8-program.ts';

const comments = commentsByPath(createV8Program([]));

/** Twins do what the member without `Async` does; the others do nothing, as their family's comment says. */
const SILENT = /Async$|^DbTrans\.(Commit|Rollback|Close|Dispose)$/;

test('every function of V8 is documented in 中文 and English', () => {
  const poor = [...comments].filter(
    ([path, text]) => !SILENT.test(path) && !/\p{Script=Han}.*[a-z]{3}|[a-z]{3}.*\p{Script=Han}/su.test(text),
  );
  assert.deepEqual(
    poor.map(([path]) => path),
    [],
  );
});

test('every family has an example (V8.DbTrans has that of V8.Db)', () => {
  const spoken = [...comments.keys()].filter((path) => !SILENT.test(path) && !path.startsWith('DbTrans.'));
  const families = [...new Set(spoken.map((path) => path.split('.')[0] ?? ''))];
  const shown = new Set(
    [...comments].filter(([, text]) => text.includes('@example')).map(([path]) => path.split('.')[0]),
  );
  assert.deepEqual(
    families.filter((family) => !shown.has(family)),
    [],
  );
});
