import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import process from 'node:process';

/** The machine under a figure, and how busy it was: a figure means nothing without it. */
export function describeMachine(): string {
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'})`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Node ${process.version}`,
    `load average ${(loadavg()[1] ?? 0).toFixed(1)} at the end`,
  ].join(', ');
}
