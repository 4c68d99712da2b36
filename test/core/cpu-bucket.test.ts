import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CpuBuckets, type CpuShare } from '../../src/core/cpu-bucket.ts';

/** Half a processor, and a second of it to save. */
const SHARE: CpuShare = { refillMsPerSecond: 500, burstMs: 1000 };

test('a tenant begins with a full bucket, pays for what it uses and gains with time', () => {
  const buckets = new CpuBuckets(SHARE);
  assert.equal(buckets.balanceMs('a', 0), 1000);
  buckets.charge('a', 1200, 0);
  assert.deepEqual([buckets.balanceMs('a', 0), buckets.debtEndsInMs('a', 0)], [-200, 400]);
  assert.deepEqual([buckets.balanceMs('a', 400), buckets.debtEndsInMs('a', 400)], [0, 0]);
  assert.equal(buckets.balanceMs('a', 10_000), 1000, 'savings are bounded');
  assert.equal(buckets.balanceMs('b', 0), 1000, 'each tenant pays for itself');
});

test('debt is bounded like savings: it ends in a known time', () => {
  const buckets = new CpuBuckets(SHARE);
  buckets.charge('a', 1_000_000, 0);
  assert.deepEqual([buckets.balanceMs('a', 0), buckets.debtEndsInMs('a', 0)], [-1000, 2000]);
});

test('a full bucket is forgotten', () => {
  const buckets = new CpuBuckets(SHARE);
  buckets.charge('a', 100, 0);
  buckets.charge('b', 600, 0);
  assert.deepEqual(buckets.tenants(100), ['a', 'b']);
  assert.deepEqual(buckets.tenants(200), ['b']);
});

test('a clock that stands or goes back gives nothing', () => {
  const buckets = new CpuBuckets(SHARE);
  buckets.charge('a', 600, 1000);
  assert.equal(buckets.balanceMs('a', 500), 400);
});

test('whoever runs only while it owes nothing uses no more than its share and one burst in the long run', () => {
  const runs = fc.array(
    fc.record({ cpuMs: fc.integer({ min: 0, max: 300 }), idleMs: fc.integer({ min: 0, max: 300 }) }),
    {
      maxLength: 300,
    },
  );
  fc.assert(
    fc.property(runs, (all) => {
      const buckets = new CpuBuckets(SHARE);
      let now = 0;
      let used = 0;
      for (const { cpuMs, idleMs } of all) {
        now += idleMs + buckets.debtEndsInMs('a', now + idleMs);
        assert.ok(buckets.balanceMs('a', now) >= -0.001);
        now += cpuMs;
        used += cpuMs;
        buckets.charge('a', cpuMs, now);
        const most = SHARE.burstMs + (now * SHARE.refillMsPerSecond) / 1000 + 300;
        assert.ok(used <= most + 0.001, `${used} ms in ${now} ms`);
      }
    }),
  );
});
