/** A measured figure and what it must reach. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly target: number;
}

/** Prints one line per bar and sets the exit code when one is short. */
export function reportBars(bars: readonly Bar[]): void {
  for (const { name, value, target } of bars) {
    const verdict = value >= target ? 'ok' : 'short';
    process.stdout.write(`bar ${name} ${value.toFixed(2)} ${target} ${verdict}\n`);
    if (verdict === 'short') process.exitCode = 1;
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
