import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_ENGINE_LIMITS } from '../../src/core/engine-limits.ts';
import { resolveRunLimits } from '../../src/core/limit-policy.ts';
import { DEFAULT_RUN_LIMITS } from '../../src/core/run-limits.ts';
import { DEFAULT_RUN_CAPS } from '../../src/core/run-load.ts';
import { readTenantLimits } from '../../src/core/tenant-limits.ts';

const POLICY = {
  defaults: DEFAULT_RUN_LIMITS,
  caps: { wallMs: 600_000, heapMb: 512 },
  hostCallsPerSecond: 1_000,
  runs: DEFAULT_RUN_CAPS,
  queueWaitMs: 1_000,
  tenants: new Map(),
};

const limitsOf = (row: Record<string, unknown>, engine = NO_ENGINE_LIMITS, bindingWallMs?: number) => {
  const tenantLimits = readTenantLimits(row);
  return resolveRunLimits(POLICY, {
    tenant: 'demo',
    engineKey: 'e',
    engine,
    ...(tenantLimits === undefined ? {} : { tenantLimits }),
    ...(bindingWallMs === undefined ? {} : { bindingWallMs }),
  });
};

describe('limits in sys_config', () => {
  it('sets nothing without its columns, blank ones and what is no whole number', () => {
    assert.equal(readTenantLimits({ SysTitle: 'x', V8DefaultTimeoutSeconds: '' }), undefined);
    assert.equal(readTenantLimits({ V8DefaultTimeoutSeconds: '0', V8MaxTimeoutSeconds: 'many' }), undefined);
  });

  it('is the default of an engine that asks for nothing', () => {
    const { limits, warnings } = limitsOf({ V8DefaultTimeoutSeconds: 90, V8DefaultLimitMemoryMB: '64' });
    assert.deepEqual([limits.wallMs, limits.heapMb, warnings], [90_000, 64, []]);
  });

  it('gives way to what the engine or the binding asks for', () => {
    const row = { V8DefaultTimeoutSeconds: '90' };
    assert.equal(limitsOf(row, { wallMs: 5_000, faults: [] }).limits.wallMs, 5_000);
    assert.equal(limitsOf(row, { wallMs: 5_000, faults: [] }, 7_000).limits.wallMs, 7_000);
  });

  it('caps everything of the tenant, and never lifts the operator’s caps', () => {
    const row = { V8MaxTimeoutSeconds: 30, V8MaxLimitMemoryMB: 40, V8NestedApiDepth: '64' };
    const { limits, warnings } = limitsOf(row, { wallMs: 45_000, faults: [] });
    assert.deepEqual([limits.wallMs, limits.heapMb, limits.nesting], [30_000, 40, 32]);
    assert.deepEqual(
      warnings.map(({ params }) => params.field),
      ['Timeout'],
    );
    const greedy = limitsOf({ V8DefaultTimeoutSeconds: 3600, V8NestedApiDepth: 8 }).limits;
    assert.deepEqual([greedy.wallMs, greedy.nesting], [600_000, 8]);
  });
});
