/** One command of `npm run verify`. */
export interface VerifyStep {
  readonly name: string;
  /** What it shows, for `--list`. */
  readonly about: string;
  /** Arguments of node. */
  readonly args: readonly string[];
  /** The command is ended after this time, and the step is short. Seconds. */
  readonly limitSeconds: number;
  /** True for a command that ends with lines `bar …`; of others the exit code is the bar. */
  readonly hasBars: boolean;
}

/** All limits together: what fits into half an hour. Seconds. */
export const VERIFY_SECONDS = 1_800;

/** From quick to slow, so that what is broken shows early. */
export const VERIFY_STEPS: readonly VerifyStep[] = [
  tests('packages', 'licences, SBOM and pinned versions of everything that ships', 45, [
    'test/shipped-packages.test.ts',
    'test/dependencies.test.ts',
  ]),
  plain('types', 'the compiler over sources, tests and the console', 110, ['scripts/typecheck.ts']),
  plain('style', 'Biome over everything', 45, [
    'node_modules/@biomejs/biome/bin/biome',
    'check',
    '--error-on-warnings',
  ]),
  plain('unit', 'rules, protocol, configuration, architecture, documentation', 220, ['scripts/run-tests.ts', 'unit']),
  tests('isolation', 'v8host selftest isolation at a running broker of two tenants', 60, [
    'test/cli/isolation.test.ts',
  ]),
  tests('conformance', 'MQTT 3.1.1 and 5, statement by statement', 100, [
    'test/adapters/mqtt/conformance/conformance.test.ts',
  ]),
  tests('crash', 'every crash point of docs/failure.md on the embedded default', 90, [
    'test/app/failure-crash.test.ts',
  ]),
  tests('escapes', 'attacks of scripts on their sandbox', 100, ['test/sandbox/isolation.test.ts']),
  barred('fuzz', '40,000 mutated MQTT packets and 4,000 mutated HTTP requests', 90, ['scripts/fuzz.ts', '40000']),
  barred('soak', '4,000 runs over 100 versions, and a neighbour beside attacks', 90, ['scripts/soak.ts', '4000', '5']),
  barred('bench-api', 'engines over HTTP beside a bare route', 90, ['scripts/bench.ts', 'api']),
  barred('bench-formengine', 'FormEngine beside hand-written SQL', 90, ['scripts/bench.ts', 'formengine']),
  barred('bench-publish', 'messages sent beside hand-written publishing', 90, ['scripts/bench.ts', 'publish']),
  tests('chaos-embedded', '300 orders over kills of host and sandbox', 150, ['test/chaos/embedded.chaos.test.ts']),
  barred('chaos-cluster', '400 messages over three hosts while everything dies once', 215, [
    ...['scripts/chaos.ts', '--messages', '400', '--blows', '0.1'],
    ...['--report', 'verify-report/chaos.md'],
  ]),
  barred('load', 'a day of a factory group in a minute', 180, [
    ...['scripts/load.ts', '--minutes', '1', '--tenants', '3', '--devices', '10'],
    ...['--report', 'verify-report/load'],
  ]),
];

function plain(name: string, about: string, limitSeconds: number, args: readonly string[]): VerifyStep {
  return { name, about, args, limitSeconds, hasBars: false };
}

function barred(name: string, about: string, limitSeconds: number, args: readonly string[]): VerifyStep {
  return { name, about, args, limitSeconds, hasBars: true };
}

function tests(name: string, about: string, limitSeconds: number, files: readonly string[]): VerifyStep {
  return plain(name, about, limitSeconds, ['scripts/run-tests.ts', 'all', ...files]);
}
