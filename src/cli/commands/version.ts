import { type Command, EXIT } from '../command.ts';

/** `version`: of this program. */
export const version: Command = {
  name: 'version',
  summary: { zh: '显示版本', en: 'show the version' },
  args: [],
  options: {},
  client: false,
  examples: ['v8host version'],
  async run(call) {
    call.terminal.out(`v8-engine-host ${call.version}`);
    return EXIT.ok;
  },
};
