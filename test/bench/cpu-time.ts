/** CPU time of a host and of the lanes below it: what a run costs, whatever else the machine does. */
import { readdirSync, readFileSync } from 'node:fs';

const TICK_MS = 10;

export interface CpuTime {
  /** Milliseconds. */
  readonly host: number;
  readonly lanes: number;
}

/** @param pid of the host; this process unless given. */
export function cpuTime(pid = process.pid): CpuTime {
  return {
    host: pid === process.pid ? ownMs() : (statOf(pid)?.cpuMs ?? 0),
    lanes: lanes(pid).reduce((sum, ms) => sum + ms, 0),
  };
}

function ownMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds of each lane so far. */
function lanes(host: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const stat = statOf(Number(pid));
      return stat?.parent === host && stat.command.includes('sandbox') ? [stat.cpuMs] : [];
    });
}

/** Undefined for a process that ended meanwhile. */
function statOf(pid: number): { parent: number; cpuMs: number; command: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return { parent: Number(parent), cpuMs: (Number(rest[9]) + Number(rest[10])) * TICK_MS, command };
  } catch {
    return undefined;
  }
}
