import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzHttp } from './http-fuzz.ts';

test('three thousand mutated requests: no crash, and every answer is a DosResult', { timeout: 300_000 }, async (t) => {
  const seed = Date.now() % 1_000_000;
  const { requests, statuses, failures } = await fuzzHttp({ requests: 3_000, seed });
  t.diagnostic(`seed ${seed}: ${[...statuses].map(([status, times]) => `${status}×${times}`).join(' ')}`);
  assert.equal(requests, 3_000);
  assert.deepEqual(failures.slice(0, 5), [], `seed ${seed}, ${failures.length} failures`);
  // Right requests and refused ones are both among them, or nothing was tried.
  assert.ok((statuses.get(200) ?? 0) > 100 && (statuses.get(400) ?? 0) > 100, `seed ${seed}`);
});
