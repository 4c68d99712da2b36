import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import process from 'node:process';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensurePrograms, PROGRAM_PATH } from './services/packages.ts';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const PATIENCE_MS = 60_000;

/** A shell in a terminal that a test looks at and types into, with `v8host` as a command. It goes with the test. */
export class Terminal {
  readonly #socket: string;

  private constructor(socket: string) {
    this.#socket = socket;
  }

  static async open(t: TestContext, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Terminal> {
    await ensurePrograms('tmux');
    const terminal = new Terminal(`v8host-${randomBytes(6).toString('hex')}`);
    t.after(() => terminal.#tmux('kill-server').catch(() => undefined));
    const variables = { LANG: 'C.UTF-8', ...env };
    const set = Object.entries(variables).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const size = ['-x', '200', '-y', '60'];
    await terminal.#tmux('new-session', '-d', ...size, '-c', cwd, ...set, 'bash --norc --noprofile');
    await terminal.type(`PS1='$ '; v8host() { '${process.execPath}' '${MAIN}' "$@"; }; clear`);
    await terminal.until(/^\$ $/m);
    return terminal;
  }

  /** Types a line and Enter. */
  async type(line: string): Promise<void> {
    await this.keys(line);
    await this.press('Enter');
  }

  /** Types characters. */
  async keys(text: string): Promise<void> {
    await this.#tmux('send-keys', '-l', text);
  }

  /** Presses keys by their tmux names, such as `C-c`, `Tab`, `Enter`. */
  async press(...names: readonly string[]): Promise<void> {
    await this.#tmux('send-keys', ...names);
  }

  /** What stands on the screen, and what has left it at the top. */
  async screen(): Promise<string> {
    return (await this.#tmux('capture-pane', '-p', '-S', '-500')).stdout;
  }

  /** Waits until the screen shows it. @returns the screen. */
  async until(shown: RegExp): Promise<string> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const screen = await this.screen();
      // Lines of a screen end in blanks that nobody sees.
      if (shown.test(screen) || shown.test(`${screen.trimEnd()} `)) return screen;
      if (Date.now() > deadline) throw new Error(`${shown} never came:\n${screen}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  #tmux(...args: readonly string[]) {
    return run('tmux', ['-L', this.#socket, '-f', '/dev/null', ...args], {
      env: { PATH: PROGRAM_PATH, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    });
  }
}
