import { type Command, EXIT } from '../command.ts';
import { COMPLETION_SCRIPTS } from '../completion-scripts.ts';
import { UsageError } from '../usage-error.ts';

/** `completion`: a script by which a shell completes commands and options. */
export const completion: Command = {
  name: 'completion',
  summary: { zh: '输出 shell 的补全脚本', en: 'print a completion script for a shell' },
  args: ['SHELL'],
  options: {},
  client: false,
  examples: [
    'source <(v8host completion bash)',
    'v8host completion zsh > ~/.v8host-completion.zsh',
    'v8host completion fish > ~/.config/fish/completions/v8host.fish',
  ],
  async run({ args, commands, terminal }) {
    const write = COMPLETION_SCRIPTS[args[0] ?? ''];
    if (write === undefined) {
      throw new UsageError('SHELL 为 bash、zsh 或 fish', 'SHELL is bash, zsh or fish');
    }
    terminal.out(write(commands));
    return EXIT.ok;
  },
};
