import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = /^v8host-services-(\d+)-/;
let root: string | undefined;
let count = 0;

/** A new folder for the data of one service; it goes with this process (`removeServiceDirs`). */
export function serviceDir(name: string): string {
  root ??= openRoot();
  const dir = join(root, `${name}-${++count}`);
  mkdirSync(dir);
  return dir;
}

/** Removes every folder this process got; its services have ended. */
export function removeServiceDirs(): void {
  if (root !== undefined) remove(root);
  root = undefined;
}

function openRoot(): string {
  // A run that was killed could not remove its own.
  for (const name of readdirSync(tmpdir())) {
    const owner = NAME.exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) remove(join(tmpdir(), name));
  }
  return mkdtempSync(join(tmpdir(), `v8host-services-${process.pid}-`));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** What cannot be removed (another user's, or a service is still dying in it) is left to the next run. */
function remove(dir: string): void {
  try {
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // It costs disk space only.
  }
}
