import type { Lang } from '../../core/errors.ts';
import { isJsonObject } from '../../core/json.ts';
import { type Command, textOption } from '../command.ts';
import { localTimeOf } from '../local-time.ts';
import { showAnswer } from '../show-answer.ts';
import { tableLines } from '../text-table.ts';

/** `dead-letters groups`: what went wrong how often. */
export const deadLettersGroups: Command = {
  name: 'dead-letters groups',
  summary: { zh: '按原因和错误归组死信', en: 'group the dead letters by reason and error' },
  args: [],
  options: { queue: { value: 'QUEUE', summary: { zh: '只看这个队列', en: 'of this queue only' } } },
  client: true,
  examples: ['v8host dead-letters groups', 'v8host dead-letters replay --group 0123456789abcdef'],
  async run(call) {
    const queue = textOption(call, 'queue');
    const query = queue === undefined ? '' : `?${new URLSearchParams({ queue })}`;
    const answer = await call.host().ask('GET', `${call.tenantPath()}/dead-letter-groups${query}`);
    const time = localTimeOf(answer);
    return showAnswer(call, answer, (data) => {
      const groups = Array.isArray(data) ? data.filter(isJsonObject) : [];
      const rows = groups.map((row) => [
        String(row.group),
        String(row.rows),
        String(row.reason),
        time.text(Number(row.lastAt)),
        String(row.pattern),
      ]);
      if (rows.length === 0) call.terminal.err(NONE[call.lang]);
      else for (const line of tableLines([headOf(call.lang, time.zone), ...rows])) call.terminal.out(line);
    });
  },
};

const NONE: Readonly<Record<Lang, string>> = { zh: '没有死信', en: 'No dead letters' };

function headOf(lang: Lang, zone: string): readonly string[] {
  return lang === 'zh'
    ? ['组', '条数', '原因', `最近 (${zone})`, '错误']
    : ['GROUP', 'ROWS', 'REASON', `LATEST (${zone})`, 'ERROR'];
}
