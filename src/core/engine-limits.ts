import { bilingual } from './bilingual.ts';
import type { ErrorRecord } from './errors.ts';
import { printable } from './printable.ts';

/** What the row of an engine asks for; absent: the host's default. */
export interface EngineLimits {
  readonly wallMs?: number;
  readonly heapMb?: number;
  /** Columns that hold no limit (ENGINE_LIMIT_INVALID). The engine runs with the default in their place. */
  readonly faults: readonly ErrorRecord[];
}

/** The columns of `sys_apiengine` that hold limits, as the database gave them. */
export interface EngineLimitRow {
  readonly ApiEngineKey?: unknown;
  readonly V8Limit?: unknown;
  readonly Timeout?: unknown;
  readonly LimitMemory?: unknown;
}

/** An engine whose row asks for nothing. */
export const NO_ENGINE_LIMITS: EngineLimits = Object.freeze({ faults: Object.freeze([]) });

/**
 * Reads the limits of an engine's row (v8-surface.md 7.2, 8.1): only with `V8Limit` = 1 do its columns count, since
 * rows exported before that switch carry a null `V8Limit` beside old values. `Timeout` is seconds, `LimitMemory` MB.
 * The platform counts allocated bytes where this host counts the live heap, which is never more, so the same number
 * never ends a run earlier. `MaxStatements` and `LimitRecursion` are not counted here: CPU time and V8's own stack
 * stand in their place.
 */
export function readEngineLimits(row: EngineLimitRow): EngineLimits {
  const faults: ErrorRecord[] = [];
  const engine = printable(row.ApiEngineKey);
  const read = (field: 'Timeout' | 'LimitMemory' | 'V8Limit', from: number): number | undefined => {
    const value = row[field];
    if (isBlank(value)) return undefined;
    const number = wholeNumber(value);
    if (number !== undefined && number >= from) return number;
    faults.push({ code: 'ENGINE_LIMIT_INVALID', params: { engine, field, rule: RULE[field] } });
    return undefined;
  };
  if (read('V8Limit', 0) !== 1) return faults.length === 0 ? NO_ENGINE_LIMITS : { faults };
  const seconds = read('Timeout', 1);
  const heapMb = read('LimitMemory', MIN_HEAP_MB);
  return {
    ...(seconds === undefined ? {} : { wallMs: seconds * 1000 }),
    ...(heapMb === undefined ? {} : { heapMb }),
    faults,
  };
}

/** V8 itself needs this much before a script has begun. */
export const MIN_HEAP_MB = 16;

const RULE = {
  V8Limit: bilingual('须为 1 或 0', 'must be 1 or 0'),
  Timeout: bilingual('须为不小于 1 的整数（秒）', 'must be a whole number of seconds, at least 1'),
  LimitMemory: bilingual(
    `须为不小于 ${MIN_HEAP_MB} 的整数（MB）`,
    `must be a whole number of MB, at least ${MIN_HEAP_MB}`,
  ),
} as const;

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** A number, bigint, boolean or text as drivers and editors give it. Undefined when it is no whole number. */
function wholeNumber(value: unknown): number | undefined {
  const text = String(value).trim().toLowerCase();
  if (text === 'true') return 1;
  if (text === 'false') return 0;
  return /^-?\d{1,9}(\.0+)?$/.test(text) ? Number(text) : undefined;
}
