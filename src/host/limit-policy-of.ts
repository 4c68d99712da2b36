import type { Config } from '../config/load-config.ts';
import { orThrow } from '../core/errors.ts';
import type { LimitPolicy } from '../core/limit-policy.ts';
import { DEFAULT_RUN_LIMITS } from '../core/run-limits.ts';
import type { RunCaps } from '../core/run-load.ts';
import { parseTenantCap, tenantCapsOf } from '../core/tenant-caps.ts';

const KIB = 1024;

/** The operator's limits as the runs need them. */
export function limitPolicyOf({ run, sandbox, limits }: Config): LimitPolicy {
  return {
    defaults: {
      ...DEFAULT_RUN_LIMITS,
      wallMs: run.wallSeconds * 1000,
      cpuMs: run.cpuSeconds * 1000,
      heapMb: run.heapMb,
      rssMb: sandbox.rssMb,
      resultBytes: limits.resultKb * KIB,
      paramBytes: limits.paramKb * KIB,
      argumentBytes: limits.argumentKb * KIB,
      replyBytes: limits.replyKb * KIB,
      hostCalls: limits.hostCalls,
      nesting: limits.nesting,
      logLines: limits.logLines,
      logBytes: limits.logKb * KIB,
    },
    caps: { wallMs: limits.maxWallSeconds * 1000, heapMb: limits.maxHeapMb },
    hostCallsPerSecond: limits.hostCallsPerSecond,
    runs: runCapsOfHost(limits),
    queueWaitMs: limits.queueWaitSeconds * 1000,
    tenants: tenantCapsOf(limits.tenants.map((text) => orThrow(parseTenantCap(text)))),
  };
}

/** Runs at once as the lanes keep to them. */
export function runCapsOfHost(limits: Config['limits']): RunCaps {
  return { host: limits.runs, tenant: limits.runsPerTenant, engine: limits.runsPerEngine };
}
