import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

/** Process ids of lanes that this process started and that still live. Linux only. */
export function liveLanes(parent: number = process.pid): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isLaneOf(pid, parent));
}

function isLaneOf(pid: number, parent: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || Number(ppid) !== parent) return false;
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sandbox/start.js');
  } catch {
    // It ended while we looked.
    return false;
  }
}
