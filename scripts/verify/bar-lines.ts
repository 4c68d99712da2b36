/** A line `bar NAME VALUE TARGET ok|short`, as every bench, chaos, fuzz, soak and load command prints at its end. */
export interface BarLine {
  readonly name: string;
  /** As they were printed. */
  readonly value: string;
  readonly target: string;
  readonly verdict: 'ok' | 'short';
}

const BAR = /^bar (\S+) (\S+) (\S+) (ok|short)$/;

/** The bars in what a command printed, in their order. */
export function readBarLines(output: string): BarLine[] {
  return output.split('\n').flatMap((line) => {
    const [, name, value, target, verdict] = BAR.exec(line.trim()) ?? [];
    if (name === undefined || value === undefined || target === undefined) return [];
    return [{ name, value, target, verdict: verdict === 'ok' ? 'ok' : 'short' }];
  });
}
