import type { TrialReport } from '../../app/try-message.ts';
import { type Command, textOption } from '../command.ts';
import { readJsonArgument } from '../json-argument.ts';
import { showAnswer } from '../show-answer.ts';
import { trialLines } from '../trial-text.ts';
import { UsageError } from '../usage-error.ts';

/** `dead-letters try`: runs the handler, undoes everything and shows what it would have done. */
export const deadLettersTry: Command = {
  name: 'dead-letters try',
  summary: {
    zh: '试运行一条消息：全部撤销，只显示会有什么结果',
    en: 'run a message, undo everything and show what it would do',
  },
  args: ['[EVENT_ID]'],
  options: {
    queue: { value: 'QUEUE', summary: { zh: '哪个队列的', en: 'of which queue' } },
    message: {
      value: 'JSON|@FILE',
      summary: { zh: '用这份内容代替保存的消息', en: 'this content instead of the stored one' },
    },
    engine: { value: 'KEY', summary: { zh: '用这个接口引擎代替绑定的', en: "this engine instead of the binding's" } },
    'allow-http': { summary: { zh: '真的发送 HTTP 请求', en: 'let HTTP requests leave the host, for real' } },
  },
  client: true,
  examples: [
    'v8host dead-letters try order-A-1',
    `v8host dead-letters try --queue orders --message '{"Sku":"P-1","Count":1}'`,
  ],
  async run(call) {
    const [eventId] = call.args;
    const message = textOption(call, 'message');
    if (eventId === undefined && message === undefined) {
      throw new UsageError('请指定 EVENT_ID 或 --message', 'Give an EVENT_ID or --message');
    }
    const named = { eventId, queue: textOption(call, 'queue'), engineKey: textOption(call, 'engine') };
    const fields = [
      ...Object.entries(named).flatMap(([name, value]) =>
        value === undefined ? [] : [`"${name}":${JSON.stringify(value)}`],
      ),
      ...(call.options['allow-http'] === true ? ['"allowHttp":true'] : []),
      // As written, so that large integers stay what they are.
      ...(message === undefined ? [] : [`"Message":${readJsonArgument('--message', message)}`]),
    ];
    const answer = await call.host().ask('POST', `${call.tenantPath()}/try`, `{${fields.join(',')}}`);
    return showAnswer(call, answer, (data) => {
      for (const line of trialLines(data as unknown as TrialReport, call.lang)) call.terminal.out(line);
    });
  },
};
