/**
 * `npm run verify`: everything that fits into half an hour, one step after another, and one table with the bars of each.
 * Exits 1 when a bar is short, a command fails or passes its time.
 *
 *   npm run verify -- --list
 *   npm run verify -- --only fuzz,load --logs verify-report
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { runStep } from './verify/run-step.ts';
import { VERIFY_STEPS, type VerifyStep } from './verify/verify-step.ts';
import { isAllOk, renderTable, rowsOf, type VerifyRow } from './verify/verify-table.ts';

const { values } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    only: { type: 'string' },
    logs: { type: 'string', default: 'verify-report' },
  },
});

if (values.list) list();
else await verify(chosen(values.only));

function list(): void {
  for (const { name, about, limitSeconds } of VERIFY_STEPS) {
    process.stdout.write(`${name.padEnd(18)}${String(limitSeconds).padStart(4)} s  ${about}\n`);
  }
}

function chosen(only: string | undefined): readonly VerifyStep[] {
  if (only === undefined) return VERIFY_STEPS;
  const names = only.split(',');
  const unknown = names.filter((name) => !VERIFY_STEPS.some((step) => step.name === name));
  if (unknown.length === 0) return VERIFY_STEPS.filter(({ name }) => names.includes(name));
  process.stderr.write(`--only: no step ${unknown.join(', ')}; --list names them\n`);
  process.exit(2);
}

async function verify(steps: readonly VerifyStep[]): Promise<void> {
  mkdirSync(values.logs, { recursive: true });
  const rows: VerifyRow[] = [];
  for (const step of steps) {
    process.stdout.write(`${step.name.padEnd(18)}`);
    const found = rowsOf(step, await runStep(step, join(values.logs, `${step.name}.log`)));
    rows.push(...found);
    process.stdout.write(`${isAllOk(found) ? 'ok' : 'short'}  ${(found[0]?.seconds ?? 0).toFixed(0)} s\n`);
  }
  const table = renderTable(rows);
  writeFileSync(join(values.logs, 'table.txt'), table);
  process.stdout.write(`\n${table}logs: ${values.logs}\n`);
  process.exitCode = isAllOk(rows) ? 0 : 1;
}
