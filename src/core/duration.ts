const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** Reads a whole number with a unit, such as `500ms`, `30s`, `2m`, `1h`. Undefined when the text is anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,10})(ms|s|m|h)$/i.exec(text.trim());
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return Number(match[1]) * UNIT_MS[match[2].toLowerCase() as keyof typeof UNIT_MS];
}

/** Writes milliseconds the short way: `500ms`, `60s`, `5m`. `parseDuration` reads it back to the same number. */
export function formatDuration(ms: number): string {
  if (ms % UNIT_MS.s !== 0) return `${ms}ms`;
  return ms % UNIT_MS.m === 0 && ms >= 2 * UNIT_MS.m ? `${ms / UNIT_MS.m}m` : `${ms / UNIT_MS.s}s`;
}
