import { type Command, EXIT, textOption } from '../command.ts';
import { LogTail } from '../log-tail.ts';

/** `logs`: what scripts said by console and what the host noted for the tenant. */
export const logs: Command = {
  name: 'logs',
  summary: {
    zh: '查看租户的日志（脚本的 console 输出等）',
    en: "show the tenant's log, such as console lines of scripts",
  },
  args: [],
  options: {
    follow: { short: 'f', summary: { zh: '持续显示新的日志，Ctrl-C 结束', en: 'go on with new lines until Ctrl-C' } },
    engine: { value: 'KEY', summary: { zh: '只看一个引擎', en: 'of one engine alone' } },
    limit: {
      value: 'N',
      summary: { zh: '先显示最近 N 行，默认 50', en: 'begin with the latest N lines, 50 by default' },
    },
  },
  client: true,
  examples: ['v8host logs -f --tenant demo', 'v8host logs --follow', 'v8host logs --engine order-intake --limit 200'],
  exits: { 130: { zh: '被 Ctrl-C 结束', en: 'ended by Ctrl-C' } },
  async run(call) {
    const follows = call.options.follow === true;
    const filter = { engine: textOption(call, 'engine'), limit: textOption(call, 'limit') ?? '50', follows };
    const tail = new LogTail(call, filter);
    const code = await tail.look();
    return code === EXIT.ok && follows ? tail.follow() : code;
  },
};
