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
  exits: {
    1: { zh: '启动失败', en: 'start failed' },
    3: { zh: '超过停机期限', en: 'the drain deadline passed' },
    4: { zh: '数据库来自更新的版本', en: 'the database is of a newer version' },
  },
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
