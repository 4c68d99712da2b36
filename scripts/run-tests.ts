/**
 * Runs a suite of tests and checks the runner's own counts, because a glob that matches nothing and a skipped test
 * both end in success: every file ran, nothing failed, nothing was skipped or left to do.
 *
 *   node scripts/run-tests.ts unit|all [file ...]
 *
 * The suite `unit` runs without services. `all` has RabbitMQ, MariaDB and Redis of its own, started when a test first
 * asks for one; SERVICES=external uses given ones (test/support/services/services.ts).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withoutServices, withServices } from '../test/support/services/suite-environment.ts';
import { tiedCommand } from '../test/support/services/tied-process.ts';

const SUITES: Readonly<Record<string, readonly string[]>> = {
  unit: [
    'test/*.test.ts',
    'test/{core,protocol,config,telemetry,types,v8-api,admin}/**/*.test.ts',
    'test/adapters/system/**/*.test.ts',
  ],
  all: ['test/**/*.test.ts'],
};

/** The runner ends a test after this time; the longest kill and restart whole services for minutes. */
const TEST_TIMEOUT_MS = 600_000;

/** Then nothing is printed any more, and nothing will be. A single file that does not end: support/end-of-file.ts. */
const SILENCE_MS = TEST_TIMEOUT_MS + 60_000;

/** They share nothing outside their files and start no process: together in one they take a tenth of the time. */
const PURE = /^test\/(core|protocol|config|telemetry|types|v8-api)\//;

/** Test files and the programs that they start load the same sources hundreds of times. */
const COMPILE_CACHE = fileURLToPath(new URL('../node_modules/.cache/v8-engine-host/compiled', import.meta.url));

const COUNTED = ['tests', 'fail', 'cancelled', 'skipped', 'todo'] as const;
type Counts = Readonly<Record<(typeof COUNTED)[number], number>>;

const [suite = 'all', ...named] = process.argv.slice(2);
const files = named.length > 0 ? named : globSync([...(SUITES[suite] ?? [])]).sort();
if (files.length === 0) fail(`no test files in suite ${suite}`);

/**
 * They judge how much processor time or memory something takes, or give blows to whole groups of hosts: one at a time, and
 * after all others. Two of the others at once wait for each other's services and processes at most.
 */
const BY_ITSELF = /^test\/(adapters\/process|chaos|fuzz|load|sandbox)\//;

const isUnit = suite === 'unit';
const environment = {
  ...(isUnit ? withoutServices() : await withServices(named.length === 0).catch(failWith)),
  NODE_COMPILE_CACHE: COMPILE_CACHE,
};
const setup = [
  '--import=./test/support/end-of-file.ts',
  ...(isUnit ? [] : ['--test-global-setup=test/support/global-setup.ts']),
];
const groups = [
  { files: files.filter((file) => PURE.test(file)), how: ['--test-isolation=none'] },
  {
    files: files.filter((file) => !PURE.test(file) && !BY_ITSELF.test(file)),
    how: ['--test-concurrency=2', ...setup],
  },
  { files: files.filter((file) => BY_ITSELF.test(file)), how: ['--test-concurrency=1', ...setup] },
].filter((group) => group.files.length > 0);

const counts: Counts[] = [];
for (const group of groups) counts.push(await runGroup(group.files, group.how));
const sum = (kind: keyof Counts) => counts.reduce((total, each) => total + each[kind], 0);
process.stdout.write(`run-tests: ${files.length} files, ${COUNTED.map((kind) => `${kind} ${sum(kind)}`).join(', ')}\n`);
if (sum('tests') < files.length) fail(`${files.length} files but only ${sum('tests')} tests ran`);
for (const kind of ['fail', 'cancelled', 'skipped', 'todo'] as const) {
  if (sum(kind) !== 0) fail(`${sum(kind)} tests ${kind}`);
}

/** Runs files in one call of the runner. @returns its closing counts. */
async function runGroup(group: readonly string[], how: readonly string[]): Promise<Counts> {
  // TERM lets the runner name what ran and end its services.
  const command = tiedCommand('TERM', process.execPath, [
    '--test',
    ...how,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./scripts/file-times-reporter.ts',
    '--test-reporter-destination=stderr',
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    ...group,
  ]);
  const runner = spawn(command.file, command.args, { stdio: ['ignore', 'pipe', 'inherit'], env: environment });
  const endHangingRun = () => {
    process.stderr.write(`run-tests: silent for ${SILENCE_MS / 1000} s; the file named below leaves a handle open\n`);
    runner.kill('SIGTERM');
  };
  let silence = setTimeout(endHangingRun, SILENCE_MS);
  let tail = '';
  runner.stdout.on('data', (chunk: Buffer) => {
    clearTimeout(silence);
    silence = setTimeout(endHangingRun, SILENCE_MS);
    process.stdout.write(chunk);
    tail = (tail + chunk.toString('utf8')).slice(-200_000);
  });
  const [code] = (await once(runner, 'close')) as [number | null];
  clearTimeout(silence);
  const found = Object.fromEntries(COUNTED.map((kind) => [kind, countOf(kind, tail)])) as Counts;
  // A failed test is told with the sum; the later groups run all the same, so that one run shows everything.
  if (code !== 0 && found.fail + found.cancelled === 0) fail(`the test runner ended with ${code}`);
  return found;
}

/** A count of the runner's closing lines, such as `ℹ tests 321`. */
function countOf(name: string, tail: string): number {
  const found = [...tail.matchAll(new RegExp(`^ℹ ${name} (\\d+)$`, 'gm'))].at(-1);
  if (found === undefined) fail(`the test runner printed no count of ${name}`);
  return Number(found[1]);
}

function failWith(error: Error): never {
  fail(error.message);
}

function fail(reason: string): never {
  process.stderr.write(`run-tests: ${reason}\n`);
  process.exit(1);
}
