/** A measured figure and what it must reach, or stay below where `atMost` says so. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly target: number;
  readonly atMost?: boolean;
}

export type Verdict = 'ok' | 'short';

/** What was not measured (NaN) is short. */
export function judge({ value, target, atMost = false }: Bar): Verdict {
  return (atMost ? value <= target : value >= target) ? 'ok' : 'short';
}

let reported = '';

/** Prints one line per bar and sets the exit code when one is short. */
export function reportBars(bars: readonly Bar[]): void {
  for (const bar of bars) {
    const verdict = judge(bar);
    const line = `bar ${bar.name} ${bar.value.toFixed(2)} ${bar.target} ${verdict}\n`;
    reported += line;
    process.stdout.write(line);
    if (verdict === 'short') process.exitCode = 1;
  }
}

/** The lines that this process has printed. */
export function reportedBars(): string {
  return reported;
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
