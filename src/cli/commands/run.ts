import { type Command, textOption } from '../command.ts';
import type { HostAnswer } from '../host-client.ts';
import { readJsonArgument } from '../json-argument.ts';
import { showAnswer } from '../show-answer.ts';
import { visibleText } from '../visible-text.ts';

/** `run`: calls an engine and prints what it returns. */
export const run: Command = {
  name: 'run',
  summary: { zh: '运行接口引擎并输出结果', en: 'run an engine and print its result' },
  args: ['KEY'],
  options: {
    param: { value: 'JSON|@FILE', summary: { zh: '参数 V8.Param', en: 'the parameter, V8.Param' } },
  },
  client: true,
  examples: [`v8host run stock-show --param '{"Sku":"P-1"}'`, 'v8host run order-intake --param @order.json'],
  exits: { 1: { zh: '失败，或脚本的 Code 不是 1', en: 'failed, or the Code of the script is not 1' } },
  async run(call) {
    const key = encodeURIComponent(call.args[0] ?? '');
    const param = readJsonArgument('--param', textOption(call, 'param') ?? '{}');
    const answer = await call.host().ask('POST', `${call.tenantPath()}/engines/${key}/run`, param);
    return showAnswer(call, answer, () => {
      const shown = shownResult(answer);
      if (shown !== undefined) call.terminal.out(JSON.stringify(shown, undefined, 2));
      const message = answer.result.Msg;
      if (typeof message === 'string' && message !== '') call.terminal.err(visibleText(message));
    });
  },
};

/** The data alone; the whole result when its author put more beside it. */
function shownResult({ result }: HostAnswer): unknown {
  const { Code: _code, Data: data, Msg: _msg, ...more } = result;
  if (Object.values(more).some((value) => value !== null && value !== undefined)) return result;
  return data ?? (result.Msg ? undefined : null);
}
