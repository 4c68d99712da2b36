import type { Log } from '../../ports/log.ts';
import type { LaneCommand } from './lane-command.ts';
import { type LaneEnd, LaneProcess } from './lane-process.ts';
import type { LaneReaper } from './lane-reaper.ts';
import type { CpuAccounts } from './lane-usage.ts';
import type { Watchdog } from './watchdog.ts';

/** Pause before another start after one that failed; doubles up to the cap. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Starts that fail in a row before runs are refused instead of waiting. */
const FAILURES_TO_REFUSE = 3;

/** A lane that is taken again within this time was never at rest. Milliseconds. */
const REST_MS = 1;

/** What a seat tells the pool. */
export interface SeatListener {
  /** A lane of this seat became idle, or its starts keep failing. */
  onSeatChanged(): void;
}

/** What every seat needs. */
export interface SeatServices {
  readonly command: LaneCommand;
  readonly watchdog: Watchdog;
  readonly rssMb: number;
  readonly accounts: CpuAccounts;
  /** Kills the lanes of a host that is gone; absent where the kernel does. */
  readonly reaper: LaneReaper | undefined;
  /** Set when a lane serves one tenant only: one at rest for so long is replaced by a fresh one. Milliseconds. */
  readonly strictIdleMs: number | undefined;
  readonly log: Log;
  /** Told when a lane was killed or died, with the error code. */
  readonly onKilled: (reason: string) => void;
}

/** A place in the pool that always has a lane or is getting one: a lane that ended is replaced. */
export class LaneSeat {
  readonly index: number;
  readonly #services: SeatServices;
  readonly #listener: SeatListener;
  #lane: LaneProcess;
  #failures = 0;
  #reason = '';
  #closed = false;
  #retry: NodeJS.Timeout | undefined;
  #reserved = false;
  #takenAt = 0;
  #busySince = 0;
  #freeSince = 0;
  /** Whose lane it is, in strict mode: nobody else's from its first run to its end. */
  #owner: string | undefined;
  #rest: NodeJS.Timeout | undefined;

  constructor(index: number, services: SeatServices, listener: SeatListener) {
    this.index = index;
    this.#services = services;
    this.#listener = listener;
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
    return !this.#reserved && !this.#lane.idle && this.#failures === 0;
  }

  /** Replaces a lane at rest by a fresh one. */
  recycle(): void {
    if (this.#free) void this.#lane.close();
  }

  /** True when its run is at work: a lane that is gone or waits for the host does not come free soon. */
  get isAtWork(): boolean {
    return this.#reserved && this.#lane.alive && !this.#lane.blocked;
  }

  /** For how long the present slot has had the lane; 0 without one. */
  get heldMs(): number {
    return this.#reserved ? performance.now() - this.#takenAt : 0;
  }

  /** For how long the lane has been taken without a rest, by one slot after another. */
  get busyMs(): number {
    return performance.now() - this.#busySince;
  }

  /** Reserves the lane for a slot of the tenant. */
  take(tenant: string): void {
    clearTimeout(this.#rest);
    if (this.#services.strictIdleMs !== undefined) this.#owner = tenant;
    const now = performance.now();
    if (now - this.#freeSince > REST_MS) this.#busySince = now;
    this.#takenAt = now;
    this.#reserved = true;
  }

  /** Why lanes cannot be started here; undefined while they can, or may yet. */
  get failure(): string | undefined {
    return this.#failures >= FAILURES_TO_REFUSE ? this.#reason : undefined;
  }

  /** Takes the seat's lane back from its slot. One that has grown too heavy is replaced. */
  giveBack(): void {
    this.#reserved = false;
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
    return !this.#reserved && this.#lane.idle;
  }

  #start(): LaneProcess {
    const { command, watchdog, rssMb, accounts, reaper, log } = this.#services;
    const lane = new LaneProcess(command, watchdog, rssMb, accounts);
    if (lane.pid !== undefined) reaper?.watch(lane.pid);
    // A slot that still has the seat goes on with the new lane.
    if (!this.#reserved) this.#owner = undefined;
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
