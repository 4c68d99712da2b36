import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Duplex } from 'node:stream';
import type { LaneCommand } from './lane-command.ts';

/** Lanes give way to the host, whose event loop serves everybody. */
const LANE_NICENESS = 5;

/** Nothing in, nothing out, stderr, and the socket that a lane talks to the host by. */
const LANE_STDIO = ['ignore', 'ignore', 'pipe', 'pipe'] as const;

/** A flag of open(2), the same on x64 and arm64. */
const O_CLOEXEC = 0o2000000;

/** Starts a lane's process. Its stdio[2] is stderr, stdio[3] the socket. */
export function spawnLane(command: LaneCommand): ChildProcess {
  const child = spawn(command.file, command.args, {
    env: command.env as NodeJS.ProcessEnv,
    cwd: '/',
    stdio: laneStdio(),
  });
  if (child.pid !== undefined) lowerPriority(child.pid);
  // A lane that dies at once does not read it; its exit tells the rest.
  if (command.program !== undefined) (child.stdio[3] as Duplex).write(command.program);
  return child;
}

/**
 * Every other descriptor would be a way out. What Node opens is closed on exec; what the host itself inherited from
 * whoever started it is not, and the lane finds the null device in its place.
 */
function laneStdio(): StdioOptions {
  const inherited = inheritableDescriptors();
  const stdio: ('ignore' | 'pipe' | number)[] = [...LANE_STDIO];
  for (const fd of inherited) {
    while (stdio.length < fd) stdio.push('ignore');
    stdio[fd] = nullDevice();
  }
  return stdio;
}

/** Beyond the lane's own; empty where there is no /proc. */
function inheritableDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fdinfo')
      .map(Number)
      .filter((fd) => fd >= LANE_STDIO.length && isInheritable(fd))
      .sort((a, b) => a - b);
  } catch {
    return [];
  }
}

function isInheritable(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    // The descriptor that listed the folder is gone.
    return false;
  }
}

let openedNullDevice: number | undefined;

function nullDevice(): number {
  openedNullDevice ??= openSync('/dev/null', 'r');
  return openedNullDevice;
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, LANE_NICENESS);
  } catch {
    // A comfort for the host's latency; a process that is gone already says so by its exit.
  }
}
