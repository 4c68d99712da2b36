import { AppError } from '../../core/errors.ts';
import type { RunOutcome } from '../../core/run-outcome.ts';
import type { CompileResult, HostCallSink, RunSlot, SlotRun } from '../../ports/engine-runner.ts';
import type { RunStart } from '../../protocol/messages.ts';
import type { LaneProcess } from './lane-process.ts';
import type { LaneSeat } from './lane-seat.ts';
import type { GatePass } from './run-gate.ts';

/** Lanes that a run is sent to before it is given back as not begun. */
const MOST_LANES = 2;

/** What a slot needs of its pool. */
export interface SlotOwner {
  /** A lane in place of the slot's own, which ended before its run. */
  replaceFor(slot: LaneSlot): LaneSeat | undefined;
  /** Waits for a processor. */
  enterGate(): GatePass | Promise<GatePass>;
  /** Told how a run of the slot ended, and whether its lane ended with it. */
  onRunEnded(slot: LaneSlot, start: RunStart, laneLost: boolean): void;
  /** Takes the right to run back, and the seat. */
  settle(slot: LaneSlot, seat: LaneSeat): void;
}

/** A reserved lane, for one run after another of one tenant. */
export class LaneSlot implements RunSlot {
  readonly tenant: string;
  readonly engine: string;
  /** True for what runs in the lane apart, beside the lanes that are shared. */
  readonly apart: boolean;
  readonly #owner: SlotOwner;
  #seat: LaneSeat | undefined;

  constructor(owner: SlotOwner, place: { tenant: string; engine: string; apart: boolean }, seat: LaneSeat) {
    this.tenant = place.tenant;
    this.engine = place.engine;
    this.apart = place.apart;
    this.#owner = owner;
    this.#seat = seat;
  }

  async run(start: RunStart, calls: HostCallSink): Promise<RunOutcome> {
    const tooLarge = refuseInput(start);
    if (tooLarge !== undefined) return tooLarge;
    const entered = this.#owner.enterGate();
    // Without a wait where there is room: a lane that is at hand gets its run at once.
    const pass = entered instanceof Promise ? await entered : entered;
    try {
      return await this.#runOnLane(start, calls, pass);
    } finally {
      pass.leave();
    }
  }

  runAll(runs: readonly SlotRun[]): readonly Promise<RunOutcome>[] {
    const sent = this.#sendAll(runs);
    return runs.map(async (_, index) => (await sent)[index] ?? NOT_BEGUN);
  }

  async compile(engineKey: string, source: string): Promise<CompileResult> {
    const lane = this.#idleLane();
    if (lane === undefined) throw new AppError(LANE_LOST.code, LANE_LOST.params);
    return lane.compile(this.tenant, { engineKey, source });
  }

  release(): void {
    const seat = this.#seat;
    this.#seat = undefined;
    if (seat !== undefined) this.#owner.settle(this, seat);
  }

  /** A lane that was gone before it began has done nothing, so another one may run the script. */
  async #runOnLane(start: RunStart, calls: HostCallSink, pass: GatePass): Promise<RunOutcome> {
    let outcome: RunOutcome = NOT_BEGUN;
    for (let tries = 0; tries < MOST_LANES; tries++) {
      const lane = this.#idleLane();
      if (lane === undefined) break;
      outcome = await lane.run(start, calls, (blocked) => pass.setBlocked(blocked));
      if (outcome.kind !== 'unstarted') this.#owner.onRunEnded(this, start, !lane.alive);
      if (outcome.kind !== 'unstarted' || lane.alive || outcome.error.code === 'DRAINING') break;
    }
    return outcome;
  }

  /** @returns the outcomes to come; none when the runs cannot be sent. */
  async #sendAll(runs: readonly SlotRun[]): Promise<readonly Promise<RunOutcome>[]> {
    if (runs.some(({ start }) => refuseInput(start) !== undefined)) return [];
    const entered = this.#owner.enterGate();
    const pass = entered instanceof Promise ? await entered : entered;
    const lane = this.#idleLane();
    if (lane === undefined) {
      pass.leave();
      return [];
    }
    const setBlocked = (blocked: boolean): void => pass.setBlocked(blocked);
    const outcomes = lane.together(() => runs.map(({ start, calls }) => lane.run(start, calls, setBlocked)));
    void Promise.all(outcomes).then(() => pass.leave());
    return outcomes.map(async (coming, index) => {
      const outcome = await coming;
      const { start } = runs[index] as SlotRun;
      if (outcome.kind !== 'unstarted') this.#owner.onRunEnded(this, start, !lane.alive);
      return outcome;
    });
  }

  /** The slot's lane, or another when it died while it was only reserved. */
  #idleLane(): LaneProcess | undefined {
    const seat = this.#seat;
    if (seat === undefined) return undefined;
    if (seat.lane.idle) return seat.lane;
    const other = this.#owner.replaceFor(this);
    if (other === undefined) return undefined;
    other.take(this.tenant);
    seat.giveBack();
    this.#seat = other;
    return other.lane;
  }
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
