import { nearestName } from '../../core/nearest-name.ts';
import { type Command, EXIT } from '../command.ts';
import { commandHelp, generalHelp } from '../help.ts';
import { UsageError } from '../usage-error.ts';

/** `help`: on all commands, on one, or on those that begin with a word, such as `help tenant`. */
export const help: Command = {
  name: 'help',
  summary: { zh: '显示帮助', en: 'show help' },
  args: ['[COMMAND]', '[SUBCOMMAND]'],
  options: {},
  client: false,
  examples: ['v8host help push'],
  async run({ args, commands, lang, terminal }) {
    if (args.length === 0) {
      terminal.out(generalHelp(commands, lang));
      return EXIT.ok;
    }
    const wanted = args.join(' ');
    const found = commands.filter(({ name }) => name === wanted || name.startsWith(`${wanted} `));
    if (found.length === 0) throw unknownCommand(wanted, commands);
    terminal.out(found.map((command) => commandHelp(command, lang)).join('\n\n'));
    return EXIT.ok;
  },
};

function unknownCommand(wanted: string, commands: readonly Command[]): UsageError {
  const nearest = nearestName(
    wanted,
    commands.map(({ name }) => name),
  );
  return new UsageError(
    `没有命令 ${wanted}${nearest === undefined ? '' : `，是否指 ${nearest}？`}`,
    `There is no command ${wanted}${nearest === undefined ? '' : `, did you mean ${nearest}?`}`,
  );
}
