import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from './mqtt-fuzz.ts';

test('ten thousand mutated packets: no crash, no leak, nothing for another tenant', { timeout: 120_000 }, async (t) => {
  const seed = Date.now() % 1_000_000;
  const result = await fuzz({ packets: 10_000, seed });
  t.diagnostic(
    `seed ${seed}: ${result.connections} connections, another tenant waited ${result.slowestMs.toFixed(0)} ms`,
  );
  assert.deepEqual(result.failures, [], `seed ${seed}`);
  assert.deepEqual(result.foreign, [], `seed ${seed}`);
  assert.deepEqual([result.leftConnections, result.leftSessions], [0, 0], `seed ${seed}`);
  assert.ok(result.heapGrowthMiB < 40, `seed ${seed}: ${result.heapGrowthMiB} MiB`);
});
