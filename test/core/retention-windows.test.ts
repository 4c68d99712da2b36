import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Backoff, backoffDelayMs } from '../../src/core/backoff.ts';
import { longestRedeliveryMs, shortWindows } from '../../src/core/retention-windows.ts';

const DAY = 24 * 3_600_000;
const HOURLY: Backoff = { kind: 'fixed', delayMs: 3_600_000 };

describe('the longest redelivery of a binding', () => {
  it('is the sum of its longest waits', () => {
    const backoffs = fc.oneof(
      fc.constant<Backoff>({ kind: 'none' }),
      fc.integer({ min: 1, max: 3_600_000 }).map((delayMs): Backoff => ({ kind: 'fixed', delayMs })),
      fc
        .tuple(fc.integer({ min: 1, max: 3_600_000 }), fc.integer({ min: 1, max: 3_600_000 }))
        .map(([a, b]): Backoff => ({ kind: 'exponential', baseMs: Math.min(a, b), capMs: Math.max(a, b) })),
    );
    fc.assert(
      fc.property(backoffs, fc.integer({ min: 0, max: 60 }), (backoff, retryCount) => {
        // The largest jitter is just below one; with one itself the wait is the whole step.
        const waits = Array.from({ length: retryCount }, (_, i) => backoffDelayMs(backoff, i + 1, 1));
        const sum = waits.reduce((total, wait) => total + wait, 0);
        assert.equal(longestRedeliveryMs({ retries: true, retryCount, backoff }), sum);
      }),
    );
  });

  it('is told at once for any count, and is none without retries', () => {
    assert.equal(
      longestRedeliveryMs({ retries: true, retryCount: 2_147_483_647, backoff: HOURLY }),
      2_147_483_647 * 3_600_000,
    );
    assert.equal(longestRedeliveryMs({ retries: false, retryCount: 9, backoff: HOURLY }), 0);
  });
});

describe('windows that are too short', () => {
  const windows = { inboxMs: 37 * DAY, attemptsMs: 30 * DAY };

  it('are named with their settings', () => {
    const settingsOf = (retryCount: number, inbox = true) =>
      shortWindows({ retries: true, retryCount, backoff: HOURLY, inbox }, windows).map(({ setting }) => setting);
    assert.deepEqual(settingsOf(30 * 24), []);
    assert.deepEqual(settingsOf(30 * 24 + 1), ['retention.attemptDays']);
    assert.deepEqual(settingsOf(37 * 24 + 1), ['retention.inboxDays', 'retention.attemptDays']);
    assert.deepEqual(settingsOf(37 * 24 + 1, false), ['retention.attemptDays']);
  });
});
