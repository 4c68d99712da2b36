import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import type { LaneCommand } from './lane-command.ts';

/** Lanes give way to the host, whose event loop serves everybody. */
const LANE_NICENESS = 5;

/** Starts a lane's process. Its stdio[2] is stderr, stdio[3] the socket that it talks to the host by. */
export function spawnLane(command: LaneCommand): ChildProcess {
  // Only the socket is passed on: every other descriptor would be a way out.
  const child = spawn(command.file, command.args, {
    env: command.env as NodeJS.ProcessEnv,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) lowerPriority(child.pid);
  return child;
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, LANE_NICENESS);
  } catch {
    // A comfort for the host's latency; a process that is gone already says so by its exit.
  }
}
