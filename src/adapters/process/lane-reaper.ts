import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** Reads `+ PID` and `- PID`; at the end of its input, which is the end of the host, it kills what is left. */
const SCRIPT = `
trap '' INT TERM HUP
pids=
while read -r op pid; do
  kept=
  for each in $pids; do [ "$each" = "$pid" ] || kept="$kept $each"; done
  [ "$op" = + ] && kept="$kept $pid"
  pids=$kept
done
for each in $pids; do kill -9 "$each" 2>/dev/null; done
`;

/**
 * Kills the lanes of a host that is gone, where the kernel cannot be asked to: a lane in an endless native call reads
 * its socket no more, so it would not notice. A shell of its own, because it must outlive the host.
 */
export class LaneReaper {
  readonly #shell: ChildProcess;

  constructor() {
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT], { env: {}, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
    // Without a shell a lane still ends by its soft timeout and its broken socket, only later.
    this.#shell.on('error', () => undefined);
    this.#input?.on('error', () => undefined);
    this.#shell.unref();
    this.#input?.unref();
  }

  get pid(): number | undefined {
    return this.#shell.pid;
  }

  watch(pid: number): void {
    this.#input?.write(`+ ${pid}\n`);
  }

  /** To be told before the id can belong to another process. */
  unwatch(pid: number): void {
    this.#input?.write(`- ${pid}\n`);
  }

  close(): void {
    this.#input?.end();
  }

  get #input(): Socket | undefined {
    return (this.#shell.stdin as Socket | null) ?? undefined;
  }
}
