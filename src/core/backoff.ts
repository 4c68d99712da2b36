import { bilingual } from './bilingual.ts';
import { formatDuration, parseDuration } from './duration.ts';
import { accept, type Parsed, refuse } from './errors.ts';

/** How long a failed message waits before its next attempt (`Backoff`, defaults.md 6). Milliseconds. */
export type Backoff =
  | { readonly kind: 'none' }
  | { readonly kind: 'fixed'; readonly delayMs: number }
  | { readonly kind: 'exponential'; readonly baseMs: number; readonly capMs: number };

/** `exp:1s..60s`. */
export const DEFAULT_BACKOFF: Backoff = Object.freeze({ kind: 'exponential', baseMs: 1000, capMs: 60_000 });

/** No message waits longer between two attempts. */
const LONGEST_MS = 3_600_000;

/**
 * Reads `none`, `fixed:5s` or `exp:1s..60s` (units ms, s, m, h; any case); blank and absent mean `exp:1s..60s`.
 * Refusal: PARAM_INVALID for the field `Backoff`.
 */
export function parseBackoff(text: unknown): Parsed<Backoff> {
  if (text === undefined || text === null) return accept(DEFAULT_BACKOFF);
  if (typeof text !== 'string') return malformed();
  const plain = text.trim().toLowerCase();
  if (plain === '') return accept(DEFAULT_BACKOFF);
  if (plain === 'none') return accept({ kind: 'none' });
  if (plain.startsWith('fixed:')) return parseFixed(plain.slice('fixed:'.length));
  return plain.startsWith('exp:') ? parseExponential(plain.slice('exp:'.length)) : malformed();
}

/**
 * How long to wait after failed attempt number `attempt` (from 1). An exponential step doubles from `baseMs` up to
 * `capMs`; jitter spreads it over its upper half, so that messages which failed together do not come back together.
 * @param jitter a number in [0, 1). @returns whole milliseconds.
 */
export function backoffDelayMs(backoff: Backoff, attempt: number, jitter: number): number {
  switch (backoff.kind) {
    case 'none':
      return 0;
    case 'fixed':
      return backoff.delayMs;
    case 'exponential': {
      const step = Math.min(backoff.capMs, backoff.baseMs * 2 ** Math.max(0, attempt - 1));
      return Math.round(step * (0.5 + jitter / 2));
    }
  }
}

/** The text that `parseBackoff` reads back to the same waits. */
export function formatBackoff(backoff: Backoff): string {
  switch (backoff.kind) {
    case 'none':
      return 'none';
    case 'fixed':
      return `fixed:${formatDuration(backoff.delayMs)}`;
    case 'exponential':
      return `exp:${formatDuration(backoff.baseMs)}..${formatDuration(backoff.capMs)}`;
  }
}

function parseFixed(text: string): Parsed<Backoff> {
  const delayMs = parseWait(text);
  return delayMs === undefined ? malformed() : accept({ kind: 'fixed', delayMs });
}

function parseExponential(text: string): Parsed<Backoff> {
  const [base = '', cap = '', ...rest] = text.split('..');
  const baseMs = parseWait(base);
  const capMs = parseWait(cap);
  if (baseMs === undefined || capMs === undefined || baseMs > capMs || rest.length > 0) return malformed();
  return accept({ kind: 'exponential', baseMs, capMs });
}

function parseWait(text: string): number | undefined {
  const ms = parseDuration(text);
  return ms !== undefined && ms >= 1 && ms <= LONGEST_MS ? ms : undefined;
}

function malformed(): ReturnType<typeof refuse> {
  const rule = bilingual(
    '写 none、fixed:5s 或 exp:1s..60s（单位 ms、s、m、h，1ms 到 1h，起点不大于上限）',
    'write none, fixed:5s or exp:1s..60s (units ms, s, m, h; from 1ms to 1h; the base not above the cap)',
  );
  return refuse('PARAM_INVALID', { field: 'Backoff', rule });
}
