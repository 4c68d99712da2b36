import { isJsonObject } from '../../core/json.ts';
import { type Command, textOption } from '../command.ts';
import { readJsonArgument } from '../json-argument.ts';
import { showAnswer } from '../show-answer.ts';
import { visibleText } from '../visible-text.ts';

/** `send`: puts a message into a queue. Prints its EventId, which `trace` takes. */
export const send: Command = {
  name: 'send',
  summary: { zh: '向队列发送一条消息', en: 'send a message to a queue' },
  args: ['QUEUE', 'JSON|@FILE'],
  options: {
    'event-id': {
      value: 'ID',
      summary: {
        zh: '事件编号；重复发送同一编号只生效一次',
        en: 'id of the event; the same id again takes effect once',
      },
    },
  },
  client: true,
  examples: [`v8host send orders '{"OrderId":"A-1","Sku":"P-1","Qty":2}' --event-id order-A-1`],
  async run(call) {
    const [queue = '', argument = ''] = call.args;
    const message = readJsonArgument('JSON', argument);
    const eventId = JSON.stringify(textOption(call, 'event-id') ?? null);
    // Built as text: the message must arrive letter by letter as it was written.
    const body = `{"EventId":${eventId},"Message":${message}}`;
    const path = `${call.tenantPath()}/queues/${encodeURIComponent(queue)}/messages`;
    return showAnswer(call, await call.host().ask('POST', path, body), (data) => {
      const accepted = isJsonObject(data) ? data.EventId : data;
      call.terminal.out(visibleText(String(accepted ?? '')));
    });
  },
};
