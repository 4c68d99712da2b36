/**
 * `npm run load`: plays a day of a factory group in ten minutes against a host of its own and looks at every effect.
 * Tenants with devices, alarms, orders, labels and people at their screens; poison, a slow ERP, killed lanes and storms
 * of reconnecting devices. Writes a report with pictures into `--report` (load-report) and ends with its bars.
 *
 *   npm run load -- --minutes 10 --seed 7 --tenants 4 --devices 25 --rate 1 --shape day|steady
 *   npm run load -- --config v8host.config.json --rabbitmq http://user:password@127.0.0.1:15672
 *
 * `--config` takes `databaseUrl`, `queueUrl` and the like of a host configuration; with a queue `--rabbitmq` names the
 * management interface, at which the tenants get their accounts. The data directory is always a temporary one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { reportBars } from '../test/bench/bars.ts';
import { readHostConfig } from '../test/load/factory.ts';
import { readLoadOptions } from '../test/load/load-options.ts';
import { reportOf, writeReport } from '../test/load/load-report.ts';
import { runLoad } from '../test/load/run-load.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String((Date.now() % 1_000_000) + 1) },
    tenants: { type: 'string', default: '4' },
    devices: { type: 'string', default: '25' },
    rate: { type: 'string', default: '1' },
    shape: { type: 'string', default: 'day' },
    report: { type: 'string', default: 'load-report' },
    config: { type: 'string' },
    rabbitmq: { type: 'string' },
  },
});
const options = readLoadOptions(values);
const dir = mkdtempSync(join(tmpdir(), 'v8host-load-'));
try {
  const place = {
    dir,
    ...(values.config === undefined ? {} : { config: readHostConfig(values.config) }),
    ...(values.rabbitmq === undefined ? {} : { rabbitManagement: values.rabbitmq }),
  };
  say(`seed ${options.seed}`);
  const result = await runLoad(place, options, say);
  const { lost, doubled, foreign } = result.faults;
  for (const fault of [...lost, ...doubled, ...foreign, ...result.notes.refused].slice(0, 20)) say(`fault: ${fault}`);
  const report = reportOf(result);
  writeReport(values.report, report);
  say(`report: ${join(values.report, 'report.html')}`);
  reportBars(report.bars);
} finally {
  rmSync(dir, { recursive: true, force: true });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
