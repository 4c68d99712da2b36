/**
 * `npm run bench -- invoke`: what a run through the process boundary costs, side by side with the yardsticks, in
 * interleaved rounds whose medians count. Rates are noise on a shared machine; CPU per run and ratios are steadier.
 *
 * BENCH_ROUNDS (9), BENCH_MS per measurement (2000), BENCH_PROFILE=DIR writes a CPU profile of every lane there; the
 * host's own comes from `node --cpu-prof scripts/bench.ts invoke`.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { type LaneCommand, laneCommand } from '../../src/adapters/process/lane-command.ts';
import { PROBATION_RUNS } from '../../src/core/probation.ts';
import type { EngineRunner } from '../../src/ports/engine-runner.ts';
import { openLanes } from '../support/lanes.ts';
import { type Bar, median, percentile, reportBars } from './bars.ts';
import { measureCleanliness } from './invoke-cleanliness.ts';
import { engineWithCalls, invoke, invokeAtHome, measureRate, type Rate, versioned, warmUp } from './invoke-load.ts';
import { usedMemory } from './process-use.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const MS = Number(process.env.BENCH_MS ?? 2_000);
const PROFILE_DIR = process.env.BENCH_PROFILE;

/** The bars are defined on two cores. */
const LANES = 2;

const CALLS = [0, 1, 3] as const;
const YARDSTICKS = ['fresh-isolate', 'fresh-context', 'node-vm'] as const;
const COLD_ENGINES = 100;
const IDLE_TENANTS = 500;

/** Lanes for so many tenants: each keeps some 32 isolates warm, and a tenant is at home in one lane. */
const LANES_FOR_TENANTS = { 1: 2, 10: 4, 200: 8 } as const;

type Series = Map<string, Rate[]>;

await main();

async function main(): Promise<void> {
  const series = await measureWarm();
  const bars = [...warmBars(series)];
  bars.push(measureCleanliness());
  bars.push(await measureCold());
  for (const tenants of [1, 10, 200] as const) bars.push(...(await measureTenants(tenants)));
  bars.push(...(await measureIdle()));
  reportBars(bars);
}

async function measureWarm(): Promise<Series> {
  const engines = new Map(CALLS.map((calls) => [`calls-${calls}`, engineWithCalls(calls)]));
  const series: Series = new Map([...engines.keys(), ...YARDSTICKS].map((name) => [name, []]));
  const pool = await open(LANES);
  await warmUp(pool, [...engines.values()], 300);
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [name, engine] of engines) record(series, round, name, await measureRate(pool, [engine], MS));
    for (const name of YARDSTICKS) record(series, round, name, measureYardstick(name));
  }
  await pool.close();
  return series;
}

function record(series: Series, round: number, name: string, rate: Rate): void {
  series.get(name)?.push(rate);
  say(`round ${round}: ${name} ${rate.perSecond.toFixed(0)}/s, ${rate.cpuUsPerRun.toFixed(0)} µs CPU per run`);
}

function warmBars(series: Series): Bar[] {
  const rate = (name: string): number => median((series.get(name) ?? []).map((each) => each.perSecond));
  const cpu = (name: string): number => median((series.get(name) ?? []).map((each) => each.cpuUsPerRun));
  // Within a round both saw the same noise.
  const times = (yardstick: string): number =>
    median(
      (series.get(yardstick) ?? []).map((each, i) => (series.get('calls-0')?.[i]?.perSecond ?? 0) / each.perSecond),
    );
  say(`node:vm runs ${rate('node-vm').toFixed(0)}/s with a fresh context each, without any wall between tenants`);
  return [
    { name: 'warm-per-second', value: rate('calls-0'), target: 10_000 },
    { name: 'warm-cpu-us', value: cpu('calls-0'), target: 130, atMost: true },
    { name: 'warm-1-call-per-second', value: rate('calls-1'), target: 5_000 },
    { name: 'warm-3-calls-per-second', value: rate('calls-3'), target: 3_000 },
    { name: 'times-fresh-isolate', value: times('fresh-isolate'), target: 30 },
    { name: 'times-fresh-context', value: times('fresh-context'), target: 4 },
  ];
}

