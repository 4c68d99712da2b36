import { AppError } from '../../core/errors.ts';
import type { RunOutcome } from '../../core/run-outcome.ts';
import type { CompileResult, EngineRunner, HostCallSink, RunSlot } from '../../ports/engine-runner.ts';
import type { Log } from '../../ports/log.ts';
import type { RunStart } from '../../protocol/messages.ts';
import { type LaneCommand, laneCommand } from './lane-command.ts';
import type { LaneEnd } from './lane-process.ts';
import { describeEnd, LaneSeat, type SeatListener, type SeatServices } from './lane-seat.ts';
import { WaitLine } from './wait-line.ts';
import { Watchdog } from './watchdog.ts';

export interface LanePoolOptions {
  /** Runs at once. One more lane is kept ready to take the place of a killed one. */
  readonly lanes: number;
  /** Resident memory at which a lane is killed, in MiB. A run's own `rssMb` counts where it is lower. */
  readonly rssMb: number;
  /** IANA name; the local time of scripts. */
  readonly timezone: string;
  readonly log: Log;
  /** Told when a lane was killed or died, with the error code. */
  readonly onKilled?: (reason: string) => void;
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

/** N runs at once over N + 1 lanes, first come, first served; a tenant's home lane first, where it is warm. */
class LanePool implements EngineRunner, SeatListener {
  readonly #lanes: number;
  readonly #seats: readonly LaneSeat[];
  readonly #line = new WaitLine<Slot>();
  #taken = 0;
  #closing = false;

  constructor(options: LanePoolOptions) {
    this.#lanes = options.lanes;
    const services: SeatServices = {
      command: options.command ?? laneCommand(options.timezone),
      watchdog: new Watchdog(),
      rssMb: options.rssMb,
      log: options.log.child('adapters.process'),
      onKilled: options.onKilled ?? (() => undefined),
    };
    this.#seats = Array.from({ length: options.lanes + 1 }, (_, index) => new LaneSeat(index, services, this));
  }

  async firstReady(): Promise<void> {
    try {
      await Promise.any(this.#seats.map((seat) => seat.lane.ready));
    } catch (error) {
      const [end] = (error as AggregateError).errors as LaneEnd[];
      throw new AppError('SANDBOX_UNAVAILABLE', { reason: end === undefined ? '' : describeEnd(end) });
    }
  }

  async acquire(tenant: string, options: { waitMs?: number; signal?: AbortSignal }): Promise<RunSlot> {
    if (this.#closing || options.signal?.aborted === true) throw new AppError('DRAINING');
    const slot = this.#line.length === 0 ? this.#take(tenant) : undefined;
    if (slot !== undefined) return slot;
    this.#refuseWhenBroken();
    const failure = this.#failure();
    if (failure !== undefined) throw failure;
    return this.#line.join(tenant, options);
  }

  async compile(engineKey: string, source: string): Promise<CompileResult> {
    const slot = (await this.acquire(engineKey, {})) as Slot;
    try {
      return await slot.compile(engineKey, source);
    } finally {
      slot.release();
    }
  }

  status(): { lanes: number; busy: number; waiting: number } {
    return { lanes: this.#lanes, busy: this.#taken, waiting: this.#line.length };
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#line.refuseAll(new AppError('DRAINING'));
    await Promise.all(this.#seats.map((seat) => seat.close()));
  }

  onSeatChanged(): void {
    this.#serveLine();
    this.#refuseWhenBroken();
  }

  /** A lane in place of the slot's own, which ended before its run. */
  replaceFor(tenant: string): LaneSeat | undefined {
    return this.#freeSeat(tenant);
  }

  /** Takes a slot's right to run back. */
  settle(seat: LaneSeat): void {
    seat.giveBack();
    this.#taken -= 1;
    this.#serveLine();
  }

  #serveLine(): void {
    for (let tenant = this.#line.nextTenant; tenant !== undefined; tenant = this.#line.nextTenant) {
      const slot = this.#take(tenant);
      if (slot === undefined) return;
      this.#line.serveNext(slot);
    }
  }

  #take(tenant: string): Slot | undefined {
    if (this.#taken >= this.#lanes) return undefined;
    const seat = this.#freeSeat(tenant);
    if (seat === undefined) return undefined;
    seat.reserved = true;
    this.#taken += 1;
    return new Slot(this, tenant, seat);
  }

  /** The tenant's home lane, else any. The spare is the last resort, so that it stays free for a killed lane. */
  #freeSeat(tenant: string): LaneSeat | undefined {
    const home = this.#seats[homeOf(tenant, this.#lanes)];
    return home?.free ? home : this.#seats.find((seat) => seat.free);
  }

  #refuseWhenBroken(): void {
    const failure = this.#failure();
    if (failure !== undefined) this.#line.refuseAll(failure);
  }

  /** Set when no lane lives and none can be started. */
  #failure(): AppError | undefined {
    if (this.#seats.some((seat) => seat.failure === undefined)) return undefined;
    return new AppError('SANDBOX_UNAVAILABLE', { reason: this.#seats[0]?.failure ?? '' });
  }
}

/** A reserved lane. */
class Slot implements RunSlot {
  readonly #pool: LanePool;
  readonly #tenant: string;
  #seat: LaneSeat | undefined;

  constructor(pool: LanePool, tenant: string, seat: LaneSeat) {
    this.#pool = pool;
    this.#tenant = tenant;
    this.#seat = seat;
  }

  async run(start: RunStart, calls: HostCallSink): Promise<RunOutcome> {
    const size = Buffer.byteLength(JSON.stringify(start.input));
    const limit = start.limits.paramBytes;
    if (size > limit) {
      return { kind: 'limit', error: { code: 'V8_RESULT_TOO_LARGE', params: { what: 'V8.Param', size, limit } } };
    }
    const lane = this.#idleLane();
    if (lane === undefined) return { kind: 'unstarted', error: LANE_LOST };
    const outcome = await lane.run(start, calls);
    if (outcome.kind !== 'unstarted' || lane.alive) return outcome;
    // Its lane was gone before it began: nothing has happened, so another one may run it.
    const other = this.#idleLane();
    return other === undefined ? outcome : other.run(start, calls);
  }

  async compile(engineKey: string, source: string): Promise<CompileResult> {
    const lane = this.#idleLane();
    if (lane === undefined) throw new AppError(LANE_LOST.code, LANE_LOST.params);
    return lane.compile({ engineKey, source });
  }

  release(): void {
    const seat = this.#seat;
    this.#seat = undefined;
    if (seat !== undefined) this.#pool.settle(seat);
  }

  /** The slot's lane, or another when it died while it was only reserved. */
  #idleLane(): LaneSeat['lane'] | undefined {
    const seat = this.#seat;
    if (seat === undefined) return undefined;
    if (seat.lane.idle) return seat.lane;
    const other = this.#pool.replaceFor(this.#tenant);
    if (other === undefined) return undefined;
    other.reserved = true;
    seat.giveBack();
    this.#seat = other;
    return other.lane;
  }
}

const LANE_LOST = Object.freeze({
  code: 'SANDBOX_UNAVAILABLE',
  params: { reason: 'the lane ended before the run began' },
} as const);

/** FNV-1a over the tenant's name: any spread will do, but the same tenant must find the same lane. */
function homeOf(tenant: string, lanes: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < tenant.length; i++) hash = Math.imul(hash ^ tenant.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % lanes;
}
