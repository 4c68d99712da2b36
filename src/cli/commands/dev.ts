import { watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, type CommandCall, EXIT } from '../command.ts';
import { LogTail } from '../log-tail.ts';
import { push } from './push.ts';

/** An editor writes a file in several steps; the push waits until it is quiet. Milliseconds. */
const QUIET_MS = 200;

/** `dev`: pushes a project whenever it changes, and follows the log meanwhile. */
export const dev: Command = {
  name: 'dev',
  summary: { zh: '监视目录，修改即推送，同时显示日志', en: 'watch a directory, push each change, follow the log' },
  args: ['DIR'],
  options: {},
  client: true,
  examples: ['v8host dev ./my-scripts --tenant demo'],
  exits: { 130: { zh: '被 Ctrl-C 结束', en: 'ended by Ctrl-C' } },
  async run(call) {
    const [directory = '.'] = call.args;
    const changes = new Changes(directory);
    try {
      const first = await pushNow(call);
      if (first === EXIT.unreachable) return first;
      const tail = new LogTail(call, { engine: undefined, limit: '1', follows: true });
      await tail.look();
      return await Promise.race([tail.follow(), pushChanges(call, changes)]);
    } finally {
      changes.close();
    }
  },
};

async function pushChanges(call: CommandCall, changes: Changes): Promise<number> {
  for (;;) {
    await changes.next();
    const code = await pushNow(call);
    if (code === EXIT.unreachable) return code;
  }
}

/** A refused push is told, and the next change tries again. */
function pushNow(call: CommandCall): Promise<number> {
  return push.run({ ...call, options: { ...call.options, json: undefined } });
}

/** Changes below a directory. */
class Changes {
  readonly #watcher: ReturnType<typeof watch>;
  #notify: () => void = () => {};
  #pending = false;

  constructor(directory: string) {
    this.#watcher = watch(directory, { recursive: true }, (_event, name) => {
      if (!/(\.js|tables\.json)$/.test(name ?? '') || /(^|\/)(node_modules|\.)/.test(name ?? '')) return;
      this.#pending = true;
      this.#notify();
    });
  }

  /** Resolves when something changed since the last call and it has been quiet since. */
  async next(): Promise<void> {
    if (!this.#pending) {
      await new Promise<void>((resolve) => {
        this.#notify = resolve;
      });
    }
    do {
      this.#pending = false;
      await sleep(QUIET_MS);
    } while (this.#pending);
  }

  close(): void {
    this.#watcher.close();
  }
}
