import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SeededRandom } from '../support/random.ts';
import { slopePerHour } from './memory-slope.ts';

const MINUTE_MS = 60_000;

/** An hour of readings every two seconds. @param grow MiB per hour. @param peaks every so many readings. */
function readings(grow: number, peaks = 0) {
  const random = new SeededRandom(3);
  return Array.from({ length: 1_800 }, (_, n) => {
    const peak = peaks > 0 && n % peaks === 0 ? 200 : 0;
    return { atMs: n * 2_000, mib: 250 + (grow * n) / 1_800 + random.next() * 15 + peak };
  });
}

describe('the growth of memory', () => {
  it('is that of a leak, whatever garbage goes up and down over it', () => {
    for (const grow of [0, 30, 300]) {
      const slope = slopePerHour(readings(grow));
      assert.ok(Math.abs(slope - grow) < 3, `${grow}: ${slope}`);
    }
  });

  it('is not that of single peaks', () => {
    assert.ok(Math.abs(slopePerHour(readings(0, 40))) < 3);
  });

  it('is per hour, of a short time, too, and not known of one reading', () => {
    const slope = slopePerHour([
      { atMs: 0, mib: 100 },
      { atMs: 6 * MINUTE_MS, mib: 101 },
    ]);
    assert.ok(Math.abs(slope - 10) < 1e-9);
    assert.ok(Number.isNaN(slopePerHour([{ atMs: 0, mib: 1 }])));
  });
});
