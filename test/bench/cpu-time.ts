/** CPU time of this process and of the lanes below it: what a run costs, whatever else the machine does. */
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

export interface CpuTime {
  /** Milliseconds. */
  readonly host: number;
  readonly lanes: number;
}

export function cpuTime(): CpuTime {
  const { user, system } = process.cpuUsage();
  return {
    host: (user + system) / 1000,
    lanes: lanes().reduce((sum, ticks) => sum + ticks, 0) * (1000 / TICKS_PER_SECOND),
  };
}

/** Clock ticks of each lane so far. */
function lanes(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const [, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const isLane =
          Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sandbox');
        return isLane ? [Number(rest[9]) + Number(rest[10])] : [];
      } catch {
        // It ended meanwhile.
        return [];
      }
    });
}
