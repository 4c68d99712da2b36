import { createHash } from 'node:crypto';
import { DEFAULT_RUN_LIMITS } from '../../src/core/run-limits.ts';
import type { EngineRunner, HostCallSink, RunSlot } from '../../src/ports/engine-runner.ts';
import type { RunStart } from '../../src/protocol/messages.ts';
import { runStart } from '../support/lanes.ts';
import { usedCpuMs } from './process-use.ts';

/** Runs that are under way at once, as the bars are defined. */
const IN_FLIGHT = 16;

/** Result of every script here. */
const GOOD = '{"Code":1}';

/** What a pool did in a while. */
export interface Rate {
  readonly perSecond: number;
  /** Of the host and all lanes together. Microseconds. */
  readonly cpuUsPerRun: number;
}

/** A host that answers at once, so that only the way there and back is measured. */
const SINK: HostCallSink = {
  call: async () => ({ kind: 'reply', json: GOOD }),
  log: () => undefined,
  warn: () => undefined,
};

/** An engine that makes so many host calls. */
export function engineWithCalls(calls: number, tenant = 'bench'): RunStart {
  const call = "V8.FormEngine.GetFormData('stock', {Id: V8.Param.Id});\n".repeat(calls);
  return versioned(`${call}return {Code: 1};`, tenant, `calls-${calls}`);
}

export function versioned(source: string, tenant: string, engineKey: string): RunStart {
  const version = createHash('sha256').update(source).digest('hex').slice(0, 12);
  const start = runStart(source, { tenant, engineKey, input: { Param: { Id: 1 } }, limits: DEFAULT_RUN_LIMITS });
  return { ...start, version };
}

/** One run as the host makes it. @throws Error when it does not return `{Code: 1}`. */
export async function invoke(pool: EngineRunner, start: RunStart): Promise<void> {
  const engine = { key: start.engineKey, version: start.version };
  await runIn(await pool.acquire(start.tenant, { engine, mayFollow: true }), start);
}

/** The same for a tenant whose engine is known already, so that it runs at home and not in the lane apart. */
export async function invokeAtHome(pool: EngineRunner, start: RunStart): Promise<void> {
  await runIn(await pool.acquire(start.tenant, {}), start);
}

async function runIn(slot: RunSlot, start: RunStart): Promise<void> {
  try {
    let outcome = await slot.run(start, SINK);
    // On a crowded machine a lane may be too slow to begin; the host, too, then simply runs it again.
    while (outcome.kind === 'unstarted') outcome = await slot.run(start, SINK);
    if (outcome.kind !== 'returned' || outcome.json !== GOOD) throw new Error(JSON.stringify(outcome));
  } finally {
    slot.release();
  }
}

/** Invokes the engines in turn, IN_FLIGHT at once, for `ms`. */
export async function measureRate(pool: EngineRunner, starts: readonly RunStart[], ms: number): Promise<Rate> {
  const cpuBefore = usedCpuMs();
  const begun = performance.now();
  let runs = 0;
  const work = async (): Promise<void> => {
    while (performance.now() - begun < ms) {
      const start = starts[runs++ % starts.length];
      if (start !== undefined) await invoke(pool, start);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  const tookMs = performance.now() - begun;
  return { perSecond: (runs / tookMs) * 1000, cpuUsPerRun: ((usedCpuMs() - cpuBefore) / runs) * 1000 };
}

/** Runs each engine so often that it is off probation and its context warm (sandbox.md 10: the first 100 runs are dear). */
export async function warmUp(pool: EngineRunner, starts: readonly RunStart[], runsEach: number): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < starts.length * runsEach; at = next++) {
      const start = starts[at % starts.length];
      if (start !== undefined) await invoke(pool, start);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
}
