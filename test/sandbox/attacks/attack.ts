import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MOST_IDLE_MEMORY } from '../../../src/adapters/process/lane-process.ts';
import type { JsonValue } from '../../../src/core/json.ts';
import { DEFAULT_RUN_LIMITS, type RunLimits } from '../../../src/core/run-limits.ts';
import type { EngineRunner } from '../../../src/ports/engine-runner.ts';
import { eventually } from '../../support/eventually.ts';
import { liveLanes } from '../../support/lane-leaks.ts';
import { endOf, type Observed, openLanes, type RunOptions, runScript } from '../../support/lanes.ts';
import { findPollution, type HostPrototypes, readHostPrototypes } from './host-prototypes.ts';
import { LaneMeter } from './lane-meter.ts';
import { Neighbour } from './neighbour.ts';

/** What a hostile script does and how it must end. */
export interface Attack {
  readonly name: string;
  readonly source: string;
  /** The kinds or error codes that are right: a limit is always named. */
  readonly ends: string | readonly string[];
  /** What it returned, where it ended so. Escapes return what they reached. */
  readonly returns?: unknown;
  readonly options?: RunOptions;
  /** A run of the same engine afterwards, and what it must see. */
  readonly next?: NextRun;
  /** What else must hold. */
  readonly check?: (seen: Observed) => void;
}

export interface NextRun {
  readonly source: string;
  readonly param?: JsonValue;
  readonly returns: unknown;
}

/** Short, so that the suite is; sizes small enough to be reached within the time. */
export const ATTACK_LIMITS: RunLimits = {
  ...DEFAULT_RUN_LIMITS,
  cpuMs: 500,
  wallMs: 1_500,
  heapMb: 64,
  rssMb: 250,
};

/** A run ends within its wall limit and this. */
const GRACE_MS = 1_000;

/** Wall time of what must end by itself or by its size: on a crowded machine even that takes a while. */
const PATIENT_WALL_MS = 15_000;

/** CPU at which the watchdog kills: `1.25 x cpuMs + 250 ms` (sandbox.md 5). */
const killCpuMs = (cpuMs: number): number => cpuMs * 1.25 + 250;

/** Memory of a lane at rest (sandbox.md 7: 50 to 126 MB); one that holds more than its share is replaced. */
const RESTING_MB = ATTACK_LIMITS.rssMb * MOST_IDLE_MEMORY;

const TENANT = 'attacker';

/** What the tenant's next run does where the attack names nothing else. */
const AFTERWARDS: NextRun = { source: 'return typeof globalThis.planted', returns: 'undefined' };

/** The lanes that are attacked, with a neighbour at work on them. */
interface Stand {
  readonly lanes: EngineRunner;
  readonly neighbour: Neighbour;
  readonly meter: LaneMeter;
  readonly prototypes: HostPrototypes;
}

/** Declares one test per attack of a file, over lanes of the file's own. */
export function declareAttacks(attacks: readonly Attack[]): void {
  let stand: Stand;
  before(async () => {
    const lanes = await openLanes(2, { rssMb: ATTACK_LIMITS.rssMb });
    const prototypes = readHostPrototypes();
    stand = { lanes, neighbour: new Neighbour(lanes), meter: new LaneMeter(), prototypes };
  });
  after(async () => {
    await stand.neighbour.stop();
    stand.meter.close();
    await stand.lanes.close();
    await eventually(() => assert.deepEqual(liveLanes(), [], 'no lane outlives its pool'));
  });
  for (const attack of attacks) test(attack.name, (t) => perform(stand, attack, (end) => t.diagnostic(end)));
}

/** Attacks, and looks at everything that may have been hurt. */
async function perform(stand: Stand, attack: Attack, tell: (end: string) => void): Promise<void> {
  const { lanes, neighbour, meter } = stand;
  const options = { ...attack.options, tenant: TENANT, limits: limitsOf(attack) };
  const runsBefore = neighbour.runs;
  meter.reset();
  const startedAt = performance.now();
  const seen = await runScript(lanes, attack.source, options);
  const tookMs = performance.now() - startedAt;
  tell(`${endOf(seen.outcome)} after ${Math.round(tookMs)} ms`);
  checkEnd(attack, seen, options.limits, meter);
  checkTime(options.limits, tookMs, meter);
  attack.check?.(seen);
  await checkTenant(lanes, attack);
  await eventually(() => assert.ok(neighbour.runs > runsBefore, 'the neighbour goes on'));
  assert.equal(neighbour.failure, undefined, 'the neighbour noticed nothing');
  assert.equal(findPollution(stand.prototypes), undefined, 'the host is as it was');
  await eventually(() => {
    for (const mb of meter.residentMb()) assert.ok(mb < RESTING_MB, `a lane at rest holds ${mb} of ${RESTING_MB} MB`);
  });
}

const endsOf = (attack: Attack): readonly string[] => (typeof attack.ends === 'string' ? [attack.ends] : attack.ends);

function limitsOf(attack: Attack): RunLimits {
  const endsByTime = endsOf(attack).some((end) => end === 'V8_CPU_LIMIT' || end === 'V8_TIMEOUT');
  const wallMs = endsByTime ? ATTACK_LIMITS.wallMs : PATIENT_WALL_MS;
  return { ...ATTACK_LIMITS, wallMs, ...attack.options?.limits };
}

function checkEnd(attack: Attack, { outcome }: Observed, limits: RunLimits, meter: LaneMeter): void {
  const end = endOf(outcome);
  const ends = endsOf(attack);
  // A lane that got less CPU than its limit before its wall time was over could only end by the latter.
  const growsOrLoops = ends.some((each) => each.endsWith('_LIMIT') || each.startsWith('V8_PROCESS'));
  const starved = end === 'V8_TIMEOUT' && growsOrLoops && meter.busiest.cpuMs < killCpuMs(limits.cpuMs);
  assert.ok(ends.includes(end) || starved, `ended as ${JSON.stringify(outcome).slice(0, 500)}`);
  if (outcome.kind === 'returned' && 'returns' in attack) assert.deepEqual(JSON.parse(outcome.json), attack.returns);
}

/** Time that the lane waited for a processor, or this process was late, is not the sandbox's. */
function checkTime(limits: RunLimits, tookMs: number, meter: LaneMeter): void {
  const allowedMs = limits.wallMs + GRACE_MS + meter.busiest.waitedMs + meter.hostLagMs;
  assert.ok(tookMs < allowedMs, `took ${Math.round(tookMs)} of ${Math.round(allowedMs)} ms`);
}

/** The same tenant's next run works, sees nothing of the attack, and makes no call but its own. */
async function checkTenant(lanes: EngineRunner, attack: Attack): Promise<void> {
  const { source, param = {}, returns } = attack.next ?? AFTERWARDS;
  const limits = { ...DEFAULT_RUN_LIMITS, heapMb: ATTACK_LIMITS.heapMb };
  const { outcome, calls } = await runScript(lanes, source, { tenant: TENANT, limits, input: { Param: param } });
  assert.deepEqual(outcome, { kind: 'returned', json: JSON.stringify(returns) }, 'the next run of the tenant');
  assert.deepEqual(calls, [], 'the next run makes no call of the attack');
}
