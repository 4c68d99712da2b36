import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_LANE_ISOLATES } from '../../src/protocol/messages.ts';
import { usedMemory } from '../bench/process-use.ts';
import { soak } from '../bench/soak-runs.ts';
import { liveLanes } from '../support/lane-leaks.ts';
import { openLanes, returnedBy } from '../support/lanes.ts';

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

test('a lane full of warm isolates stays far below what it is replaced at', async () => {
  const pool = await openLanes(1);
  try {
    for (let tenant = 0; tenant < MAX_LANE_ISOLATES; tenant++) {
      for (let run = 0; run < 40; run++) {
        const source = 'const lines = V8.Param.lines.map((n) => ({ n })); return lines.length';
        const options = { tenant: `tenant-${tenant}`, input: { Param: { lines: [1, 2, 3] } } };
        assert.equal(await returnedBy(pool, source, options), 3);
      }
    }
    // Without collecting the garbage of making an isolate it would be some 210.
    const largest = Math.max(...usedMemory().lanes.map(({ rss }) => Math.round(rss)));
    assert.ok(largest < 175, `a lane holds ${largest} MB`);
  } finally {
    await pool.close();
  }
});
