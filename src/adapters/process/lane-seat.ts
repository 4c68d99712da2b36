import type { Log } from '../../ports/log.ts';
import { MAX_LANE_ISOLATES } from '../../protocol/messages.ts';
import type { LaneCommand } from './lane-command.ts';
import { type LaneEnd, LaneProcess } from './lane-process.ts';
import type { LaneReaper } from './lane-reaper.ts';
import type { CpuAccounts } from './lane-usage.ts';
import type { RunGate } from './run-gate.ts';
import { SeatGate } from './seat-gate.ts';
import type { WarmUpCost } from './warm-up-cost.ts';
import type { Watchdog } from './watchdog.ts';

/** Pause before another start after one that failed; doubles up to the cap. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Starts that fail in a row before runs are refused instead of waiting. */
const FAILURES_TO_REFUSE = 3;

/** What a seat tells the pool. */
export interface SeatListener {
  /** A lane of this seat became idle, or its starts keep failing. */
  onSeatChanged(): void;
}

/** What every seat needs. */
export interface SeatServices {
  readonly command: LaneCommand;
  readonly watchdog: Watchdog;
  readonly gate: RunGate;
  readonly rssMb: number;
  readonly accounts: CpuAccounts;
  /** Kills the lanes of a host that is gone; absent where the kernel does. */
  readonly reaper: LaneReaper | undefined;
  /** Set when a lane serves one tenant only: one at rest for so long is replaced by a fresh one. Milliseconds. */
  readonly strictIdleMs: number | undefined;
  readonly warmUp: WarmUpCost;
  readonly log: Log;
  /** Told when a lane was killed or died, with the error code. */
  readonly onKilled: (reason: string) => void;
}

/** `apart`: for what is on probation, beside the lanes that are `shared`. */
export type SeatUse = 'shared' | 'apart';

/** Slots that a lane has at once: one whose run is at work and those behind it. */
const MOST_SLOTS = 8;

/** A lane whose run has been at work for longer takes nobody behind it. Milliseconds. */
const LONGEST_AHEAD_MS = 10;

/** A place in the pool that always has a lane or is getting one: a lane that ended is replaced. */
export class LaneSeat {
  readonly index: number;
  /** The right of what is in the lane to use a processor. */
  readonly gate: SeatGate;
  readonly #services: SeatServices;
  readonly #listener: SeatListener;
  #lane: LaneProcess;
  #failures = 0;
  #reason = '';
  #closed = false;
  #retry: NodeJS.Timeout | undefined;
  /** Slots that have the lane. */
  #slots = 0;
  /** What the first of the slots took the lane for: those that joined it do not change that. */
  #use: SeatUse = 'shared';
  /** What the slots are for: runs of one engine, one behind the other. Undefined where nobody may join. */
  #joint: string | undefined;
  #takenAt = 0;
  /** True when the present slot's tenant had no isolate here. */
  #tookCold = false;
  #freeSince = 0;
  /** Whose lane it is, in strict mode: nobody else's from its first run to its end. */
  #owner: string | undefined;
  #rest: NodeJS.Timeout | undefined;
  /** Tenants that the lane keeps an isolate for; the one that was here last is last. */
  readonly #warm = new Set<string>();

  constructor(index: number, services: SeatServices, listener: SeatListener) {
    this.index = index;
    this.#services = services;
    this.#listener = listener;
    this.gate = new SeatGate(services.gate);
    this.#lane = this.#start();
  }

  get lane(): LaneProcess {
    return this.#lane;
  }

  /** True when a slot of the tenant can have this seat's lane now. */
  isFreeFor(tenant: string): boolean {
    return this.#free && (this.#owner === undefined || this.#owner === tenant);
  }

  /** True when the lane belongs to the tenant, in strict mode. */
  isOwnedBy(tenant: string): boolean {
    return this.#owner === tenant;
  }

  /** For how long the lane of somebody else has been at rest; undefined while it is not. */
  get restMs(): number | undefined {
    return this.#free && this.#owner !== undefined ? performance.now() - this.#freeSince : undefined;
  }

  /** True while a lane that nobody owns is on its way. */
  get isStarting(): boolean {
    return this.#slots === 0 && !this.#lane.idle && this.#failures === 0;
  }