/** In a process of its own; the pool is idle meanwhile. */
function measureYardstick(name: string): Rate {
  const program = join(import.meta.dirname, 'invoke-yardstick.ts');
  const text = execFileSync(process.execPath, [program, name, String(MS)], { encoding: 'utf8' });
  return JSON.parse(text) as Rate;
}

/** The first run of an engine of a tenant that nobody has heard of, on an idle host. */
async function measureCold(): Promise<Bar> {
  const pool = await open(LANES);
  await warmUp(pool, [engineWithCalls(0)], 100);
  const tookMs: number[] = [];
  for (let i = 0; i < COLD_ENGINES; i++) {
    const start = versioned(`const id = ${i};\nreturn {Code: 1};`, `cold-${i}`, 'cold');
    const begun = performance.now();
    await invoke(pool, start);
    tookMs.push(performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await pool.close();
  say(`cold engine: p50 ${percentile(tookMs, 50).toFixed(1)} ms, p95 ${percentile(tookMs, 95).toFixed(1)} ms`);
  return { name: 'cold-p95-ms', value: percentile(tookMs, 95), target: 25, atMost: true };
}

async function measureTenants(tenants: keyof typeof LANES_FOR_TENANTS): Promise<Bar[]> {
  const lanes = LANES_FOR_TENANTS[tenants];
  const pool = await open(lanes);
  const starts = Array.from({ length: tenants }, (_, i) => engineWithCalls(0, `tenant-${i}`));
  await warmUp(pool, starts, Math.max(PROBATION_RUNS + 2, Math.round(400 / tenants)));
  const rates: Rate[] = [];
  for (let round = 1; round <= ROUNDS; round++) rates.push(await measureRate(pool, starts, MS));
  const largest = Math.max(...usedMemory().lanes.map((lane) => lane.rss));
  await pool.close();
  const perSecond = median(rates.map((rate) => rate.perSecond));
  const cpu = median(rates.map((rate) => rate.cpuUsPerRun));
  say(`${tenants} tenants in turn on ${lanes} lanes: ${perSecond.toFixed(0)}/s, ${cpu.toFixed(0)} µs CPU per run`);
  if (tenants === 1) return [];
  return [
    { name: `tenants-${tenants}-per-second`, value: perSecond, target: tenants === 10 ? 8_000 : 3_000 },
    { name: `tenants-${tenants}-lane-mb`, value: largest, target: 160, atMost: true },
  ];
}

/** What tenants cost that have run once and are not heard of again. */
async function measureIdle(): Promise<Bar[]> {
  const pool = await open(4);
  for (let i = 0; i < IDLE_TENANTS; i++) await invokeAtHome(pool, engineWithCalls(0, `idle-${i}`));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const memory = usedMemory();
  const rss = memory.lanes.map((lane) => lane.rss.toFixed(0)).join(', ');
  say(`${IDLE_TENANTS} idle tenants: ${memory.pss.toFixed(0)} MB in all (PSS), lanes ${rss} MB (RSS)`);
  await pool.close();
  return [{ name: 'idle-tenants-mb', value: memory.pss, target: 700, atMost: true }];
}

function open(lanes: number): Promise<EngineRunner> {
  return openLanes(lanes, PROFILE_DIR === undefined ? {} : { command: profiled(PROFILE_DIR) });
}

/** Without the permission model, which lets no profile be written. */
function profiled(dir: string): LaneCommand {
  const command = laneCommand('Asia/Shanghai');
  const args = command.args.filter((arg) => !/^--(permission|allow-)/.test(arg));
  return { ...command, args: [...args.slice(0, -1), '--cpu-prof', `--cpu-prof-dir=${dir}`, args.at(-1) ?? ''] };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
