/**
 * `npm run bench -- NAME [--json FILE]`: runs one benchmark, which prints its bars and exits 1 when one is short. With
 * `--json` the bars are kept in a file, as `npm run results` keeps them.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { reportedBars } from '../test/bench/bars.ts';
import { describeMachine } from '../test/bench/machine.ts';
import { RESULT_COMMANDS } from './results/result-commands.ts';
import { resultOf, writeResult } from './results/result-file.ts';

const folder = join(import.meta.dirname, '../test/bench');
const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'string' } } });
const [name = ''] = positionals;
const file = join(folder, `${name}.bench.ts`);
if (!/^[a-z-]+$/.test(name) || !existsSync(file)) {
  const known = readdirSync(folder).flatMap((entry) => /^(.+)\.bench\.ts$/.exec(entry)?.[1] ?? []);
  process.stderr.write(`usage: npm run bench -- ${known.join('|')} [--json FILE]\n`);
  process.exit(2);
}
const begun = performance.now();
if (values.json !== undefined) process.once('exit', () => keep(values.json as string));
await import(pathToFileURL(file).href);

/** At the exit, because a benchmark reports when it wants to. */
function keep(path: string): void {
  const command = RESULT_COMMANDS.find((each) => each.name === `bench-${name}`);
  if (command === undefined) throw new Error(`${name} is not in scripts/results/result-commands.ts`);
  const seconds = (performance.now() - begun) / 1000;
  const facts = { date: new Date().toISOString().slice(0, 19), machine: describeMachine(), seconds };
  writeResult(path, resultOf(command, reportedBars(), facts));
}
