import type { ErrorCode, ErrorRecord } from './errors.ts';
import type { JsonObject } from './json.ts';

/** What kind of limit a code names, and the unit of its `limit` parameter. */
interface LimitKind {
  readonly type: string;
  readonly unit: string;
}

/**
 * The codes that say a limit ended or refused something. `type` is the platform's word where it has one
 * (v8-surface.md 7.3). docs/limits.md shows the same rows.
 */
export const LIMIT_KINDS = {
  V8_TIMEOUT: { type: 'Timeout', unit: 'ms' },
  V8_CPU_LIMIT: { type: 'Cpu', unit: 'ms' },
  V8_MEMORY_LIMIT: { type: 'Memory', unit: 'MB' },
  V8_PROCESS_MEMORY: { type: 'ProcessMemory', unit: 'MB' },
  V8_PROCESS_CRASH: { type: 'ProcessCrash', unit: '' },
  V8_NEVER_SETTLES: { type: 'Promise', unit: '' },
  V8_RECURSION_LIMIT: { type: 'Recursion', unit: '' },
  V8_NESTED_DEPTH_LIMIT: { type: 'NestedApiDepth', unit: 'levels' },
  V8_HOST_CALL_LIMIT: { type: 'HostCalls', unit: 'calls' },
  V8_HOST_CALL_RATE: { type: 'HostCallRate', unit: 'calls/s' },
  V8_RESULT_TOO_LARGE: { type: 'Size', unit: 'bytes' },
  V8_TOO_MANY_VALUES: { type: 'Size', unit: 'values' },
  V8_RESULT_TOO_DEEP: { type: 'Depth', unit: 'levels' },
  V8_EXECUTION_QUEUE_TIMEOUT: { type: 'ExecutionQueue', unit: 'ms' },
} as const satisfies Partial<Record<ErrorCode, LimitKind>>;

/** A code that names a limit. */
export type LimitCode = keyof typeof LIMIT_KINDS;

/** Where in a tree of engines a limit was hit. */
export interface LimitPlace {
  readonly rootRunId: string;
  /** Engine keys from the root to the one that hit the limit. */
  readonly callPath: readonly string[];
  /** True when a message started the tree: nobody waits for it. */
  readonly background: boolean;
}

export function isLimitCode(code: ErrorCode): code is LimitCode {
  return Object.hasOwn(LIMIT_KINDS, code);
}

/** Memory is counted as the live heap of the isolate, not as all bytes ever allocated. */
export const MEMORY_ACCOUNTING = 'LiveHeapBytes';

/**
 * `DataAppend.V8Limit` of a failure (v8-surface.md 7.3); undefined for one that is about no limit.
 * @param advice the failure's sentence, which says what to change.
 */
export function limitReport(error: ErrorRecord, advice: string, place?: LimitPlace): JsonObject | undefined {
  const { code, params } = error;
  if (!isLimitCode(code)) return undefined;
  const { type, unit } = LIMIT_KINDS[code];
  return {
    Code: code,
    LimitType: type,
    Limit: params.limit ?? null,
    Unit: unit,
    ...(params.size === undefined ? {} : { Observed: params.size }),
    Advice: advice,
    ...placeFields(place ?? rootOf(error)),
    MemoryAccounting: MEMORY_ACCOUNTING,
  };
}

/** The place of a call's own engine, which its error carries as parameters. */
function rootOf({ params }: ErrorRecord): LimitPlace | undefined {
  if (typeof params.runId !== 'string' || typeof params.engine !== 'string') return undefined;
  return { rootRunId: params.runId, callPath: [params.engine], background: false };
}

function placeFields(place: LimitPlace | undefined): JsonObject {
  if (place === undefined) return {};
  const { rootRunId, callPath, background } = place;
  return {
    RootExecutionId: rootRunId,
    CurrentDepth: callPath.length,
    CallPath: [...callPath],
    IsBackgroundTask: background,
  };
}
