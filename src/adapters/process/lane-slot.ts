import { AppError, coerceError } from '../../core/errors.ts';
import type { RunOutcome } from '../../core/run-outcome.ts';
import type { CompileResult, HostCallSink, RunSlot, SlotRun } from '../../ports/engine-runner.ts';
import type { RunStart } from '../../protocol/messages.ts';
import type { LaneProcess } from './lane-process.ts';
import type { LaneSeat, SeatUse } from './lane-seat.ts';
import type { TurnListener } from './lane-turn.ts';
import type { SeatGate } from './seat-gate.ts';

/** Lanes that a run is sent to before it is given back as not begun. */
const MOST_LANES = 2;

/** What a slot needs of its pool. */
export interface SlotOwner {
  /** A lane in place of the slot's own, which ended before its run. */
  replaceFor(slot: LaneSlot): LaneSeat | undefined;
  /** Told how a run of the slot ended, how long it took in milliseconds, and whether its lane ended with it. */
  onRunEnded(slot: LaneSlot, start: RunStart, end: { tookMs: number; laneLost: boolean }): void;
  /** Waits for another slot in place of one that has given its lane back. @throws AppError as `acquire`. */
  acquireAgain(slot: LaneSlot): Promise<LaneSlot>;
  /** Takes the right to run back, and the seat. */
  settle(slot: LaneSlot, seat: LaneSeat): void;
}

/** Whose slot it is, and what for. */
export interface SlotPlace {
  readonly tenant: string;
  readonly engine: string;
  /** What a lane is taken for that the slot has to itself. */
  readonly use: SeatUse;
  /** True for a slot in a lane that others have, too: its run goes behind theirs. */
  readonly follows: boolean;
}

/** A reserved lane, for one run after another of one tenant. */
export class LaneSlot implements RunSlot {
  readonly #owner: SlotOwner;
  #place: SlotPlace;
  #seat: LaneSeat | undefined;

  constructor(owner: SlotOwner, place: SlotPlace, seat: LaneSeat) {
    this.#owner = owner;
    this.#place = place;
    this.#seat = seat;
  }

  get tenant(): string {
    return this.#place.tenant;
  }

  get engine(): string {
    return this.#place.engine;
  }

  /** A lane that was gone before it began has done nothing, so another one may run the script. */
  async run(start: RunStart, calls: HostCallSink): Promise<RunOutcome> {
    const tooLarge = refuseInput(start);
    if (tooLarge !== undefined) return tooLarge;
    let outcome: RunOutcome = NOT_BEGUN;
    try {
      for (let tries = 0; tries < MOST_LANES; tries++) {
        const seat = this.#servingSeat() ?? (this.#place.follows ? await this.#seatAgain() : undefined);
        if (seat === undefined) break;
        const end = await this.#runIn(seat, start, calls);
        outcome = end.outcome;
        if (outcome.kind !== 'unstarted' || !end.laneLost || outcome.error.code === 'DRAINING') break;
      }
    } catch (error) {
      return { kind: 'unstarted', error: coerceError(error).toRecord() };
    }
    return outcome;
  }

  runAll(runs: readonly SlotRun[], decidedTogether = false): readonly Promise<RunOutcome>[] {
    const sent = this.#sendAll(runs, decidedTogether);
    return runs.map(async (_, index) => (await sent)[index] ?? NOT_BEGUN);
  }

  async compile(engineKey: string, source: string): Promise<CompileResult> {
    const lane = this.#servingSeat()?.lane;
    if (lane === undefined) throw new AppError(LANE_LOST.code, LANE_LOST.params);
    return lane.compile(this.tenant, { engineKey, source });
  }

  release(): void {
    const seat = this.#seat;
    this.#seat = undefined;
    if (seat !== undefined) this.#owner.settle(this, seat);
  }

