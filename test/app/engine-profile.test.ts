import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EngineProfiles, type RunProfile } from '../../src/app/engine-profile.ts';

const GOOD: RunProfile = { durationMs: 2, wentOutside: false, failed: false };

function batchAfter(...runs: readonly RunProfile[]): number {
  const profiles = new EngineProfiles();
  for (const run of runs) profiles.record('demo pay', run);
  return profiles.batchSize('demo pay');
}

const isQuickAfter = (...runs: readonly RunProfile[]): boolean => batchAfter(...runs) > 1;

const times = (count: number, run: RunProfile): RunProfile[] => Array.from({ length: count }, () => run);

describe('an engine whose messages share a transaction', () => {
  it('is known by eight runs', () => {
    assert.equal(isQuickAfter(), false);
    assert.equal(isQuickAfter(...times(7, GOOD)), false);
    assert.equal(isQuickAfter(...times(8, GOOD)), true);
  });

  it('stays inside the tenant’s database and queue in all of its last fifty runs', () => {
    const outside = { ...GOOD, wentOutside: true };
    assert.equal(isQuickAfter(outside, ...times(49, GOOD)), false);
    assert.equal(isQuickAfter(outside, ...times(50, GOOD)), true);
  });

  for (const [what, run] of [
    ['short', { ...GOOD, durationMs: 50 }],
    ['successful', { ...GOOD, failed: true }],
  ] as const) {
    it(`is ${what} in 95 % of its runs`, () => {
      assert.equal(isQuickAfter(...times(2, run), ...times(48, GOOD)), true);
      assert.equal(isQuickAfter(...times(3, run), ...times(47, GOOD)), false);
      assert.equal(isQuickAfter(run, ...times(7, GOOD)), false, 'one of eight is more than 5 %');
    });
  }

  it('is judged by its own runs', () => {
    const profiles = new EngineProfiles();
    for (const run of times(8, GOOD)) profiles.record('demo pay', run);
    assert.equal(profiles.batchSize('demo ship'), 1);
  });

  for (const [durationMs, messages] of [
    [0, 8],
    [12, 8],
    [13, 7],
    [33, 3],
    [49, 2],
    [50, 1],
  ] as const) {
    it(`has ${messages} at once when a run takes ${durationMs} ms: a batch ends within 100 ms`, () => {
      assert.equal(batchAfter(...times(50, { ...GOOD, durationMs })), messages);
    });
  }
});
