import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import type { Bar } from './bars.ts';

/** V8's flags of a lane (adapters/process/lane-command.ts); the permissions do not matter here. */
const LANE_FLAGS = ['--no-opt', '--v8-pool-size=1', '--max-semi-space-size=1', '--no-warnings'];

/** What it costs to prove, before each run, that the runs before it have left nothing. */
export function measureCleanliness(): Bar {
  const program = join(import.meta.dirname, 'clean-check-cost.ts');
  const us = Number(execFileSync(process.execPath, [...LANE_FLAGS, program], { encoding: 'utf8' }));
  process.stdout.write(`proof of cleanliness: ${us.toFixed(1)} µs CPU per warm run\n`);
  return { name: 'cleanliness-us', value: us, target: 15, atMost: true };
}
