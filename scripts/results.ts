/**
 * `npm run results`: benches, chaos and load, whose bars are kept in `docs/results`; then `npm run docs` makes the page.
 *
 *   npm run results -- --only load,chaos
 *   npm run results -- --only soak --log soak.log     the output of a run that has been made already
 */
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { describeMachine } from '../test/bench/machine.ts';
import { RESULT_COMMANDS, type ResultCommand } from './results/result-commands.ts';
import { RESULTS_FOLDER, resultOf, writeResult } from './results/result-file.ts';
import { runStep } from './verify/run-step.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    log: { type: 'string' },
    logs: { type: 'string', default: 'results-report' },
  },
});

const commands = chosen(values.only);
if (values.log !== undefined && commands.length !== 1) fail('--log is the output of one command: name it with --only');
mkdirSync(RESULTS_FOLDER, { recursive: true });
mkdirSync(values.logs, { recursive: true });
for (const command of commands) await (values.log === undefined ? measure(command) : take(command, values.log));

async function measure(command: ResultCommand): Promise<void> {
  process.stdout.write(`${command.typed}\n`);
  const { output, seconds, timedOut } = await runStep(command, join(values.logs, `${command.name}.log`));
  if (timedOut) fail(`${command.name} took longer than ${command.limitSeconds} s`);
  keep(command, output, new Date(), seconds);
}

async function take(command: ResultCommand, log: string): Promise<void> {
  keep(command, readFileSync(log, 'utf8'), statSync(log).mtime, null);
}

function keep(command: ResultCommand, output: string, ended: Date, seconds: number | null): void {
  const facts = { date: ended.toISOString().slice(0, 19), machine: describeMachine(), seconds };
  const result = resultOf(command, output, facts);
  writeResult(join(RESULTS_FOLDER, `${command.name}.json`), result);
  const short = result.bars.filter(({ verdict }) => verdict === 'short').map(({ name }) => name);
  process.stdout.write(`  ${result.bars.length} bars, short: ${short.join(', ') || 'none'}\n`);
}

function chosen(only: string | undefined): readonly ResultCommand[] {
  if (only === undefined) return RESULT_COMMANDS.filter(({ isUsual }) => isUsual);
  const names = only.split(',');
  const unknown = names.filter((name) => !RESULT_COMMANDS.some((command) => command.name === name));
  if (unknown.length > 0) fail(`--only: no command ${unknown.join(', ')}`);
  return RESULT_COMMANDS.filter(({ name }) => names.includes(name));
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(2);
}
