import { type Command, textOption } from '../command.ts';

/** `start`: runs the host until it is told to stop. */
export const start: Command = {
  name: 'start',
  summary: { zh: '启动主机', en: 'start the host' },
  args: [],
  options: {
    'no-demo': { summary: { zh: '不创建演示租户的内容', en: 'do not provision the demo' } },
  },
  client: false,
  examples: ['v8host start', 'v8host start --config /etc/v8host.config.json'],
  async run(call) {
    const configFile = textOption(call, 'config');
    return call.hostCommands.startHost({
      ...call.terminal,
      lang: call.lang,
      noDemo: call.options['no-demo'] === true,
      ...(configFile === undefined ? {} : { configFile }),
    });
  },
};
