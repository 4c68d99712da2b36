import { isJsonObject } from '../../core/json.ts';
import { type Command, EXIT, type Text, textOption } from '../command.ts';
import { showAnswer } from '../show-answer.ts';
import { UsageError } from '../usage-error.ts';

/** `dead-letters replay`: makes dead messages run again under their own EventId. */
export const deadLettersReplay: Command = {
  name: 'dead-letters replay',
  summary: { zh: '重放死信，EventId 不变', en: 'run dead letters again under their own EventId' },
  args: ['[EVENT_ID]'],
  options: {
    queue: { value: 'QUEUE', summary: { zh: '这个队列的死信', en: 'those of this queue' } },
    all: { summary: { zh: '该租户的全部死信', en: 'all of the tenant' } },
  },
  client: true,
  examples: ['v8host dead-letters replay order-A-1', 'v8host dead-letters replay --queue orders'],
  async run(call) {
    const [eventId] = call.args;
    const queue = textOption(call, 'queue');
    const all = call.options.all === true;
    if (eventId === undefined && queue === undefined && !all) {
      throw new UsageError('请指定 EVENT_ID、--queue 或 --all', 'Give an EVENT_ID, --queue or --all');
    }
    const body = JSON.stringify({ eventId, queue, ...(all ? { all } : {}) });
    const answer = await call.host().ask('POST', `${call.tenantPath()}/dead-letters/replay`, body);
    let replayed = 0;
    const code = showAnswer(call, answer, (data) => {
      replayed = isJsonObject(data) ? Number(data.replayed) : 0;
      call.terminal.err(call.lang === 'zh' ? `已重放 ${replayed} 条` : `Replayed: ${replayed}`);
    });
    const nothingMeant = code === EXIT.ok && replayed === 0 && !all && call.options.json !== true;
    if (nothingMeant) call.terminal.err(NOTHING_REPLAYED[call.lang]);
    return nothingMeant ? EXIT.notFound : code;
  },
};

const NOTHING_REPLAYED: Text = {
  zh: '没有可重放的死信：不存在、已完成，或 EventId 已用于其他内容（用 v8host trace 查看）',
  en: 'Nothing could be replayed: no such dead letter, its event is done, or its EventId has other content (see v8host trace)',
};
