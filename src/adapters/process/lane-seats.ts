import { AppError } from '../../core/errors.ts';
import type { LaneEnd } from './lane-process.ts';
import { describeEnd, LaneSeat, type SeatListener, type SeatServices, type SeatUse } from './lane-seat.ts';
import { TenantHomes } from './tenant-homes.ts';
import { WarmUpCost } from './warm-up-cost.ts';

/** A lane that is free for so long is not kept for those who are at home there. Milliseconds. */
const HOME_PATIENCE_MS = 5;

/** Warm-ups for which one run may hold a home lane before those who wait look elsewhere. */
const WARM_UPS_HELD = 2;

/**
 * Warm-ups for which somebody waits for a home lane that goes from run to run. Many, because leaving it makes the wait
 * longer for all: when every tenant warms up in some lane that is not its own, nothing but warming up is done any more.
 */
const WARM_UPS_WAITED = 20;

/** A seat to use, or when it is worth looking again; without a time, when a lane comes free. */
export type SeatPick = LaneSeat | { readonly lookAgainMs: number | undefined };

type SeatOrder = readonly [home: LaneSeat, ...others: LaneSeat[]];

/**
 * The lanes: one per run at once, and one more apart from them. That one takes the place of a lane that was killed,
 * and runs what is on probation, so that a kill there costs nobody a warm isolate (sandbox.md 6).
 */
export class LaneSeats {
  readonly #all: readonly LaneSeat[];
  readonly #apart: LaneSeat;
  /** By home lane: every seat from there on, the one apart last. */
  readonly #orders: readonly SeatOrder[];
  readonly #homes: TenantHomes;
  readonly #warmUp = new WarmUpCost();

  constructor(lanes: number, shared: Omit<SeatServices, 'warmUp'>, listener: SeatListener) {
    const services = { ...shared, warmUp: this.#warmUp };
    const places = Array.from({ length: lanes }, (_, index) => new LaneSeat(index, services, listener));
    this.#apart = new LaneSeat(lanes, services, listener);
    this.#all = [...places, this.#apart];
    this.#homes = new TenantHomes(lanes);
    this.#orders = places.map((home, at) => [home, ...places.slice(at + 1), ...places.slice(0, at), this.#apart]);
  }

  /** @throws AppError SANDBOX_UNAVAILABLE when no lane can be started. */
  async firstReady(): Promise<void> {
    try {
      await Promise.any(this.#all.map((seat) => seat.lane.ready));
    } catch (error) {
      const [end] = (error as AggregateError).errors as LaneEnd[];
      throw new AppError('SANDBOX_UNAVAILABLE', { reason: end === undefined ? '' : describeEnd(end) });
    }
  }

  /** Why nothing can run: set when no lane lives and none can be started. */
  get failure(): AppError | undefined {
    if (this.#all.some((seat) => seat.failure === undefined)) return undefined;
    return new AppError('SANDBOX_UNAVAILABLE', { reason: this.#apart.failure ?? '' });
  }

  /**
   * A lane for a tenant: its home lane; another when that one is gone, or keeps it waiting for longer than the other
   * one costs. Those at home in a lane come before strangers, or 200 tenants in turn would evict each other's isolates
   * without end. The lane apart is the last resort.
   * @param waitedMs for how long the tenant's run has waited. @param awaited how many wait whose home is that lane.
   */
  pick(tenant: string, waitedMs: number, awaited: (lane: number) => number): SeatPick {
    const seats = this.#orderOf(tenant);
    const own = seats.find((seat) => seat.isOwnedBy(tenant) && seat.isFreeFor(tenant));
    if (own !== undefined) return own;
    const [home] = seats;
    if (home.isFreeFor(tenant)) return home;
    const free = seats.filter((seat) => seat.isFreeFor(tenant));
    if (free.length === 0) {
      this.#recycleOne();
      return { lookAgainMs: undefined };
    }
    // Whoever is at home there and cannot have it now (a cap, a debt) does not keep it empty for ever.
    const open = free.filter((seat) => awaited(seat.index) === 0 || seat.freeMs > HOME_PATIENCE_MS);
    const warm = open.find((seat) => seat.isWarmFor(tenant));
    if (warm !== undefined) return warm;
    if (open[0] === undefined) return { lookAgainMs: HOME_PATIENCE_MS };
    const patience = home.isHeld ? this.#patienceMs(waitedMs, home.heldMs) : 0;
    return patience > 0 ? { lookAgainMs: patience } : open[0];
  }

  #patienceMs(waitedMs: number, heldMs: number): number {
    return Math.min(WARM_UPS_HELD * this.#warmUp.ms - heldMs, WARM_UPS_WAITED * this.#warmUp.ms - waitedMs);
  }

  /** A lane of the tenant that an engine's further run may join behind those that it has: the one with the fewest. */
  pickJoint(tenant: string, joint: string): LaneSeat | undefined {
    let best: LaneSeat | undefined;
    for (const seat of this.#orderOf(tenant)) {
      if (seat.mayJoin(joint) && (best === undefined || seat.slots < best.slots)) best = seat;
    }
    return best;
  }

  /** Lanes that are taken for this use, counted where they are: slots leave them in any order, and change between them. */
  taken(use: SeatUse): number {
    return this.#all.reduce((count, seat) => count + (seat.use === use ? 1 : 0), 0);
  }

  /** The lane apart, when it is free. */
  pickApart(tenant: string): LaneSeat | undefined {
    if (this.#apart.isFreeFor(tenant)) return this.#apart;
    this.#apart.recycle();
    return undefined;
  }

  /** For how long the lane apart is held by one slot: 0 while it starts, without end when it cannot be started. */
  get apartHeldMs(): number {
    return this.#apart.failure === undefined ? this.#apart.heldMs : Number.POSITIVE_INFINITY;
  }

  /** Any free lane, without waiting. */
  anyFree(tenant: string): LaneSeat | undefined {
    return this.#orderOf(tenant).find((seat) => seat.isFreeFor(tenant));
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((seat) => seat.close()));
  }

  /** In strict mode: the lane that has been at rest for longest makes room, unless a fresh one is on its way. */
  #recycleOne(): void {
    if (this.#all.some((seat) => seat.isStarting)) return;
    const resting = this.#all.filter((seat) => seat.restMs !== undefined);
    resting.sort((a, b) => (b.restMs ?? 0) - (a.restMs ?? 0))[0]?.recycle();
  }

  #orderOf(tenant: string): SeatOrder {
    return this.#orders[this.#homes.of(tenant)] as SeatOrder;
  }

  /** Number of the lane where a tenant is at home. */
  homeOf(tenant: string): number {
    return this.#homes.of(tenant);
  }
}
