import { type EngineLimits, MIN_HEAP_MB } from './engine-limits.ts';
import type { ErrorRecord } from './errors.ts';
import type { RunLimits } from './run-limits.ts';
import type { RunCaps } from './run-load.ts';
import { tenantKey } from './tenant.ts';
import type { TenantLimits } from './tenant-limits.ts';

/** The limits that may be lowered for a tenant: those of its runs, and how often they may call the host. */
export type TenantCaps = Partial<RunLimits> & {
  readonly hostCallsPerSecond?: number;
  /** Runs of the tenant, and of each of its engines, under way at once. */
  readonly runs?: number;
  readonly runsPerEngine?: number;
};

/** What the operator has decided about limits. */
export interface LimitPolicy {
  /** For a run whose engine and binding ask for nothing. */
  readonly defaults: RunLimits;
  /** No engine and no binding goes above. */
  readonly caps: { readonly wallMs: number; readonly heapMb: number };
  /** Host calls of all runs of one tenant. */
  readonly hostCallsPerSecond: number;
  /** Runs under way at once. */
  readonly runs: RunCaps;
  /** Longest wait of a call for its turn. Milliseconds. */
  readonly queueWaitMs: number;
  /** By tenantKey: nothing of that tenant goes above. */
  readonly tenants: ReadonlyMap<string, TenantCaps>;
}

/** Who asks for limits. */
export interface LimitRequest {
  readonly tenant: string;
  readonly engineKey: string;
  readonly engine: EngineLimits;
  /** `TimeoutSeconds` of the binding whose message is run; it goes before the engine's `Timeout`. */
  readonly bindingWallMs?: number;
  /** From the tenant's `sys_config`. */
  readonly tenantLimits?: TenantLimits;
}

/** The limits of a run, and what was asked for and is not given. */
export interface ResolvedLimits {
  readonly limits: RunLimits;
  /** ENGINE_LIMIT_INVALID and ENGINE_LIMIT_CAPPED. */
  readonly warnings: readonly ErrorRecord[];
}

/** What a lane process needs beside the heap of its isolate. MB. */
export const LANE_BASE_MB = 100;

const NOTHING_SET: TenantLimits = Object.freeze({ defaults: {}, most: {} });

/**
 * Merges the limits of one run: asked by the binding, else by the engine, else the tenant's default in `sys_config`,
 * else the host's; never above the tenant's own cap, the operator's for the tenant, and the host's. The heap stays below the memory of the lane, or the process would be killed before
 * the heap limit can end the script.
 */
export function resolveRunLimits(policy: LimitPolicy, request: LimitRequest): ResolvedLimits {
  const { engine, engineKey, tenantLimits: { defaults: usual, most } = NOTHING_SET } = request;
  const tenant = policy.tenants.get(tenantKey(request.tenant)) ?? {};
  const warnings = [...engine.faults];
  const capped = (name: keyof RunLimits, cap: number, asked?: Asked): number => {
    const wanted = asked?.value ?? policy.defaults[name];
    const limit = Math.min(cap, tenant[name] ?? cap);
    if (asked?.value !== undefined && asked.value > limit) {
      const unit = name === 'heapMb' ? 1 : 1000;
      const params = { engine: engineKey, field: asked.field, asked: asked.value / unit, limit: limit / unit };
      warnings.push({ code: 'ENGINE_LIMIT_CAPPED', params });
    }
    return Math.min(wanted, limit);
  };
  const within = (cap: number, own: number | undefined): number => Math.min(cap, own ?? cap);
  const wall = askedWall(request, usual.wallMs);
  const rssMb = capped('rssMb', policy.defaults.rssMb);
  const heapCap = Math.max(MIN_HEAP_MB, Math.min(policy.caps.heapMb, rssMb - LANE_BASE_MB));
  const limits = Object.fromEntries(
    Object.entries(policy.defaults).map(([name, value]) => [name, capped(name as keyof RunLimits, value)]),
  ) as unknown as RunLimits;
  return {
    limits: {
      ...limits,
      nesting: capped('nesting', within(policy.defaults.nesting, most.nesting)),
      wallMs: capped('wallMs', within(policy.caps.wallMs, most.wallMs), wall),
      heapMb: capped('heapMb', within(heapCap, most.heapMb), askedHeap(engine, usual.heapMb)),
    },
    warnings,
  };
}

/** What is asked for, and the field that asks. */
interface Asked {
  readonly field: string;
  readonly value: number | undefined;
}

function askedWall({ engine, bindingWallMs }: LimitRequest, usual: number | undefined): Asked {
  if (bindingWallMs !== undefined) return { field: 'TimeoutSeconds', value: bindingWallMs };
  if (engine.wallMs !== undefined) return { field: 'Timeout', value: engine.wallMs };
  return { field: 'V8DefaultTimeoutSeconds', value: usual };
}

function askedHeap(engine: EngineLimits, usual: number | undefined): Asked {
  if (engine.heapMb !== undefined) return { field: 'LimitMemory', value: engine.heapMb };
  return { field: 'V8DefaultLimitMemoryMB', value: usual === undefined ? undefined : Math.max(MIN_HEAP_MB, usual) };
}

/** Host calls a second that all runs of a tenant may make together. */
export function hostCallRateOf(policy: LimitPolicy, tenant: string): number {
  const cap = policy.tenants.get(tenantKey(tenant))?.hostCallsPerSecond;
  return Math.min(policy.hostCallsPerSecond, cap ?? policy.hostCallsPerSecond);
}

/** Runs at once of a tenant and of each of its engines; undefined where the operator set nothing for the tenant. */
export function runCapsOf(policy: LimitPolicy, tenant: string): Omit<RunCaps, 'host'> | undefined {
  const { runs, runsPerEngine } = policy.tenants.get(tenantKey(tenant)) ?? {};
  if (runs === undefined && runsPerEngine === undefined) return undefined;
  return {
    tenant: Math.min(policy.runs.tenant, runs ?? policy.runs.tenant),
    engine: Math.min(policy.runs.engine, runsPerEngine ?? policy.runs.engine),
  };
}

/**
 * The limits of an engine that another one runs: its own, and what is left of its caller's holds beside them. One that
 * asks for no time has that of the root. While it computes nobody can look at its wall time, so its CPU time ends it no
 * later.
 */
export function nestedLimits(own: RunLimits, asked: EngineLimits, root: RunLimits): RunLimits {
  const wallMs = asked.wallMs === undefined ? root.wallMs : own.wallMs;
  return { ...own, wallMs, cpuMs: Math.min(own.cpuMs, wallMs) };
}
