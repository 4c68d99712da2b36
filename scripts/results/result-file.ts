import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BarLine, readBarLines } from '../verify/bar-lines.ts';
import { RESULT_COMMANDS, type ResultCommand } from './result-commands.ts';

/** What a command has measured, as it is kept in `docs/results/NAME.json`. */
export interface ResultFile {
  readonly name: string;
  /** As somebody types it. */
  readonly command: string;
  /** Of the product. */
  readonly version: string;
  /** When it ended, ISO 8601. */
  readonly date: string;
  readonly machine: string;
  /** How long it took; null of one that was taken from an earlier output. */
  readonly seconds: number | null;
  readonly bars: readonly BarLine[];
}

const ROOT = join(import.meta.dirname, '../..');
export const RESULTS_FOLDER = join(ROOT, 'docs/results');

/** What is known about a run besides its output. */
export type ResultFacts = Pick<ResultFile, 'date' | 'machine' | 'seconds'>;

/** @throws Error when the output has no bars: then the command did not come to its end. */
export function resultOf(command: ResultCommand, output: string, facts: ResultFacts): ResultFile {
  const bars = readBarLines(output);
  if (bars.length === 0) throw new Error(`${command.name}: no bars in what it printed\n${output.slice(-2_000)}`);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  return { name: command.name, command: command.typed, version, ...facts, bars };
}

export function writeResult(file: string, result: ResultFile): void {
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
}

/** All kept results, in the order of their commands. */
export function readResults(folder = RESULTS_FOLDER): ResultFile[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const results = files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as ResultFile);
  const place = ({ name }: ResultFile): number => RESULT_COMMANDS.findIndex((command) => command.name === name);
  return results.sort((a, b) => place(a) - place(b));
}
