import type { RunCountView } from '../api/shapes.ts';

const MINUTES = 60;
const MINUTE_MS = 60_000;
const FAILURES = ['retry', 'dead', 'failed'];

/** One minute of the chart. */
export interface ChartBar {
  /** Milliseconds UTC. */
  readonly at: number;
  readonly succeeded: number;
  readonly failed: number;
}

export interface RunChart {
  readonly bars: readonly ChartBar[];
  readonly runs: number;
  readonly failed: number;
  /** Highest bar, at least 1. */
  readonly peak: number;
}

/** The hour before `at` minute by minute. What was not run at all (duplicates) is not counted. */
export function chartOf(counts: readonly RunCountView[], at: number): RunChart {
  const last = at - (at % MINUTE_MS);
  const bars = Array.from({ length: MINUTES }, (_, index) => {
    const minute = last - (MINUTES - 1 - index) * MINUTE_MS;
    const own = counts.filter((count) => count.at === minute);
    return { at: minute, succeeded: sumOf(own, ['done']), failed: sumOf(own, FAILURES) };
  });
  const total = (of: (bar: ChartBar) => number): number => bars.reduce((sum, bar) => sum + of(bar), 0);
  return {
    bars,
    runs: total((bar) => bar.succeeded + bar.failed),
    failed: total((bar) => bar.failed),
    peak: Math.max(1, ...bars.map((bar) => bar.succeeded + bar.failed)),
  };
}

function sumOf(counts: readonly RunCountView[], verdicts: readonly string[]): number {
  return counts.filter(({ verdict }) => verdicts.includes(verdict)).reduce((sum, { runs }) => sum + runs, 0);
}
