import { type BarLine, readBarLines } from './bar-lines.ts';
import type { VerifyStep } from './verify-step.ts';

/** How the command of a step ended. */
export interface StepEnd {
  /** `undefined` when it was ended, or could not be started. */
  readonly exitCode: number | undefined;
  readonly timedOut: boolean;
  readonly output: string;
  readonly seconds: number;
}

export interface VerifyRow extends BarLine {
  readonly step: string;
  /** Of the whole step. */
  readonly seconds: number;
}

/**
 * The rows of a step: its bars, and one more for what bars cannot say. A step that ended in time, with the exit code 0
 * and, where it must have bars, with some, is all right; nothing else is, whatever it printed.
 */
export function rowsOf(step: VerifyStep, end: StepEnd): VerifyRow[] {
  const bars = step.hasBars ? readBarLines(end.output) : [];
  const row = (bar: BarLine): VerifyRow => ({ ...bar, step: step.name, seconds: end.seconds });
  const more = (name: string, value: string, target: string): VerifyRow =>
    row({ name, value, target, verdict: 'short' });
  const rows = bars.map(row);
  if (end.timedOut) return [...rows, more('time', `${end.seconds.toFixed(0)} s`, `${step.limitSeconds} s`)];
  const isBarShort = bars.some(({ verdict }) => verdict === 'short');
  const code = String(end.exitCode ?? 'killed');
  if (end.exitCode !== 0 && !isBarShort) return [...rows, more('exit-code', code, '0')];
  if (step.hasBars && bars.length === 0) return [more('bars', '0', '1')];
  return step.hasBars ? rows : [row({ name: 'exit-code', value: code, target: '0', verdict: 'ok' })];
}

/** True when every row is ok, and there is one. */
export function isAllOk(rows: readonly VerifyRow[]): boolean {
  return rows.length > 0 && rows.every(({ verdict }) => verdict === 'ok');
}

/** One table with a line per bar, in columns for a terminal, and a last line that sums up. */
export function renderTable(rows: readonly VerifyRow[]): string {
  const cells = rows.map(({ step, name, value, target, verdict, seconds }, n) => [
    // The step and its time are said once.
    rows[n - 1]?.step === step ? '' : step,
    ...[name, value, target, verdict],
    rows[n - 1]?.step === step ? '' : `${seconds.toFixed(0)} s`,
  ]);
  const table = [['step', 'bar', 'value', 'target', 'verdict', 'time'], ...cells];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0))) ?? [];
  const lines = table.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const short = rows.filter(({ verdict }) => verdict === 'short').length;
  const steps = new Set(rows.map(({ step }) => step)).size;
  return [...lines, '', `${steps} steps, ${rows.length} bars, ${short} short`, ''].join('\n');
}