  /** Replaces a lane at rest by a fresh one. */
  recycle(): void {
    if (this.#free) void this.#lane.close();
  }

  /** True while a slot has the lane, which comes free when its run ends. */
  get isHeld(): boolean {
    return this.#slots > 0 && this.#lane.alive;
  }

  /** For how long slots have had the lane; 0 without one. */
  get heldMs(): number {
    return this.#slots > 0 ? performance.now() - this.#takenAt : 0;
  }

  /** Slots that have the lane. */
  get slots(): number {
    return this.#slots;
  }

  /** What the lane is taken for; undefined while nobody has it. */
  get use(): SeatUse | undefined {
    return this.#slots === 0 ? undefined : this.#use;
  }

  /** True when a run of the engine may go behind those that the lane has. */
  mayJoin(joint: string): boolean {
    if (this.#joint !== joint || this.#slots === 0 || this.#slots >= MOST_SLOTS) return false;
    return this.#lane.serving && !this.#lane.blocked && this.#lane.turnMs < LONGEST_AHEAD_MS;
  }

  /** One slot more, of the engine that has the lane. */
  join(): void {
    this.#slots += 1;
  }

  /** Since when nobody has the lane. Milliseconds. */
  get freeMs(): number {
    return performance.now() - this.#freeSince;
  }

  /** True when the lane still has an isolate of the tenant. */
  isWarmFor(tenant: string): boolean {
    return this.#warm.has(tenant);
  }

  /** Reserves the lane for a slot of the tenant. @param joint names the engine whose further runs may join it. */
  take(tenant: string, use: SeatUse, joint?: string): void {
    clearTimeout(this.#rest);
    this.#use = use;
    this.#joint = joint;
    if (this.#services.strictIdleMs !== undefined) this.#owner = tenant;
    this.#takenAt = performance.now();
    this.#slots = 1;
    this.#tookCold = !this.#warm.has(tenant);
    this.#noteWarm(tenant);
  }

  /** Why lanes cannot be started here; undefined while they can, or may yet. */
  get failure(): string | undefined {
    return this.#failures >= FAILURES_TO_REFUSE ? this.#reason : undefined;
  }

  /** Takes the seat's lane back from a slot; one that has grown too heavy is replaced. */
  giveBack(): void {
    if (this.#tookCold) this.#services.warmUp.note(this.heldMs);
    this.#tookCold = false;
    this.#slots -= 1;
    if (this.#slots > 0) return;
    this.#freeSince = performance.now();
    const { strictIdleMs } = this.#services;
    if (this.#lane.bloated) void this.#lane.close();
    else if (strictIdleMs !== undefined) this.#rest = setTimeout(() => this.recycle(), strictIdleMs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#rest);
    if (this.#lane.alive) await this.#lane.close();
    else await this.#lane.ended;
  }

  get #free(): boolean {
    return this.#slots === 0 && this.#lane.idle;
  }

  #noteWarm(tenant: string): void {
    this.#warm.delete(tenant);
    this.#warm.add(tenant);
    const [oldest] = this.#warm;
    if (this.#warm.size > MAX_LANE_ISOLATES && oldest !== undefined) this.#warm.delete(oldest);
  }

  #start(): LaneProcess {
    this.#warm.clear();
    const { command, watchdog, rssMb, accounts, reaper, log } = this.#services;
    const lane = new LaneProcess(command, watchdog, rssMb, accounts);
    if (lane.pid !== undefined) reaper?.watch(lane.pid);
    // A slot that still has the seat goes on with the new lane.
    if (this.#slots === 0) this.#owner = undefined;
    lane.ready.then(
      () => {
        this.#failures = 0;
        log.debug('lane.started', { lane: this.index, pid: lane.pid });
        this.#listener.onSeatChanged();
      },
      (end: LaneEnd) => this.#onStartFailed(end),
    );
    void lane.ended.then((end) => this.#onEnded(lane, end));
    return lane;
  }

  #onStartFailed(end: LaneEnd): void {
    if (this.#closed) return;
    this.#failures += 1;
    this.#reason = describeEnd(end);
    this.#services.log.error('lane.start_failed', { lane: this.index, failures: this.#failures, reason: this.#reason });
    this.#listener.onSeatChanged();
  }

  #onEnded(lane: LaneProcess, end: LaneEnd): void {
    this.#report(lane, end);
    if (lane.pid !== undefined) this.#services.reaper?.unwatch(lane.pid);
    if (this.#closed) return;
    const pause = this.#failures === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
    this.#retry = setTimeout(() => {
      this.#lane = this.#start();
    }, pause);
  }

  #report(lane: LaneProcess, end: LaneEnd): void {
    const { log } = this.#services;
    const fields = { lane: this.index, pid: lane.pid, exitCode: end.exitCode, signal: end.signal };
    if (end.killed !== undefined && end.killed.code !== 'DRAINING') {
      log.warn('lane.killed', { ...fields, reason: end.killed.code });
      this.#services.onKilled(end.killed.code);
    } else if (this.#closed || end.exitCode === 0) {
      log.debug('lane.ended', fields);
    } else {
      log.warn('lane.ended', { ...fields, breach: end.breach });
      this.#services.onKilled('V8_PROCESS_CRASH');
    }
    if (end.stderr !== '') log.warn('lane.stderr_seen', { lane: this.index, text: firstLine(end.stderr) });
  }
}

/** Why a lane did not start, in one line. */
export function describeEnd(end: LaneEnd): string {
  return firstLine(end.stderr) || end.killed?.code || `exit ${end.exitCode ?? end.signal}`;
}

/** The first line that says something, short enough for a log. Scripts cannot write to a lane's stderr. */
function firstLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return (lines.find((line) => /error/i.test(line)) ?? lines.find((line) => line !== '') ?? '').slice(0, 300);
}
