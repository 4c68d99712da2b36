import { spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { PROGRAM_ENVIRONMENT } from './program-environment.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** How a process ended and what it printed. */
export interface CliEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line as a process, with nothing in its environment but what is given. */
export function runCli(
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Readonly<Record<string, string>> },
): Promise<CliEnd> {
  return endOf(spawn(process.execPath, [MAIN, ...args], { cwd, env: { ...PROGRAM_ENVIRONMENT, ...env } }));
}

/** Collects the output of a process until it ends. */
export async function endOf(child: ReturnType<typeof spawn>): Promise<CliEnd> {
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, out, err }));
  });
}
