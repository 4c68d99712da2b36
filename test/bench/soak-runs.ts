import type { EngineRunner, HostCallSink } from '../../src/ports/engine-runner.ts';
import { endOf } from '../support/lanes.ts';
import { median } from './bars.ts';
import { versioned } from './invoke-load.ts';
import { usedMemory } from './process-use.ts';

const TENANTS = 5;
const ENGINES_PER_TENANT = 10;
const IN_FLIGHT = 4;

/** Memory is read so many times over the whole soak. */
const SAMPLES = 40;

/** What the scripts do, in turn, and how each must end. Several leave something behind on purpose. */
const HABITS: readonly (readonly [source: string, end: string])[] = [
  [
    'const rows = Array.from({length: 200}, (_, i) => ({Id: i, Name: "row " + i})); return {Code: 1, n: rows.length}',
    'returned',
  ],
  ['for (let i = 0; i < 3; i++) V8.FormEngine.GetFormData("stock", {Id: i}); return {Code: 1}', 'returned'],
  ['await V8.FormEngine.GetFormData("stock", {Id: 1}); return {Code: 1}', 'returned'],
  ['globalThis.kept = "é".repeat(1e4); Array.prototype.extra = [1, 2, 3]; return {Code: 1}', 'returned'],
  ['Promise.reject(new Error("nobody listens")); return {Code: 1}', 'returned'],
  ['console.log("seen", V8.Param.Id, {a: [1, 2, 3]}); return {Code: 1}', 'returned'],
  ['throw new TypeError("on purpose " + V8.Param.Id)', 'threw'],
  ['const s = "中".repeat(2e5); return {Code: 1, n: JSON.parse(JSON.stringify({s})).s.length}', 'returned'],
  ['await new Promise(() => {})', 'V8_NEVER_SETTLES'],
  ['class Order { #n = 1; get n() { return this.#n } } return {Code: 1, n: new Order().n, at: DateNow()}', 'returned'],
];

export interface SoakPlan {
  readonly runs: number;
  /** Versions of engines that come one after another. */
  readonly versions: number;
  readonly onSample?: (runs: number, laneMb: readonly number[]) => void;
}

export interface SoakReport {
  /** Runs that ended in another way than they should, as they did. */
  readonly wrong: readonly string[];
  /** Growth of the largest lane between the middle of the soak and its end. MiB. */
  readonly growthMb: number;
  /** Largest lane at the end. MiB. */
  readonly laneMb: number;
}

/** Runs many versions of many engines and follows the memory of the lanes. */
export async function soak(pool: EngineRunner, plan: SoakPlan): Promise<SoakReport> {
  const wrong: string[] = [];
  const largest: number[] = [];
  const perSample = Math.floor(plan.runs / SAMPLES);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < plan.runs; at = next++) {
      const problem = await runOnce(pool, plan, at);
      if (problem !== undefined) wrong.push(problem);
      if (at % perSample !== perSample - 1) continue;
      const laneMb = usedMemory().lanes.map((lane) => Math.round(lane.rss));
      largest.push(Math.max(...laneMb));
      plan.onSample?.(at + 1, laneMb);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  // Medians of eight readings each: a single one may be taken in the middle of a run that holds much.
  const middle = median(largest.slice(SAMPLES / 2 - 4, SAMPLES / 2 + 4));
  const end = median(largest.slice(-8));
  return { wrong, growthMb: end - middle, laneMb: end };
}

async function runOnce(pool: EngineRunner, { runs, versions }: SoakPlan, at: number): Promise<string | undefined> {
  const version = Math.floor(at / (runs / versions));
  const [source, end] = HABITS[at % HABITS.length] ?? ['', ''];
  const tenant = `soak-${at % TENANTS}`;
  const start = versioned(`// version ${version}\n${source}`, tenant, `engine-${at % (TENANTS * ENGINES_PER_TENANT)}`);
  const slot = await pool.acquire(tenant, { engine: { key: start.engineKey, version: start.version } });
  try {
    const outcome = await slot.run(start, SINK);
    return endOf(outcome) === end ? undefined : JSON.stringify(outcome).slice(0, 300);
  } finally {
    slot.release();
  }
}

const SINK: HostCallSink = {
  call: async () => ({ kind: 'reply', json: '{"Code":1}' }),
  log: () => undefined,
  warn: () => undefined,
};
