import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NO_ENGINE_LIMITS } from '../../src/core/engine-limits.ts';
import {
  hostCallRateOf,
  type LimitPolicy,
  resolveRunLimits,
  runCapsOf,
  type TenantCaps,
} from '../../src/core/limit-policy.ts';
import { DEFAULT_RUN_LIMITS, type RunLimits } from '../../src/core/run-limits.ts';
import { DEFAULT_RUN_CAPS } from '../../src/core/run-load.ts';

const POLICY: LimitPolicy = {
  defaults: { ...DEFAULT_RUN_LIMITS, rssMb: 700 },
  caps: { wallMs: 600_000, heapMb: 512 },
  hostCallsPerSecond: 20_000,
  runs: DEFAULT_RUN_CAPS,
  queueWaitMs: 30_000,
  tenants: new Map(),
};

interface Asked {
  readonly wallMs?: number;
  readonly heapMb?: number;
  readonly bindingWallMs?: number;
  readonly caps?: TenantCaps;
  readonly policy?: Partial<LimitPolicy>;
}

function resolve({ wallMs, heapMb, bindingWallMs, caps = {}, policy = {} }: Asked) {
  return resolveRunLimits(
    { ...POLICY, tenants: new Map([['shop', caps]]), ...policy },
    {
      tenant: 'Shop',
      engineKey: 'a',
      engine: { ...NO_ENGINE_LIMITS, ...(wallMs && { wallMs }), ...(heapMb && { heapMb }) },
      ...(bindingWallMs && { bindingWallMs }),
    },
  );
}

/** [what, asked, limits that differ from the defaults, `field asked limit` of each warning] */
const TABLE: readonly [string, Asked, Partial<RunLimits>, string[]][] = [
  ['nothing asked: the defaults', {}, {}, []],
  ['the engine asks for less', { wallMs: 5_000, heapMb: 64 }, { wallMs: 5_000, heapMb: 64 }, []],
  ['the engine asks for more', { wallMs: 300_000, heapMb: 512 }, { wallMs: 300_000, heapMb: 512 }, []],
  ['the binding goes before the engine', { wallMs: 5_000, bindingWallMs: 90_000 }, { wallMs: 90_000 }, []],
  ['the engine asks above the cap', { wallMs: 3_600_000 }, { wallMs: 600_000 }, ['Timeout 3600 600']],
  [
    'the binding asks above the cap',
    { bindingWallMs: 600_000, policy: { caps: { wallMs: 120_000, heapMb: 512 } } },
    { wallMs: 120_000 },
    ['TimeoutSeconds 600 120'],
  ],
  ['memory above the cap', { heapMb: 2048 }, { heapMb: 512 }, ['LimitMemory 2048 512']],
  [
    'memory above what a lane has room for',
    { heapMb: 512, policy: { defaults: DEFAULT_RUN_LIMITS } },
    { heapMb: 200, rssMb: 300 },
    ['LimitMemory 512 200'],
  ],
  [
    'a cap of the tenant holds for defaults',
    { caps: { wallMs: 10_000, cpuMs: 2_000 } },
    { wallMs: 10_000, cpuMs: 2_000 },
    [],
  ],
  ['and for what is asked', { wallMs: 30_000, caps: { wallMs: 10_000 } }, { wallMs: 10_000 }, ['Timeout 30 10']],
  ['a cap above the default raises nothing', { caps: { hostCalls: 99_999, logLines: 9_999 } }, {}, []],
  ['a small lane makes a small heap', { caps: { rssMb: 150 } }, { rssMb: 150, heapMb: 50 }, []],
];

for (const [what, asked, different, warnings] of TABLE) {
  test(`limits: ${what}`, () => {
    const resolved = resolve(asked);
    assert.deepEqual(resolved.limits, { ...POLICY.defaults, ...different });
    assert.deepEqual(
      resolved.warnings.map(({ code, params }) => [code, `${params.field} ${params.asked} ${params.limit}`]),
      warnings.map((warning) => ['ENGINE_LIMIT_CAPPED', warning]),
    );
  });
}

test('whatever is asked, no limit passes the caps of host and tenant, and every ask that is cut is told', () => {
  const amount = fc.integer({ min: 1, max: 10_000_000 });
  const caps = fc.record({ wallMs: amount, heapMb: amount, cpuMs: amount, hostCalls: amount }, { requiredKeys: [] });
  fc.assert(
    fc.property(amount, amount, fc.option(amount, { nil: undefined }), caps, (wallMs, heapMb, bindingWallMs, cap) => {
      const { limits, warnings } = resolve({ wallMs, heapMb, ...(bindingWallMs && { bindingWallMs }), caps: cap });
      const wallCap = Math.min(POLICY.caps.wallMs, cap.wallMs ?? Number.POSITIVE_INFINITY);
      assert.equal(limits.wallMs, Math.min(bindingWallMs ?? wallMs, wallCap));
      assert.ok(limits.heapMb <= POLICY.caps.heapMb && limits.heapMb <= (cap.heapMb ?? heapMb));
      assert.ok(limits.hostCalls <= (cap.hostCalls ?? POLICY.defaults.hostCalls));
      const cut = Number((bindingWallMs ?? wallMs) > limits.wallMs) + Number(heapMb > limits.heapMb);
      assert.equal(warnings.length, cut);
    }),
  );
});

test("the rate of host calls is the host's, or the tenant's where that is lower", () => {
  const tenants = new Map<string, TenantCaps>([
    ['slow', { hostCallsPerSecond: 50 }],
    ['fast', { hostCallsPerSecond: 50_000 }],
  ]);
  const rates = ['Slow', 'FAST', 'other'].map((tenant) => hostCallRateOf({ ...POLICY, tenants }, tenant));
  assert.deepEqual(rates, [50, 20_000, 20_000]);
});

test('runs at once: a cap of the tenant lowers those of the host and never raises them', () => {
  const policy = (caps: TenantCaps): LimitPolicy => ({ ...POLICY, tenants: new Map([['shop', caps]]) });
  assert.equal(runCapsOf(POLICY, 'shop'), undefined);
  assert.equal(runCapsOf(policy({ wallMs: 5 }), 'SHOP'), undefined);
  assert.deepEqual(runCapsOf(policy({ runs: 4 }), 'SHOP'), { tenant: 4, engine: 16 });
  assert.deepEqual(runCapsOf(policy({ runsPerEngine: 2 }), 'shop'), { tenant: 32, engine: 2 });
  assert.deepEqual(runCapsOf(policy({ runs: 999, runsPerEngine: 999 }), 'shop'), { tenant: 32, engine: 16 });
});