  /** Leaves its lane to another slot. */
  handOver(): { readonly place: SlotPlace; readonly seat: LaneSeat | undefined } {
    const seat = this.#seat;
    this.#seat = undefined;
    return { place: this.#place, seat };
  }

  async #runIn(seat: LaneSeat, start: RunStart, calls: HostCallSink): Promise<LaneRunEnd> {
    const entering = seat.gate.enter();
    // Without a wait where there is room: a lane that is at hand gets its run at once.
    if (entering !== undefined) await entering;
    try {
      const { lane } = seat;
      if (!lane.serving) return { outcome: NOT_BEGUN, laneLost: true };
      return await this.#follow(lane, start, (listener) => lane.run(start, calls, listener), seat.gate);
    } finally {
      seat.gate.leave();
    }
  }

  async #follow(
    lane: LaneProcess,
    start: RunStart,
    run: (listener: TurnListener) => Promise<RunOutcome>,
    gate: SeatGate,
  ): Promise<LaneRunEnd> {
    let tookMs = 0;
    const outcome = await run({
      setBlocked: (blocked) => gate.setBlocked(blocked),
      took: (ms) => {
        tookMs = ms;
      },
    });
    const laneLost = !lane.alive;
    if (outcome.kind !== 'unstarted') this.#owner.onRunEnded(this, start, { tookMs, laneLost });
    return { outcome, laneLost };
  }

  /** @returns the outcomes to come; none when the runs cannot be sent. */
  async #sendAll(runs: readonly SlotRun[], decidedTogether: boolean): Promise<readonly Promise<RunOutcome>[]> {
    if (runs.some(({ start }) => refuseInput(start) !== undefined)) return [];
    const seat = this.#servingSeat();
    if (seat === undefined) return [];
    const entering = seat.gate.enter();
    if (entering !== undefined) await entering;
    const { lane, gate } = seat;
    if (!lane.serving) {
      gate.leave();
      return [];
    }
    const ends = runs.map(({ start, calls }, index) => {
      const hasNext = decidedTogether && index < runs.length - 1;
      return this.#follow(lane, start, (listener) => lane.run(start, calls, listener, hasNext), gate);
    });
    void Promise.all(ends).then(() => gate.leave());
    return ends.map(async (end) => (await end).outcome);
  }

  /** The slot's seat, or another when its lane died while it was only reserved. */
  #servingSeat(): LaneSeat | undefined {
    const seat = this.#seat;
    if (seat === undefined || seat.lane.idle) return seat;
    if (this.#place.follows) return seat.lane.serving ? seat : undefined;
    if (seat.lane.serving) return seat;
    const other = this.#owner.replaceFor(this);
    if (other === undefined) return undefined;
    other.take(this.tenant, this.#place.use);
    seat.giveBack();
    this.#seat = other;
    return other;
  }

  /** Those who were in front have cost the lane: the slot waits for another like anybody. */
  async #seatAgain(): Promise<LaneSeat | undefined> {
    this.release();
    const { place, seat } = (await this.#owner.acquireAgain(this)).handOver();
    this.#place = place;
    this.#seat = seat;
    return seat;
  }
}

/** How a run in a lane ended. */
interface LaneRunEnd {
  readonly outcome: RunOutcome;
  readonly laneLost: boolean;
}

/** The outcome of a run whose input is more than it may be. */
function refuseInput({ inputJson, limits }: RunStart): RunOutcome | undefined {
  const size = Buffer.byteLength(inputJson);
  const limit = limits.paramBytes;
  if (size <= limit) return undefined;
  return { kind: 'limit', error: { code: 'V8_RESULT_TOO_LARGE', params: { what: 'V8.Param', size, limit } } };
}

const LANE_LOST = Object.freeze({
  code: 'SANDBOX_UNAVAILABLE',
  params: { reason: 'the lane ended before the run began' },
} as const);

const NOT_BEGUN: RunOutcome = Object.freeze({ kind: 'unstarted', error: LANE_LOST });
