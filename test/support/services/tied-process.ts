import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { PROGRAM_PATH } from './packages.ts';
import { removeServiceDirs } from './service-dir.ts';
import { holdLine } from './service-line.ts';

const SETPRIV = '/usr/bin/setpriv';

/** Every process of ours carries it: who is left over is found by it. */
export const DIR_VARIABLE = 'V8HOST_TEST_SERVICE_DIR';

export interface ProcessPlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Folder of the data; the working directory. */
  readonly dir: string;
  /** What it prints is appended here. */
  readonly logFile: string;
}

/**
 * A command that gets the signal from the kernel when the process that spawns it is gone; where the system has no such
 * thing, the command as it is.
 */
export function tiedCommand(
  signal: 'KILL' | 'TERM',
  file: string,
  args: readonly string[],
): { readonly file: string; readonly args: readonly string[] } {
  if (!existsSync(SETPRIV)) return { file, args };
  return { file: SETPRIV, args: ['--pdeathsig', signal, '--', file, ...args] };
}

const alive = new Set<TiedProcess>();

/**
 * A program that ends with this process, however this process ends: the kernel kills it with its parent. It does not
 * keep the event loop alive, so a test file that forgets it still ends.
 */
export class TiedProcess {
  readonly #child: ChildProcess;
  readonly #logFile: string;

  /** @throws Error where the system cannot tie a process to its parent. */
  constructor(plan: ProcessPlan) {
    const command = tiedCommand('KILL', plan.file, plan.args);
    if (command.file !== SETPRIV) {
      throw new Error('private services need Linux with setpriv (util-linux); elsewhere give SERVICES=external');
    }
    const log = openSync(plan.logFile, 'a');
    this.#logFile = plan.logFile;
    this.#child = spawn(command.file, command.args, {
      cwd: plan.dir,
      // A group of its own: Ctrl-C is for the runner, which ends its services itself.
      detached: true,
      stdio: ['ignore', log, log],
      env: { PATH: PROGRAM_PATH, LANG: 'C.UTF-8', ...plan.env, [DIR_VARIABLE]: plan.dir },
    });
    closeSync(log);
    this.#child.unref();
    this.#child.once('exit', () => alive.delete(this));
    alive.add(this);
    endWithThisProcess();
  }

  /** The program's process id: setpriv became it. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.hasEnded) this.#child.kill(signal);
  }

  /** Resolves when it has ended. */
  async ended(): Promise<void> {
    if (this.hasEnded) return;
    this.#child.ref();
    await once(this.#child, 'exit');
  }

  /** The last lines it printed. */
  logTail(): string {
    return readFileSync(this.#logFile, 'utf8').slice(-2_000);
  }
}

let isHooked = false;

function endWithThisProcess(): void {
  if (isHooked) return;
  isHooked = true;
  holdLine();
  process.on('exit', endAll);
}

/** Kills every process that is left and removes the folders: what they hold is not needed any more. */
export function endAll(): void {
  for (const tied of alive) tied.signal('SIGKILL');
  alive.clear();
  removeServiceDirs();
}
