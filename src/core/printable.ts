const LONGEST = 80;

/**
 * A caller's value as it may stand in an error message: one line, at most 80 characters, no control characters, so
 * that a hostile name can neither forge a log line nor fill one.
 */
export function printable(value: unknown): string {
  const text = typeof value === 'string' ? value : describeKind(value);
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return cut.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '·');
}

function describeKind(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return Array.isArray(value) ? '[…]' : '{…}';
  return typeof value === 'function' || typeof value === 'symbol' ? typeof value : String(value);
}
