import { readFileSync } from 'node:fs';
import process from 'node:process';
import { ProcessMeter } from '../../src/adapters/process/proc-stat.ts';
import { liveLanes } from '../support/lane-leaks.ts';

/** CPU that this process and its lanes have used. Milliseconds. Lanes that ended meanwhile are not in it. */
export function usedCpuMs(): number {
  const own = process.cpuUsage();
  const lanes = liveLanes().map((pid) => {
    const meter = ProcessMeter.open(pid);
    const cpuMs = meter?.read()?.cpuMs ?? 0;
    meter?.close();
    return cpuMs;
  });
  return (own.user + own.system) / 1000 + lanes.reduce((sum, cpuMs) => sum + cpuMs, 0);
}

/** Memory of this process and its lanes, in MiB: `rss` of each, `pss` with shared pages counted once in all. */
export interface MemoryUse {
  readonly lanes: readonly { readonly rss: number; readonly pss: number }[];
  readonly pss: number;
}

export function usedMemory(): MemoryUse {
  const lanes = liveLanes().map(readMemory);
  return { lanes, pss: readMemory(process.pid).pss + lanes.reduce((sum, lane) => sum + lane.pss, 0) };
}

function readMemory(pid: number): { rss: number; pss: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
  const read = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1024;
  return { rss: read('Rss'), pss: read('Pss') };
}
