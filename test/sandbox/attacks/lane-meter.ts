import { readFileSync } from 'node:fs';
import { ProcessMeter } from '../../../src/adapters/process/proc-stat.ts';
import { liveLanes } from '../../support/lane-leaks.ts';

const SAMPLE_MS = 10;

/** A scan of /proc costs a millisecond or more; lanes change only when one is killed. */
const SCAN_EVERY = 20;

/** What the busiest lane, which ran the attack, has used since the meter was reset. */
export interface LaneUse {
  /** CPU of the whole process. */
  readonly cpuMs: number;
  /** Time in which its main thread was ready to run and others had the processors: the machine's fault. */
  readonly waitedMs: number;
}

interface LaneRecord {
  readonly meter: ProcessMeter;
  cpuAtReset: number;
  waitedAtReset: number;
  cpuMs: number;
  waitedMs: number;
  rssBytes: number;
}

/**
 * Follows the lanes of this process by the kernel's own figures, because wall time on a shared machine says little:
 * how much CPU the attack got, how long its lane had to wait for a processor, and how late this host's own loop was.
 */
export class LaneMeter {
  readonly #lanes = new Map<number, LaneRecord>();
  readonly #timer: NodeJS.Timeout;
  #samples = 0;
  #sampledAt = performance.now();
  #hostLagMs = 0;

  constructor() {
    this.#scan();
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
  }

  /** Starts counting anew. */
  reset(): void {
    this.#sampledAt = performance.now();
    this.#scan();
    for (const lane of this.#lanes.values()) {
      lane.cpuAtReset = lane.cpuMs;
      lane.waitedAtReset = lane.waitedMs;
    }
    this.#hostLagMs = 0;
  }

  /** How much later than planned this process's timers came since the reset, in all. */
  get hostLagMs(): number {
    return this.#hostLagMs;
  }

  get busiest(): LaneUse {
    this.#sample();
    let most: LaneUse = { cpuMs: 0, waitedMs: 0 };
    for (const lane of this.#lanes.values()) {
      const cpuMs = lane.cpuMs - lane.cpuAtReset;
      if (cpuMs >= most.cpuMs) most = { cpuMs, waitedMs: lane.waitedMs - lane.waitedAtReset };
    }
    return most;
  }

  /** Resident memory of the lanes that live now, in MiB. */
  residentMb(): number[] {
    this.#lanes.clear();
    this.#scan();
    return [...this.#lanes.values()].map((lane) => Math.round(lane.rssBytes / 1024 / 1024));
  }

  close(): void {
    clearInterval(this.#timer);
    for (const lane of this.#lanes.values()) lane.meter.close();
  }

  #sample(): void {
    const now = performance.now();
    this.#hostLagMs += Math.max(0, now - this.#sampledAt - SAMPLE_MS);
    this.#sampledAt = now;
    this.#samples += 1;
    if (this.#samples % SCAN_EVERY === 0) this.#scan();
    else for (const [pid, lane] of this.#lanes) read(pid, lane);
  }

  #scan(): void {
    for (const pid of liveLanes()) {
      const known = this.#lanes.get(pid) ?? open(pid);
      if (known === undefined) continue;
      this.#lanes.set(pid, known);
      read(pid, known);
    }
  }
}

function open(pid: number): LaneRecord | undefined {
  const meter = ProcessMeter.open(pid);
  if (meter === undefined) return undefined;
  return { meter, cpuAtReset: 0, waitedAtReset: 0, cpuMs: 0, waitedMs: 0, rssBytes: 0 };
}

/** The last figures stay when the lane has gone. */
function read(pid: number, lane: LaneRecord): void {
  const usage = lane.meter.read();
  if (usage === undefined) return;
  lane.cpuMs = usage.cpuMs;
  lane.rssBytes = usage.rssBytes;
  lane.waitedMs = readWaitedMs(pid) ?? lane.waitedMs;
}

/** Second field of /proc/PID/schedstat: nanoseconds on a run queue. */
function readWaitedMs(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return undefined;
  }
}
