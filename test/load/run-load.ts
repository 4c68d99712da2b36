import { setTimeout as sleep } from 'node:timers/promises';
import { SeededRandom } from '../support/random.ts';
import { Actors } from './actors.ts';
import { auditEffects, untilSettled } from './audit.ts';
import { type DayPlan, type Deed, type LoadOptions, planDay, type Trouble } from './day-plan.ts';
import { DeviceFleet } from './device-fleet.ts';
import { type EffectFaults, expectedEffects } from './expected-effects.ts';
import { type Factory, type FactoryPlace, openFactory } from './factory.ts';
import { HostUse } from './host-use.ts';
import { LoadNotes } from './load-notes.ts';

/** What a load has shown. */
export interface LoadResult {
  readonly options: LoadOptions;
  readonly plan: DayPlan;
  readonly notes: LoadNotes;
  readonly faults: EffectFaults;
  /** False when effects were still missing after the longest wait. */
  readonly settled: boolean;
  /** From the last deed to the last effect. Milliseconds. */
  readonly settleMs: number;
}

const SAMPLE_MS = 2_000;

/** After the last deed, for retries, pauses of engines and the rest of the backlog. */
const SETTLE_MS = 300_000;

/** The pictures of a short load need more than a handful of samples. */
const FEWEST_SAMPLES = 50;

/** Plays a plan against a host of its own and looks at everything it left. @param say told the progress. */
export async function runLoad(
  place: FactoryPlace,
  options: LoadOptions,
  say: (line: string) => void,
): Promise<LoadResult> {
  const plan = planDay(options);
  const factory = await openFactory(place, options);
  say(`${options.tenants} tenants, ${options.tenants * options.devicesPerTenant} devices, ${plan.deeds.length} deeds`);
  try {
    const fleet = await DeviceFleet.connect(factory, options.devicesPerTenant);
    try {
      return await play(factory, fleet, plan, options, say);
    } finally {
      await fleet.end();
    }
  } finally {
    await factory.end();
  }
}

async function play(
  factory: Factory,
  fleet: DeviceFleet,
  plan: DayPlan,
  options: LoadOptions,
  say: (line: string) => void,
): Promise<LoadResult> {
  const notes = new LoadNotes();
  const actors = new Actors(factory, fleet, notes);
  const use = new HostUse(factory.host, notes);
  use.start(Math.min(SAMPLE_MS, plan.lengthMs / FEWEST_SAMPLES));
  const expected = expectedEffects(plan, options.tenants);
  await Promise.all([
    doAll(plan.deeds, (deed) => actors.act(deed), notes),
    strikeAll(plan.troubles, factory, fleet, notes, new SeededRandom(options.seed)),
    tellProgress(plan.lengthMs, notes, say),
  ]);
  const sentAll = Date.now();
  const settled = await untilSettled(factory, expected, SETTLE_MS);
  const settleMs = Date.now() - sentAll;
  use.stop();
  say(`settled ${settled ? '' : 'NOT '}after ${(settleMs / 1000).toFixed(1)} s`);
  const faults = await auditEffects(factory, expected, notes);
  return { options, plan, notes, faults, settled, settleMs };
}

/** Begins each deed at its moment, whether or not the ones before have ended: a slow host is not spared. */
async function doAll(deeds: readonly Deed[], act: (deed: Deed) => Promise<void>, notes: LoadNotes): Promise<void> {
  const underWay: Promise<void>[] = [];
  for (const deed of deeds) {
    const early = deed.atMs - notes.now();
    if (early > 0) await sleep(early);
    notes.lateMs.push(Math.max(0, notes.now() - deed.atMs));
    underWay.push(act(deed));
  }
  await Promise.all(underWay);
}

async function strikeAll(
  troubles: readonly Trouble[],
  factory: Factory,
  fleet: DeviceFleet,
  notes: LoadNotes,
  random: SeededRandom,
): Promise<void> {
  for (const { atMs, what } of troubles) {
    await sleep(Math.max(0, atMs - notes.now()));
    notes.events.push({ atMs: notes.now(), what });
    const erp = factory.plants[0]?.erp;
    if (what === 'reconnect-storm') fleet.storm();
    else if (what === 'lane-killed') killLane(factory, random);
    else if (erp !== undefined) erp.mood = what === 'erp-slow' ? 'slow' : what === 'erp-away' ? 'away' : 'well';
  }
}

function killLane({ host }: Factory, random: SeededRandom): void {
  const lanes = host.lanes();
  if (lanes.length > 0) process.kill(random.pick(lanes), 'SIGKILL');
}

async function tellProgress(lengthMs: number, notes: LoadNotes, say: (line: string) => void): Promise<void> {
  const parts = 10;
  for (let part = 1; part <= parts; part++) {
    await sleep(Math.max(0, (lengthMs * part) / parts - notes.now()));
    const last = notes.samples.at(-1);
    const memory =
      last === undefined ? '' : `, host ${last.hostMib.toFixed(0)} MiB, lanes ${last.lanesMib.toFixed(0)} MiB`;
    say(`${part * 10} %: ${notes.timings.length} accepted, ${notes.refused.length} refused${memory}`);
  }
}
