import { readFileSync } from 'node:fs';
import type { HostProcess } from '../support/host-process.ts';
import type { LoadNotes } from './load-notes.ts';

/** The kernel counts CPU in ticks of 10 ms. */
const TICK_MS = 10;

/** Reads memory and CPU of a host and its lanes again and again. */
export class HostUse {
  readonly #host: HostProcess;
  readonly #notes: LoadNotes;
  #timer: NodeJS.Timeout | undefined;
  #ticks = new Map<number, number>();
  #readAt = 0;

  constructor(host: HostProcess, notes: LoadNotes) {
    this.#host = host;
    this.#notes = notes;
  }

  start(everyMs: number): void {
    this.#read();
    this.#timer = setInterval(() => this.#note(), everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #note(): void {
    if (!this.#host.isRunning) return;
    const before = this.#readAt;
    const used = this.#read();
    const percent = (ticks: number): number => (ticks * TICK_MS * 100) / Math.max(1, this.#readAt - before);
    const lanes = this.#host.lanes();
    this.#notes.samples.push({
      atMs: this.#notes.now(),
      hostMib: kib(this.#host.pid, 'status', 'VmRSS') / 1024,
      lanesMib: lanes.reduce((sum, pid) => sum + kib(pid, 'smaps_rollup', 'Pss'), 0) / 1024,
      lanes: lanes.length,
      hostCpu: percent(used.host),
      lanesCpu: percent(used.lanes),
    });
  }

  /** Ticks since the read before; those of a lane that ended meanwhile are not in it. */
  #read(): { host: number; lanes: number } {
    this.#readAt = performance.now();
    const now = new Map([this.#host.pid, ...this.#host.lanes()].map((pid) => [pid, ticksOf(pid)]));
    const since = (pid: number): number => Math.max(0, (now.get(pid) ?? 0) - (this.#ticks.get(pid) ?? 0));
    const lanes = [...now.keys()].filter((pid) => pid !== this.#host.pid);
    const used = { host: since(this.#host.pid), lanes: lanes.reduce((sum, pid) => sum + since(pid), 0) };
    this.#ticks = now;
    return used;
  }
}

/** A process may end between the list and the look: then it counts for nothing. */
function kib(pid: number, file: string, name: string): number {
  try {
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'latin1'))?.[1]);
  } catch {
    return 0;
  }
}

function ticksOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}
