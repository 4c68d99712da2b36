import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EngineLimitRow, readEngineLimits } from '../../src/core/engine-limits.ts';

/** [row, wallMs, heapMb, columns that are at fault] */
const ROWS: readonly [EngineLimitRow, number | undefined, number | undefined, string[]][] = [
  // The switch decides whether the columns count at all (v8-surface.md 7.2).
  [{}, undefined, undefined, []],
  [{ Timeout: 30, LimitMemory: 64 }, undefined, undefined, []],
  [{ V8Limit: null, Timeout: 3600 }, undefined, undefined, []],
  [{ V8Limit: 0, Timeout: 30, LimitMemory: 'much' }, undefined, undefined, []],
  [{ V8Limit: 1, Timeout: 30, LimitMemory: 64 }, 30_000, 64, []],
  [{ V8Limit: 1, Timeout: null, LimitMemory: '' }, undefined, undefined, []],
  // As drivers and editors write it.
  [{ V8Limit: '1', Timeout: ' 30 ', LimitMemory: '64.0' }, 30_000, 64, []],
  [{ V8Limit: true, Timeout: 30n }, 30_000, undefined, []],
  [{ V8Limit: false, Timeout: 30 }, undefined, undefined, []],
  // A bad value is told and the default stands in its place; the other columns count.
  [{ V8Limit: 1, Timeout: 0, LimitMemory: 64 }, undefined, 64, ['Timeout']],
  [{ V8Limit: 1, Timeout: -5 }, undefined, undefined, ['Timeout']],
  [{ V8Limit: 1, Timeout: 1.5 }, undefined, undefined, ['Timeout']],
  [{ V8Limit: 1, Timeout: 'soon', LimitMemory: 8 }, undefined, undefined, ['Timeout', 'LimitMemory']],
  [{ V8Limit: 1, LimitMemory: 15 }, undefined, undefined, ['LimitMemory']],
  [{ V8Limit: 1, LimitMemory: 16 }, undefined, 16, []],
  [{ V8Limit: 'yes', Timeout: 30 }, undefined, undefined, ['V8Limit']],
];

for (const [row, wallMs, heapMb, faults] of ROWS) {
  const text = Object.entries(row).map(([column, value]) => `${column}=${String(value)}`);
  test(`limits of an engine with ${text.join(', ') || 'no columns'}`, () => {
    const limits = readEngineLimits({ ApiEngineKey: 'a', ...row });
    assert.deepEqual([limits.wallMs, limits.heapMb], [wallMs, heapMb]);
    assert.deepEqual(
      limits.faults.map(({ code, params }) => [code, params.engine, params.field]),
      faults.map((field) => ['ENGINE_LIMIT_INVALID', 'a', field]),
    );
  });
}
