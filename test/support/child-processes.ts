import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Clock ticks of CPU that a process has used; undefined when it is gone. */
function cpuTicks(pid: number): { readonly parent: number; readonly ticks: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return undefined;
  }
}

/** Process ids whose parent is `parent`. */
export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => cpuTicks(pid)?.parent === parent);
}

/** The child that used most CPU within `ms`, at least a twelfth of the time: lanes are nice, and the machine may be busy; undefined when none did. */
export async function busiestChild(parent: number, ms = 300): Promise<number | undefined> {
  const before = childrenOf(parent).map((pid) => ({ pid, ticks: cpuTicks(pid)?.ticks ?? 0 }));
  await sleep(ms);
  const used = before.map(({ pid, ticks }) => ({ pid, ticks: (cpuTicks(pid)?.ticks ?? 0) - ticks }));
  const most = used.sort((a, b) => b.ticks - a.ticks)[0];
  // A hundred ticks a second.
  return most !== undefined && most.ticks * 10 * 12 >= ms ? most.pid : undefined;
}
