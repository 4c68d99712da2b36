import type { JsonObject } from './json.ts';
import { MEMORY_ACCOUNTING } from './limit-report.ts';
import type { RunLimits } from './run-limits.ts';

/**
 * `V8.Limits`: the limits a run has, in the platform's names (v8-surface.md 7.3) and ours after them. Null is what
 * this host does not count: statements (CPU time stands in their place) and the depth of recursion (V8's own stack).
 * @param depth 1 for the root engine. @param background true when a message started the run.
 */
export function scriptLimits(limits: RunLimits, depth: number, background: boolean): JsonObject {
  return {
    TimeoutSeconds: limits.wallMs / 1000,
    MaxStatements: null,
    LimitMemoryMB: limits.heapMb,
    CallTreeLimitMemoryMB: limits.rssMb,
    LimitRecursion: null,
    NestedApiDepthLimit: limits.nesting,
    CurrentDepth: depth,
    IsBackgroundTask: background,
    IsolateNestedApiMemory: true,
    ResidentMemoryGuardOnly: false,
    UnlimitedRuntime: false,
    MemoryAccounting: MEMORY_ACCOUNTING,
    CpuSeconds: limits.cpuMs / 1000,
    HostCalls: limits.hostCalls,
    ResultBytes: limits.resultBytes,
    LogLines: limits.logLines,
  };
}
