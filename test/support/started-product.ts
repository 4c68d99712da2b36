import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type CliEnd, endOf } from './command-line.ts';
import { PROGRAM_ENVIRONMENT } from './program-environment.ts';

/** The file that `npx v8host` runs. */
export const LAUNCHER = fileURLToPath(new URL('../../bin/v8host.js', import.meta.url));

const START_MS = 60_000;

/**
 * The product as a user starts it: by its launcher, in a directory, with the environment of a shell and what the test
 * adds. It goes with the test, and so do the processes that it started.
 */
export class StartedProduct {
  readonly #child: ChildProcess;
  readonly #end: Promise<CliEnd>;
  #out = '';

  constructor(t: TestContext, cwd: string, options: { args?: readonly string[]; env?: Record<string, string> } = {}) {
    const { args = [], env = {} } = options;
    this.#child = spawn(process.execPath, [LAUNCHER, 'start', ...args], {
      cwd,
      env: { ...SHELL_ENVIRONMENT, ...env },
      // A process group of its own: the launcher's end alone would leave the host behind.
      detached: true,
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#out += chunk.toString('utf8');
    });
    this.#end = endOf(this.#child);
    t.after(() => this.#killAll());
  }

  /** What was printed last, once it was: the lines from the product's name on. */
  async banner(): Promise<string[]> {
    const deadline = Date.now() + START_MS;
    while (Date.now() < deadline && this.#child.exitCode === null) {
      const lines = this.#out.trimEnd().split('\n');
      const from = lines.findIndex((line) => line.startsWith('v8-engine-host '));
      if (from >= 0 && lines.at(-1)?.includes('v8host trace')) return lines.slice(from);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`the host printed no banner:\n${this.#out.slice(-4_000)}`);
  }

  /** Everything on stdout so far. */
  get out(): string {
    return this.#out;
  }

  /** Asks it to stop, as a service manager does. */
  async stop(): Promise<CliEnd> {
    this.#child.kill('SIGTERM');
    return this.#end;
  }

  /** Waits for an end that it finds by itself. */
  end(): Promise<CliEnd> {
    return this.#end;
  }

  async #killAll(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    process.kill(-pid, 'SIGKILL');
    await gone;
  }
}

/** What a command finds in its environment: nothing of ours. */
export const SHELL_ENVIRONMENT: Readonly<Record<string, string>> = {
  ...PROGRAM_ENVIRONMENT,
  LANG: 'en_US.UTF-8',
};

/** Runs printed commands as a shell would, with `npx v8host` standing for this very launcher. */
export function paste(commands: string, cwd: string, env: Record<string, string> = {}): Promise<CliEnd> {
  const local = commands.replaceAll(/^npx v8host /gm, `'${process.execPath}' '${LAUNCHER}' `);
  return endOf(spawn('sh', ['-c', local], { cwd, env: { ...SHELL_ENVIRONMENT, ...env } }));
}
