import { availableParallelism } from 'node:os';
import { CpuBuckets } from '../../core/cpu-bucket.ts';
import { EngineTempo } from '../../core/engine-tempo.ts';
import { AppError } from '../../core/errors.ts';
import type { QueuePlace } from '../../core/fair-queue.ts';
import { Probation } from '../../core/probation.ts';
import { DEFAULT_RUN_CAPS, NEIGHBOUR_MS, type RunCaps, RunLoad } from '../../core/run-load.ts';
import type {
  CompileResult,
  EngineRunner,
  LaneRequest,
  RunSlot,
  SandboxStatus,
  TenantLoad,
} from '../../ports/engine-runner.ts';
import type { RunStart } from '../../protocol/messages.ts';
import { laneCommand } from './lane-command.ts';
import type { LanePoolOptions } from './lane-pool-options.ts';
import { LaneReaper } from './lane-reaper.ts';
import { LaneSeat, type SeatListener, type SeatUse } from './lane-seat.ts';
import { LaneSeats, type SeatPick } from './lane-seats.ts';
import { LaneSlot, type SlotOwner, type SlotPlace } from './lane-slot.ts';
import type { CpuAccounts } from './lane-usage.ts';
import { RunGate } from './run-gate.ts';
import { WaitLine } from './wait-line.ts';
import { Watchdog } from './watchdog.ts';

/** A new version waits this long for the lane apart while another one occupies it. Milliseconds. */
const PROBATION_WAIT_MS = 250;

/** A quarantined tenant runs with the others when somebody else has held the lane apart for so long. Milliseconds. */
const QUARANTINE_WAIT_MS = 1_000;

/** CPU time that a tenant can save unless configured. */
const CPU_BURST_MS = 30_000;

/**
 * Starts the lanes; resolves when the first can run, the others follow.
 * @throws AppError SANDBOX_UNAVAILABLE when none can be started.
 */
export async function createLanePool(options: LanePoolOptions): Promise<EngineRunner> {
  const pool = new LanePool(options);
  try {
    await pool.firstReady();
  } catch (error) {
    await pool.close();
    throw error;
  }
  return pool;
}

/** Somebody's wish for a lane. */
interface Want extends QueuePlace {
  /** Number of the lane where the tenant is at home. */
  readonly home: number;
  readonly version: string | undefined;
  readonly caps: RunCaps;
  readonly mayFollow: boolean;
}

/** Who may run, when and where: fair turns, caps, home lanes and the lane apart. */
class LanePool implements EngineRunner, SeatListener, SlotOwner, CpuAccounts {
  readonly #lanes: number;
  readonly #maxLanesPerTenant: number;
  readonly #caps: RunCaps;
  readonly #seats: LaneSeats;
  readonly #line = new WaitLine<Want, LaneSlot>();
  readonly #load = new RunLoad();
  readonly #probation = new Probation();
  readonly #tempo = new EngineTempo();
  /** What slots were granted for: who has to wait again asks for the same. */
  readonly #wants = new WeakMap<LaneSlot, Want>();
  readonly #cpu: CpuBuckets;
  readonly #reaper: LaneReaper | undefined;
  /** How many wait, by the lane where they are at home. */
  readonly #awaited: number[] = [];
  #closing = false;
  #lookAgain: NodeJS.Timeout | undefined;
  #lookAgainAt = Number.POSITIVE_INFINITY;

