import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { VerifyStep } from './verify-step.ts';
import type { StepEnd } from './verify-table.ts';

const ROOT = join(import.meta.dirname, '../..');

/** After SIGTERM, in which test runners end their services. Milliseconds. */
const GRACE_MS = 15_000;

/** A command prints less; what is kept for its bars. Characters. */
const KEPT = 2_000_000;

/** Runs the command of a step in a process group of its own, whose every member ends with the time limit. */
export async function runStep(step: VerifyStep, logFile: string): Promise<StepEnd> {
  const begun = performance.now();
  const log = createWriteStream(logFile);
  const child = spawn(process.execPath, step.args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const group = (signal: NodeJS.Signals): void => signalGroup(child.pid, signal);
  const interrupt = (): void => group('SIGTERM');
  process.once('SIGINT', interrupt);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      log.write(chunk);
      output = (output + chunk.toString('utf8')).slice(-KEPT);
    });
  }
  let timedOut = false;
  const limit = setTimeout(() => {
    timedOut = true;
    group('SIGTERM');
    setTimeout(() => group('SIGKILL'), GRACE_MS).unref();
  }, step.limitSeconds * 1000);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(limit);
  // What the command has left behind would slow the next step down.
  group('SIGKILL');
  process.off('SIGINT', interrupt);
  log.end();
  return { exitCode: code ?? undefined, timedOut, output, seconds: (performance.now() - begun) / 1000 };
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody of the group is left.
  }
}
