/**
 * `npm run soak [-- RUNS SECONDS]`: 20,000 runs over 500 versions, then a neighbour beside a tenant who attacks without end. Prints its
 * bars and exits 1 when one is short: memory is flat after the warm-up, every run ended as it should, no lane was lost,
 * and the attacks add less than 50 ms to the neighbour's slowest runs.
 * The comparison takes SECONDS (20) for each of its halves.
 *
 * `npm run soak -- --minutes 60 [--seed N] [--report DIR]`: the whole host under the mixed load of `npm run load` at a
 * steady pace. After a third of the time memory grows by 20 MiB an hour at most, and every effect is there once.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import type { EngineRunner } from '../src/ports/engine-runner.ts';
import { type Bar, percentile, reportBars } from '../test/bench/bars.ts';
import { engineWithCalls, invoke, warmUp } from '../test/bench/invoke-load.ts';
import { soak } from '../test/bench/soak-runs.ts';
import { describeSoak, soakBars } from '../test/load/host-soak.ts';
import { readLoadOptions } from '../test/load/load-options.ts';
import { reportOf, writeReport } from '../test/load/load-report.ts';
import { runLoad } from '../test/load/run-load.ts';
import { openLanes, runScript } from '../test/support/lanes.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string', default: String((Date.now() % 1_000_000) + 1) },
    report: { type: 'string', default: 'soak-report' },
  },
});
const [runsText = '20000', secondsText = '20'] = positionals;
const RUNS = Number(runsText);
const SECONDS = Number(secondsText);
const RUNS_PER_VERSION = 40;
const LANES = 2;

/** The whole host is soaked at the pace of a usual hour. */
const HOST_LOAD = { tenants: '4', devices: '25', rate: '0.6', shape: 'steady' };

/** Pause between two runs of the neighbour. */
const PAUSE_MS = 4;

const ATTACKS = [
  'while (true) {}',
  'for (;;) new Array(1000).fill("x")',
  'const a = []; for (;;) a.push({a})',
  'return Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)',
  'return "x".repeat(2 ** 28).split("").length',
];

reportBars(
  values.minutes === undefined ? [...(await soakMemory()), await compareNeighbour()] : await soakHost(values.minutes),
);

async function soakHost(minutes: string): Promise<Bar[]> {
  const options = readLoadOptions({ ...HOST_LOAD, minutes, seed: values.seed });
  const dir = mkdtempSync(join(tmpdir(), 'v8host-soak-'));
  try {
    say(`seed ${options.seed}`);
    const result = await runLoad({ dir }, options, say);
    const { lost, doubled, foreign } = result.faults;
    for (const fault of [...lost, ...doubled, ...foreign, ...result.notes.refused].slice(0, 20)) say(`fault: ${fault}`);
    const bars = soakBars(result);
    writeReport(values.report, { ...reportOf(result), bars });
    say(describeSoak(result));
    return bars;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function soakMemory(): Promise<Bar[]> {
  let lost = 0;
  const pool = await openLanes(LANES, { onKilled: () => (lost += 1) });
  const report = await soak(pool, {
    runs: RUNS,
    versions: RUNS / RUNS_PER_VERSION,
    onSample: (runs, laneMb) => say(`${runs} runs: lanes ${laneMb.join(', ')} MB`),
  });
  await pool.close();
  for (const wrong of report.wrong.slice(0, 10)) say(`wrong: ${wrong}`);
  return [
    { name: 'soak-growth-mb', value: report.growthMb, target: 10, atMost: true },
    { name: 'soak-lane-mb', value: report.laneMb, target: 160, atMost: true },
    { name: 'soak-wrong-runs', value: report.wrong.length, target: 0, atMost: true },
    { name: 'soak-lanes-lost', value: lost, target: 0, atMost: true },
  ];
}

async function compareNeighbour(): Promise<Bar> {
  const pool = await openLanes(LANES, { rssMb: 250 });
  await warmUp(pool, [engineWithCalls(1, 'neighbour')], 200);
  const calm = await latencies(pool);
  let attacking = true;
  const attacks = attackUntil(pool, () => !attacking);
  const attacked = await latencies(pool);
  attacking = false;
  say(`${await attacks} attacks meanwhile`);
  await pool.close();
  const [before, during] = [percentile(calm, 99), percentile(attacked, 99)];
  say(`neighbour p99 ${before.toFixed(1)} ms calm, ${during.toFixed(1)} ms beside attacks`);
  return { name: 'neighbour-added-p99-ms', value: during - before, target: 50, atMost: true };
}

/** How long the neighbour's runs took, one after another. Milliseconds. */
async function latencies(pool: EngineRunner): Promise<number[]> {
  const tookMs: number[] = [];
  for (const end = performance.now() + SECONDS * 1000; performance.now() < end; ) {
    const begun = performance.now();
    await invoke(pool, engineWithCalls(1, 'neighbour'));
    tookMs.push(performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return tookMs;
}

async function attackUntil(pool: EngineRunner, isOver: () => boolean): Promise<number> {
  let count = 0;
  for (; !isOver(); count++) {
    await runScript(pool, ATTACKS[count % ATTACKS.length] ?? '', {
      tenant: 'attacker',
      limits: { cpuMs: 500, wallMs: 1_500, heapMb: 64, rssMb: 250 },
    });
  }
  return count;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
