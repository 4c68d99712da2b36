import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';

/** What the clock functions read: `localText` writes a moment in the tenant's zone as `yyyy-MM-dd HH:mm:ss`. */
export interface LocalClock {
  now(): number;
  localText(ms: number): string;
}

/** A function of MySQL over SQLite's values; integers come as BigInt. */
export type SqlFunction = (clock: LocalClock, ...values: readonly SQLOutputValue[]) => SQLInputValue;

/** Longest text that a function makes. Above it MySQL gives NULL, too (max_allowed_packet). Characters. */
export const MAX_MADE_TEXT = 1024 * 1024;

/** A value as text; undefined for NULL. */
export function textOf(value: SQLOutputValue | undefined): string | undefined {
  if (value === null || value === undefined) return undefined;
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value);
}

/** A value as a number, as MySQL reads the beginning of a text; undefined for NULL. */
export function numberOf(value: SQLOutputValue | undefined): number | undefined {
  if (typeof value === 'number') return value;
  const text = textOf(value);
  return text === undefined ? undefined : Number(/^\s*([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)/.exec(text)?.[1] ?? 0);
}

/** A whole number goes back as an integer. */
export function toSql(value: number | undefined): SQLInputValue {
  if (value === undefined || !Number.isFinite(value)) return null;
  return Number.isSafeInteger(value) ? BigInt(value) : value;
}
