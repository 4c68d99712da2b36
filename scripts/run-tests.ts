/**
 * Runs a suite of tests and checks the runner's own counts, because a glob that matches nothing and a skipped test
 * both end in success: every file ran, nothing failed, nothing was skipped or left to do.
 *
 *   node scripts/run-tests.ts unit|all [file ...]
 *
 * The suite `unit` runs without services. `all` has RabbitMQ, MariaDB and Redis of its own; SERVICES=external uses given
 * ones (test/support/services/services.ts).
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { env } from 'node:process';
import { ensurePrograms } from '../test/support/services/packages.ts';

const SUITES: Readonly<Record<string, readonly string[]>> = {
  unit: [
    'test/*.test.ts',
    'test/{core,protocol,config,telemetry,types,v8-api,admin}/**/*.test.ts',
    'test/adapters/{system,http}/**/*.test.ts',
  ],
  all: ['test/**/*.test.ts'],
};

const [suite = 'all', ...named] = process.argv.slice(2);
const files = named.length > 0 ? named : globSync([...(SUITES[suite] ?? [])]).sort();
if (files.length === 0) fail(`no test files in suite ${suite}`);

const isUnit = suite === 'unit';
// Before the first test, whose time limit an installation would use up.
if (!isUnit && named.length === 0 && env.SERVICES !== 'external') {
  await ensurePrograms('rabbitmq', 'mariadb', 'redis').catch((error: Error) => fail(error.message));
}

const setup = isUnit ? [] : ['--test-global-setup=test/support/global-setup.ts'];
const runner = spawn(
  process.execPath,
  ['--test', ...setup, '--test-reporter=spec', '--test-concurrency=2', '--test-timeout=180000', ...files],
  { stdio: ['ignore', 'pipe', 'inherit'], env: isUnit ? { ...env, SERVICES: 'none' } : env },
);
let tail = '';
runner.stdout.on('data', (chunk: Buffer) => {
  process.stdout.write(chunk);
  tail = (tail + chunk.toString('utf8')).slice(-200_000);
});
runner.on('close', (code) => {
  if (code !== 0) fail(`the test runner ended with ${code}`);
  const tests = countOf('tests');
  if (tests < files.length) fail(`${files.length} files but only ${tests} tests ran`);
  for (const kind of ['fail', 'cancelled', 'skipped', 'todo']) {
    if (countOf(kind) !== 0) fail(`${countOf(kind)} tests ${kind}`);
  }
});

/** A count of the runner's closing lines, such as `ℹ tests 321`. */
function countOf(name: string): number {
  const found = [...tail.matchAll(new RegExp(`^ℹ ${name} (\\d+)$`, 'gm'))].at(-1);
  if (found === undefined) fail(`the test runner printed no count of ${name}`);
  return Number(found[1]);
}

function fail(reason: string): never {
  process.stderr.write(`run-tests: ${reason}\n`);
  process.exit(1);
}
