/** A measured figure and what it must reach, or stay below where `atMost` says so. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly target: number;
  readonly atMost?: boolean;
}

/** Prints one line per bar and sets the exit code when one is short. */
export function reportBars(bars: readonly Bar[]): void {
  for (const { name, value, target, atMost = false } of bars) {
    const verdict = (atMost ? value <= target : value >= target) ? 'ok' : 'short';
    process.stdout.write(`bar ${name} ${value.toFixed(2)} ${target} ${verdict}\n`);
    if (verdict === 'short') process.exitCode = 1;
  }
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** @param percent 0 to 100; between two values it is their weighted mean. NaN of no values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = ((sorted.length - 1) * percent) / 100;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? below;
  return below + (above - below) * (at - Math.floor(at));
}
