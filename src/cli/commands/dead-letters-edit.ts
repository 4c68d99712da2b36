import { isJsonObject } from '../../core/json.ts';
import { type Command, textOption } from '../command.ts';
import { readJsonArgument } from '../json-argument.ts';
import { showAnswer } from '../show-answer.ts';
import { UsageError } from '../usage-error.ts';

/** `dead-letters edit`: replays a dead letter with another content. */
export const deadLettersEdit: Command = {
  name: 'dead-letters edit',
  summary: { zh: '修改死信的内容并重放', en: 'change the content of a dead letter and replay it' },
  args: ['EVENT_ID'],
  options: {
    message: { value: 'JSON|@FILE', summary: { zh: '新的 Message', en: 'the new Message' } },
    queue: { value: 'QUEUE', summary: { zh: '哪个队列的', en: 'of which queue' } },
    'event-id': {
      value: 'ID',
      summary: { zh: '新的 EventId，默认不变', en: 'another EventId; by default its own' },
    },
  },
  client: true,
  examples: [`v8host dead-letters edit order-A-1 --message '{"Sku":"P-1"}'`],
  async run(call) {
    const message = textOption(call, 'message');
    if (message === undefined) throw new UsageError('请用 --message 指定新的内容', 'Give the new content by --message');
    const rest = { queue: textOption(call, 'queue'), EventId: textOption(call, 'event-id') };
    const fields = Object.entries(rest).flatMap(([name, value]) =>
      value === undefined ? [] : [`"${name}":${JSON.stringify(value)}`],
    );
    // As written, so that large integers stay what they are.
    const body = `{${[...fields, `"Message":${readJsonArgument('--message', message)}`].join(',')}}`;
    const path = `${call.tenantPath()}/dead-letters/${encodeURIComponent(call.args[0] ?? '')}/edit`;
    const answer = await call.host().ask('POST', path, body);
    return showAnswer(call, answer, (data) => {
      if (isJsonObject(data)) call.terminal.out(String(data.EventId));
    });
  },
};
