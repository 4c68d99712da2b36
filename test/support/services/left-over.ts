import { readdirSync, readFileSync } from 'node:fs';
import { DIR_VARIABLE } from './tied-process.ts';

/** Process ids of everything that was started in a folder under this one, children of the services too. */
export function processesUnder(dir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(`${DIR_VARIABLE}=${dir}`))
    .map(Number);
}

/** Of a process that has ended or is not ours: nothing. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}