  constructor(options: LanePoolOptions) {
    this.#lanes = options.lanes;
    this.#maxLanesPerTenant = options.maxLanesPerTenant ?? Math.max(1, options.lanes - 1);
    this.#caps = options.caps ?? DEFAULT_RUN_CAPS;
    const processors = options.processors ?? availableParallelism();
    this.#cpu = new CpuBuckets({
      refillMsPerSecond: options.cpuMsPerSecond ?? processors * 500,
      burstMs: options.cpuBurstMs ?? CPU_BURST_MS,
    });
    const command = options.command ?? laneCommand(options.timezone, { strict: options.strictIdleMs !== undefined });
    this.#reaper = command.diesWithHost === true ? undefined : new LaneReaper();
    const services = {
      command,
      reaper: this.#reaper,
      strictIdleMs: options.strictIdleMs,
      watchdog: new Watchdog(),
      gate: new RunGate(processors + 1),
      rssMb: options.rssMb,
      accounts: this,
      log: options.log.child('adapters.process'),
      onKilled: options.onKilled ?? (() => undefined),
    };
    this.#seats = new LaneSeats(options.lanes, services, this);
  }

  firstReady(): Promise<void> {
    return this.#seats.firstReady();
  }

  async acquire(tenant: string, request: LaneRequest): Promise<RunSlot> {
    const { engine, maxRuns, mayFollow = false } = request;
    const caps = maxRuns === undefined ? this.#caps : { ...this.#caps, ...maxRuns };
    const home = this.#seats.homeOf(tenant);
    const want = { tenant, engine: engine?.key ?? '', version: engine?.version, caps, home, mayFollow };
    return this.#acquire(want, request);
  }

  /** A source nobody has run yet is as little trusted as a new version. */
  async compile(tenant: string, engineKey: string, source: string): Promise<CompileResult> {
    const home = this.#seats.homeOf(tenant);
    const slot = await this.#acquire({ tenant, engine: '', version: '', caps: this.#caps, home, mayFollow: false }, {});
    try {
      return await slot.compile(engineKey, source);
    } finally {
      slot.release();
    }
  }

  status(): SandboxStatus {
    return {
      lanes: this.#lanes,
      busy: this.#seats.taken('shared') + this.#seats.taken('apart'),
      waiting: this.#line.length,
    };
  }

  load(): readonly TenantLoad[] {
    const now = performance.now();
    const quarantined = new Set(this.#probation.quarantined(now));
    const charged = this.#cpu.tenants(now);
    const tenants = new Set([...this.#load.tenants(), ...this.#line.tenants(), ...quarantined, ...charged]);
    return [...tenants].sort().map((tenant) => ({
      tenant,
      running: this.#load.runningOf(tenant),
      waiting: this.#line.waitingOf(tenant),
      cpuBalanceMs: Math.round(this.#cpu.balanceMs(tenant, now)),
      quarantined: quarantined.has(tenant),
    }));
  }

  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#lookAgain);
    this.#line.refuseAll(new AppError('DRAINING'));
    await this.#seats.close();
    this.#reaper?.close();
  }

  onSeatChanged(): void {
    this.#serveLine();
    this.#refuseWhenBroken();
  }

  replaceFor(slot: LaneSlot): LaneSeat | undefined {
    return this.#seats.anyFree(slot.tenant);
  }

  acquireAgain(slot: LaneSlot): Promise<LaneSlot> {
    const want = this.#wants.get(slot);
    if (want === undefined) throw new Error('a slot that was not granted here');
    return this.#acquire({ ...want, mayFollow: false }, {});
  }

  onRunEnded({ tenant, engine }: LaneSlot, { version }: RunStart, end: { tookMs: number; laneLost: boolean }): void {
    if (engine !== '') {
      this.#probation.count({ tenant, engine, version });
      this.#tempo.note({ tenant, engine, version }, end.tookMs);
    }
    if (end.laneLost) this.#probation.blame(tenant, performance.now());
  }

  charge(tenant: string, cpuMs: number): void {
    this.#cpu.charge(tenant, cpuMs, performance.now());
  }

  isInDebt(tenant: string): boolean {
    const now = performance.now();
    return this.#cpu.balanceMs(tenant, now) < 0 && this.#hasNeighbours(tenant, now);
  }

  settle(slot: LaneSlot, seat: LaneSeat): void {
    seat.giveBack();
    this.#load.end(slot);
    this.#serveLine();
  }

  async #acquire(want: Want, request: LaneRequest): Promise<LaneSlot> {
    if (this.#closing || request.signal?.aborted === true) throw new AppError('DRAINING');
    this.#load.see(want.tenant, performance.now());
    const slot = this.#line.length === 0 ? this.#grant(want, 0) : undefined;
    if (slot !== undefined) return slot;
    const failure = this.#seats.failure;
    if (failure !== undefined) throw failure;
    return this.#join(want, request);
  }

  async #join(want: Want, request: LaneRequest): Promise<LaneSlot> {
    const turn = this.#line.join(want, request);
    this.#countAwaited(want, 1);
    try {
      this.#serveLine();
      return await turn;
    } catch (error) {
      this.#countAwaited(want, -1);
      throw error;
    }
  }

  #serveLine(): void {
    if (this.#closing) return;
    while (this.#line.length > 0 && this.#line.serveOne((want, waitedMs) => this.#grantWaiting(want, waitedMs)));
  }

  #grantWaiting(want: Want, waitedMs: number): LaneSlot | undefined {
    const slot = this.#grant(want, waitedMs);
    if (slot !== undefined) this.#countAwaited(want, -1);
    return slot;
  }

  #countAwaited({ home }: Want, change: 1 | -1): void {
    this.#awaited[home] = (this.#awaited[home] ?? 0) + change;
  }

  /** A slot for `want`, or nothing while it must wait. */
  #grant(want: Want, waitedMs: number): LaneSlot | undefined {
    const now = performance.now();
    const contested = this.#hasNeighbours(want.tenant, now);
    const tenantCap = contested ? Math.min(want.caps.tenant, this.#maxLanesPerTenant) : want.caps.tenant;
    if (!this.#load.admits(want, { ...want.caps, tenant: tenantCap })) {
      if (contested) this.#scheduleLook(now + NEIGHBOUR_MS);
      return undefined;
    }
    const debtMs = contested ? this.#cpu.debtEndsInMs(want.tenant, now) : 0;
    if (debtMs > 0) {
      this.#scheduleLook(now + Math.min(debtMs, NEIGHBOUR_MS));
      return undefined;
    }
    // Alone in the host there is nobody to protect.
    const apart = contested ? this.#pickApart(want, waitedMs, now) : 'shared';
    if (apart instanceof LaneSeat) return this.#seat(want, apart, 'apart');
    const pick = apart === 'shared' ? this.#pickShared(want.tenant, waitedMs) : apart;
    if (pick instanceof LaneSeat) return this.#seat(want, pick, 'shared');
    const joint = contested ? undefined : this.#pickJoint(want);
    if (joint !== undefined) return this.#slot(want, joint, { use: 'shared', follows: true });
    if (pick.lookAgainMs !== undefined) this.#scheduleLook(now + pick.lookAgainMs);
    return undefined;
  }

  /**
   * A lane at work that takes the run behind those that it has, which spares both sides the waking up between two runs.
   * Only behind quick runs of the same engine, and only while no other tenant is here who would have to wait for them.
   */
  #pickJoint(want: Want): LaneSeat | undefined {
    const joint = this.#jointOf(want);
    return joint === undefined ? undefined : this.#seats.pickJoint(want.tenant, joint);
  }

  #jointOf({ tenant, engine, version, mayFollow }: Want): string | undefined {
    if (!mayFollow || version === undefined || !this.#tempo.isQuick({ tenant, engine, version })) return undefined;
    return `${tenant}\n${engine}\n${version}`;
  }

  #hasNeighbours(tenant: string, now: number): boolean {
    return this.#load.hasNeighbours(tenant, now) || this.#line.tenants().some((other) => other !== tenant);
  }

  /** The lane apart for what is on probation, while it is worth waiting for. */
  #pickApart(want: Want, waitedMs: number, now: number): SeatPick | 'shared' {
    const quarantined = this.#probation.isQuarantined(want.tenant, now);
    if (!quarantined && !this.#isNew(want)) return 'shared';
    const seat = this.#seats.taken('apart') > 0 ? undefined : this.#seats.pickApart(want.tenant);
    if (seat !== undefined) return seat;
    const patience = quarantined ? this.#quarantinePatienceMs(want.tenant) : PROBATION_WAIT_MS - waitedMs;
    if (patience <= 0) return 'shared';
    return Number.isFinite(patience) ? { lookAgainMs: patience } : NO_SEAT;
  }

  #isNew({ tenant, engine, version }: Want): boolean {
    return version !== undefined && this.#probation.isNew({ tenant, engine, version });
  }

  /** One run at a time; the end of its own run and a lane that is starting are waited for, somebody else's run is not. */
  #quarantinePatienceMs(tenant: string): number {
    if (this.#load.runningOf(tenant) > 0) return Number.POSITIVE_INFINITY;
    return QUARANTINE_WAIT_MS - this.#seats.apartHeldMs;
  }

  #pickShared(tenant: string, waitedMs: number): SeatPick {
    if (this.#seats.taken('shared') >= this.#lanes) return NO_SEAT;
    return this.#seats.pick(tenant, waitedMs, (lane) => this.#awaited[lane] ?? 0);
  }

  #seat(want: Want, seat: LaneSeat, use: SeatUse): LaneSlot {
    seat.take(want.tenant, use, this.#jointOf(want));
    return this.#slot(want, seat, { use, follows: false });
  }

  #slot(want: Want, seat: LaneSeat, { use, follows }: Pick<SlotPlace, 'use' | 'follows'>): LaneSlot {
    if (follows) seat.join();
    this.#load.begin(want);
    this.#load.see(want.tenant, performance.now());
    const slot = new LaneSlot(this, { tenant: want.tenant, engine: want.engine, use, follows }, seat);
    if (follows) this.#wants.set(slot, want);
    return slot;
  }

  /** Serves the line again at `at` (`performance.now()`), where no release would. */
  #scheduleLook(at: number): void {
    if (at >= this.#lookAgainAt) return;
    clearTimeout(this.#lookAgain);
    this.#lookAgainAt = at;
    const wait = Math.max(1, Math.ceil(at - performance.now()));
    this.#lookAgain = setTimeout(() => {
      this.#lookAgainAt = Number.POSITIVE_INFINITY;
      this.#serveLine();
    }, wait);
  }

  #refuseWhenBroken(): void {
    const failure = this.#seats.failure;
    if (failure !== undefined) this.#line.refuseAll(failure);
  }
}

const NO_SEAT: SeatPick = Object.freeze({ lookAgainMs: undefined });
