import { AppError } from '../../core/errors.ts';
import type { LaneEnd } from './lane-process.ts';
import { describeEnd, LaneSeat, type SeatListener, type SeatServices } from './lane-seat.ts';

/** A tenant waits this long for its home lane, where it is warm, before another is warmed for it. Milliseconds. */
const HOME_PATIENCE_MS = 5;

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

  constructor(lanes: number, services: SeatServices, listener: SeatListener) {
    const shared = Array.from({ length: lanes }, (_, index) => new LaneSeat(index, services, listener));
    this.#apart = new LaneSeat(lanes, services, listener);
    this.#all = [...shared, this.#apart];
    this.#orders = shared.map((home, at) => [home, ...shared.slice(at + 1), ...shared.slice(0, at), this.#apart]);
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
   * A lane for a tenant: its home lane; another when that one is gone, blocked in a host call or busy for more than
   * HOME_PATIENCE_MS. The same tenant always finds the others in the same order. The lane apart is the last resort.
   */
  pick(tenant: string): SeatPick {
    const seats = this.#orderOf(tenant);
    const own = seats.find((seat) => seat.isOwnedBy(tenant) && seat.isFreeFor(tenant));
    if (own !== undefined) return own;
    const [home] = seats;
    if (home.isFreeFor(tenant)) return home;
    const other = seats.find((seat) => seat.isFreeFor(tenant));
    if (other === undefined) {
      this.#recycleOne();
      return { lookAgainMs: undefined };
    }
    const patience = home.isAtWork ? HOME_PATIENCE_MS - home.busyMs : 0;
    return patience > 0 ? { lookAgainMs: patience } : other;
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
    return this.#orders[homeOf(tenant, this.#orders.length)] as SeatOrder;
  }
}

/** FNV-1a over the tenant's name: any spread will do, but the same tenant must find the same lane. */
export function homeOf(tenant: string, lanes: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < tenant.length; i++) hash = Math.imul(hash ^ tenant.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % lanes;
}
