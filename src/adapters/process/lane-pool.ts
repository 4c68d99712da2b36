import { availableParallelism } from 'node:os';
import { CpuBuckets } from '../../core/cpu-bucket.ts';
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
import type { Log } from '../../ports/log.ts';
import type { RunStart } from '../../protocol/messages.ts';
import { type LaneCommand, laneCommand } from './lane-command.ts';
import { LaneReaper } from './lane-reaper.ts';
import { LaneSeat, type SeatListener } from './lane-seat.ts';
import { LaneSeats, type SeatPick } from './lane-seats.ts';
import { LaneSlot, type SlotOwner } from './lane-slot.ts';
import type { CpuAccounts } from './lane-usage.ts';
import { type GatePass, RunGate } from './run-gate.ts';
import { WaitLine } from './wait-line.ts';
import { Watchdog } from './watchdog.ts';

/** A new version waits this long for the lane apart while another one occupies it. Milliseconds. */
const PROBATION_WAIT_MS = 250;

/** A quarantined tenant runs with the others when somebody else has held the lane apart for so long. Milliseconds. */
const QUARANTINE_WAIT_MS = 1_000;

/** CPU time that a tenant can save unless configured. */
const CPU_BURST_MS = 30_000;

export interface LanePoolOptions {
  /** Runs at once. One more lane is kept apart: for what is on probation, and in place of a killed one. */
  readonly lanes: number;
  /** Lanes that one tenant may hold while there are others; one less than there are unless given. */
  readonly maxLanesPerTenant?: number;
  /** Runs at once of the host, a tenant and an engine; DEFAULT_RUN_CAPS unless given. */
  readonly caps?: RunCaps;
  /** CPU time that a tenant gains in one second; it counts while there are others. Half of the processors unless given. */
  readonly cpuMsPerSecond?: number;
  /** CPU time that a tenant can save, and owe at most; 30 s unless given. */
  readonly cpuBurstMs?: number;
  /** Processors; those of the machine unless given. One run more than that is at work at once. */
  readonly processors?: number;
  /** Resident memory at which a lane is killed, in MiB. A run's own `rssMb` counts where it is lower. */
  readonly rssMb: number;
  /** IANA name; the local time of scripts. */
  readonly timezone: string;
  readonly log: Log;
  /** Told when a lane was killed or died, with the error code. */
  readonly onKilled?: (reason: string) => void;
  /**
   * Set for strict mode: a lane serves one tenant from its first run to its end, interprets its scripts, and is
   * replaced when it has been at rest for so long. Milliseconds.
   */
  readonly strictIdleMs?: number;
  /** How a lane is started; `laneCommand` unless given. */
  readonly command?: LaneCommand;
}

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
  readonly version: string | undefined;
  readonly caps: RunCaps;
}

/** Who may run, when and where: fair turns, caps, home lanes and the lane apart. */
class LanePool implements EngineRunner, SeatListener, SlotOwner, CpuAccounts {
  readonly #lanes: number;
  readonly #maxLanesPerTenant: number;
  readonly #caps: RunCaps;
  readonly #seats: LaneSeats;
  readonly #gate: RunGate;
  readonly #line = new WaitLine<Want, LaneSlot>();
  readonly #load = new RunLoad();
  readonly #probation = new Probation();
  readonly #cpu: CpuBuckets;
  readonly #reaper: LaneReaper | undefined;
  #sharedTaken = 0;
  #apartTaken = 0;
  #closing = false;
  #lookAgain: NodeJS.Timeout | undefined;
  #lookAgainAt = Number.POSITIVE_INFINITY;

  constructor(options: LanePoolOptions) {
    this.#lanes = options.lanes;
    this.#maxLanesPerTenant = options.maxLanesPerTenant ?? Math.max(1, options.lanes - 1);
    this.#caps = options.caps ?? DEFAULT_RUN_CAPS;
    const processors = options.processors ?? availableParallelism();
    this.#gate = new RunGate(processors + 1);
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
    const { engine, maxRuns } = request;
    const caps = maxRuns === undefined ? this.#caps : { ...this.#caps, ...maxRuns };
    return this.#acquire({ tenant, engine: engine?.key ?? '', version: engine?.version, caps }, request);
  }

  /** A source nobody has run yet is as little trusted as a new version. */
  async compile(tenant: string, engineKey: string, source: string): Promise<CompileResult> {
    const slot = await this.#acquire({ tenant, engine: '', version: '', caps: this.#caps }, {});
    try {
      return await slot.compile(engineKey, source);
    } finally {
      slot.release();
    }
  }

  status(): SandboxStatus {
    return { lanes: this.#lanes, busy: this.#sharedTaken + this.#apartTaken, waiting: this.#line.length };
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

  enterGate(): GatePass | Promise<GatePass> {
    return this.#gate.enter();
  }

  onRunEnded({ tenant, engine }: LaneSlot, start: RunStart, laneLost: boolean): void {
    if (engine !== '') this.#probation.count({ tenant, engine, version: start.version });
    if (laneLost) this.#probation.blame(tenant, performance.now());
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
    if (slot.apart) this.#apartTaken -= 1;
    else this.#sharedTaken -= 1;
    this.#serveLine();
  }

  async #acquire(want: Want, request: LaneRequest): Promise<LaneSlot> {
    if (this.#closing || request.signal?.aborted === true) throw new AppError('DRAINING');
    this.#load.see(want.tenant, performance.now());
    const slot = this.#line.length === 0 ? this.#grant(want, 0) : undefined;
    if (slot !== undefined) return slot;
    const failure = this.#seats.failure;
    if (failure !== undefined) throw failure;
    const turn = this.#line.join(want, request);
    this.#serveLine();
    return turn;
  }

  #serveLine(): void {
    if (this.#closing) return;
    while (this.#line.length > 0 && this.#line.serveOne((want, waitedMs) => this.#grant(want, waitedMs)));
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
    if (apart instanceof LaneSeat) return this.#seat(want, apart, true);
    const pick = apart === 'shared' ? this.#pickShared(want.tenant) : apart;
    if (pick instanceof LaneSeat) return this.#seat(want, pick, false);
    if (pick.lookAgainMs !== undefined) this.#scheduleLook(now + pick.lookAgainMs);
    return undefined;
  }

  #hasNeighbours(tenant: string, now: number): boolean {
    return this.#load.hasNeighbours(tenant, now) || this.#line.tenants().some((other) => other !== tenant);
  }

  /** The lane apart for what is on probation, while it is worth waiting for. */
  #pickApart(want: Want, waitedMs: number, now: number): SeatPick | 'shared' {
    const quarantined = this.#probation.isQuarantined(want.tenant, now);
    if (!quarantined && !this.#isNew(want)) return 'shared';
    const seat = this.#apartTaken > 0 ? undefined : this.#seats.pickApart(want.tenant);
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

  #pickShared(tenant: string): SeatPick {
    return this.#sharedTaken >= this.#lanes ? NO_SEAT : this.#seats.pick(tenant);
  }

  #seat(want: Want, seat: LaneSeat, apart: boolean): LaneSlot {
    seat.take(want.tenant);
    this.#load.begin(want);
    this.#load.see(want.tenant, performance.now());
    if (apart) this.#apartTaken += 1;
    else this.#sharedTaken += 1;
    return new LaneSlot(this, { tenant: want.tenant, engine: want.engine, apart }, seat);
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
