import { isJsonObject } from '../../core/json.ts';
import { type Command, textOption } from '../command.ts';
import { CHANGE_OPTIONS, changeFilter } from '../dead-letter-filter.ts';
import { showAnswer } from '../show-answer.ts';
import { UsageError } from '../usage-error.ts';
import { askWatched, MANY } from '../watched-work.ts';

/** `dead-letters purge`: removes dead letters for good. */
export const deadLettersPurge: Command = {
  name: 'dead-letters purge',
  summary: { zh: '永久清除死信', en: 'remove dead letters for good' },
  args: ['[EVENT_ID]'],
  options: {
    ...CHANGE_OPTIONS,
    'older-than': { value: 'DAYS', summary: { zh: '最近失败早于这么多天的', en: 'that failed last so many days ago' } },
  },
  client: true,
  examples: ['v8host dead-letters purge --older-than 14', 'v8host dead-letters purge --group 0123456789abcdef'],
  async run(call) {
    const filter = changeFilter(call, { olderThanDays: readDays(textOption(call, 'older-than')) });
    const request = { method: 'POST', path: `${call.tenantPath()}/dead-letters/purge`, body: filter } as const;
    const answer = await askWatched(call, { zh: '正在清除', en: 'purging' }, request, MANY);
    return showAnswer(call, answer, (data) => {
      const purged = isJsonObject(data) ? Number(data.purged) : 0;
      call.terminal.err(call.lang === 'zh' ? `已清除 ${purged} 条` : `Purged: ${purged}`);
    });
  },
};

function readDays(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const days = Number(text);
  if (text.trim() !== '' && Number.isFinite(days) && days >= 0) return days;
  throw new UsageError(`--older-than 须为天数：${text}`, `--older-than must be a number of days: ${text}`);
}
