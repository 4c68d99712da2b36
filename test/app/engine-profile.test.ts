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

  it('is successful in 95 % of its runs', () => {
    const failed = { ...GOOD, failed: true };
    assert.equal(isQuickAfter(...times(2, failed), ...times(48, GOOD)), true);
    assert.equal(isQuickAfter(...times(3, failed), ...times(47, GOOD)), false);
    assert.equal(isQuickAfter(failed, ...times(7, GOOD)), false, 'one of eight is more than 5 %');
  });

  it('is short in more than half of its runs, and hardly ever slow', () => {
    const delayed = { ...GOOD, durationMs: 249 };
    const slow = { ...GOOD, durationMs: 250 };
    assert.equal(isQuickAfter(...times(24, delayed), ...times(26, GOOD)), true, 'a busy host delays by turns');
    assert.equal(isQuickAfter(...times(26, delayed), ...times(24, GOOD)), false);
    assert.equal(isQuickAfter(...times(2, slow), ...times(48, GOOD)), true);
    assert.equal(isQuickAfter(...times(3, slow), ...times(47, GOOD)), false);
  });

  it('shares it with seven others, not fifteen, when a run failed of late', () => {
    assert.equal(batchAfter({ ...GOOD, failed: true }, ...times(49, GOOD)), 8);
    assert.equal(batchAfter({ ...GOOD, failed: true }, ...times(50, GOOD)), 16);
  });

  it('is judged by its own runs', () => {
    const profiles = new EngineProfiles();
    for (const run of times(8, GOOD)) profiles.record('demo pay', run);
    assert.equal(profiles.batchSize('demo ship'), 1);
  });

  for (const [durationMs, messages] of [
    [0, 16],
    [12, 16],
    [13, 15],
    [25, 8],
    [26, 7],
    [49, 4],
    [50, 1],
  ] as const) {
    it(`has ${messages} at once when a run takes ${durationMs} ms: a batch usually ends within 200 ms`, () => {
      assert.equal(batchAfter(...times(50, { ...GOOD, durationMs })), messages);
    });
  }
});
