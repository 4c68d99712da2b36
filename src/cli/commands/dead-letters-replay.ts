import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { type Command, EXIT, type Text } from '../command.ts';
import { CHANGE_OPTIONS, changeFilter } from '../dead-letter-filter.ts';
import { showAnswer } from '../show-answer.ts';
import { visibleText } from '../visible-text.ts';
import { askWatched, MANY } from '../watched-work.ts';

/** `dead-letters replay`: makes dead messages run again under their own EventId. */
export const deadLettersReplay: Command = {
  name: 'dead-letters replay',
  summary: { zh: '重放死信，EventId 不变', en: 'run dead letters again under their own EventId' },
  args: ['[EVENT_ID]'],
  options: CHANGE_OPTIONS,
  client: true,
  examples: ['v8host dead-letters replay order-A-1', 'v8host dead-letters replay --queue orders'],
  async run(call) {
    const body = changeFilter(call);
    const request = { method: 'POST', path: `${call.tenantPath()}/dead-letters/replay`, body } as const;
    const answer = await askWatched(call, { zh: '正在重放', en: 'replaying' }, request, MANY);
    let replayed = 0;
    let refused: readonly JsonObject[] = [];
    const code = showAnswer(call, answer, (data) => {
      replayed = isJsonObject(data) ? Number(data.replayed) : 0;
      refused = refusalsOf(data);
      call.terminal.err(call.lang === 'zh' ? `已重放 ${replayed} 条` : `Replayed: ${replayed}`);
      for (const { message } of refused) call.terminal.err(visibleText(String(message)));
    });
    const nothingMeant = code === EXIT.ok && replayed === 0 && call.options.all !== true && call.options.json !== true;
    if (nothingMeant && refused.length === 0) call.terminal.err(NOTHING_REPLAYED[call.lang]);
    return nothingMeant ? EXIT.notFound : code;
  },
};

function refusalsOf(data: JsonValue): readonly JsonObject[] {
  return isJsonObject(data) && Array.isArray(data.refused) ? data.refused.filter(isJsonObject) : [];
}

const NOTHING_REPLAYED: Text = {
  zh: '没有这样的死信（用 npx v8host dead-letters list 和 npx v8host trace 查看）',
  en: 'No such dead letter (see npx v8host dead-letters list and npx v8host trace)',
};
