import type { EngineEntry } from './engine-entry.ts';
import type { EngineLimits } from './engine-limits.ts';
import type { EngineLock } from './engine-lock.ts';
import { accept, type Parsed, refuse } from './errors.ts';
import { printable } from './printable.ts';
import type { TenantLimits } from './tenant-limits.ts';

/** A tenant's `GlobalServerV8Code`: it runs before each of its scripts (v8-surface.md 0). */
export interface GlobalCode {
  readonly source: string;
  /** First 12 hex digits of SHA-256 of the source. */
  readonly version: string;
}

/** A row of `sys_apiengine` as a run needs it. */
export interface EngineSource {
  readonly key: string;
  readonly name: string;
  readonly source: string;
  /** First 12 hex digits of SHA-256 of the source. */
  readonly version: string;
  readonly enabled: boolean;
  /** Refused over HTTP when set; nested calls still work. */
  readonly stopHttp: boolean;
  readonly limits: EngineLimits;
  /** Set when its runs happen one after the other. */
  readonly lock?: EngineLock;
  /** What HTTP callers may do; absent in rows that none can reach. */
  readonly entry?: EngineEntry;
  /** What runs before it, when the tenant has such code. */
  readonly globalCode?: GlobalCode;
  /** What the tenant's settings say about the limits of its engines. */
  readonly tenantLimits?: TenantLimits;
}

const ENGINE_KEY = /^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/;

/**
 * The key of an engine as somebody wrote it: trimmed, its case kept; look-ups ignore the case (v8-surface.md 8.1).
 * Refusal: ENGINE_KEY_INVALID.
 */
export function parseEngineKey(raw: unknown): Parsed<string> {
  const text = typeof raw === 'string' ? raw.trim() : '';
  return ENGINE_KEY.test(text) ? accept(text) : refuse('ENGINE_KEY_INVALID', { engine: printable(raw) });
}

/** Reads an `IsEnable` column: true, 1, `1` and `true` are on; a missing column or null means on (v8-surface.md 8.1). */
export function isEnabled(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  const text = String(value).trim().toLowerCase();
  return text === '1' || text === 'true';
}
