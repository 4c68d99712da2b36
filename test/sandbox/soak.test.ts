import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soak } from '../bench/soak-runs.ts';
import { liveLanes } from '../support/lane-leaks.ts';
import { openLanes } from '../support/lanes.ts';

test('two thousand runs over fifty versions end as they should and leave no memory behind', async () => {
  const killed: string[] = [];
  const pool = await openLanes(2, { onKilled: (reason) => killed.push(reason) });
  try {
    const report = await soak(pool, { runs: 2_000, versions: 50 });
    assert.deepEqual(report.wrong, []);
    assert.ok(report.laneMb < 180, `a lane holds ${report.laneMb} MB`);
    // A run that leaked its context would leave 0.5 MB: 500 in the second half.
    assert.ok(report.growthMb < 40, `a lane grew by ${report.growthMb} MB`);
    assert.deepEqual(killed, []);
  } finally {
    await pool.close();
  }
  assert.deepEqual(liveLanes(), [], 'no lane outlives its pool');
});
