import type { Lang } from '../../core/errors.ts';
import { isJsonObject, type JsonValue } from '../../core/json.ts';
import { type Command, textOption } from '../command.ts';
import { FILTER_OPTIONS } from '../dead-letter-filter.ts';
import type { HostAnswer } from '../host-client.ts';
import { type LocalTime, localTimeOf } from '../local-time.ts';
import { showAnswer } from '../show-answer.ts';
import { tableLines } from '../text-table.ts';
import { firstLine } from '../visible-text.ts';

/** `dead-letters list`: messages that wait for people. */
export const deadLettersList: Command = {
  name: 'dead-letters list',
  summary: { zh: '列出死信', en: 'list the dead letters' },
  args: [],
  options: {
    queue: { value: 'QUEUE', summary: { zh: '只列这个队列', en: 'of this queue only' } },
    state: {
      value: 'STATE',
      summary: {
        zh: 'dead（默认）、waiting、replayed 或 resolved',
        en: 'dead (default), waiting, replayed or resolved',
      },
    },
    ...FILTER_OPTIONS,
    limit: { value: 'N', summary: { zh: '最多行数，默认 100', en: 'rows at most, by default 100' } },
    after: { value: 'PLACE', summary: { zh: '从这一页之后继续', en: 'goes on behind a page' } },
  },
  client: true,
  examples: ['v8host dead-letters list --queue orders'],
  async run(call) {
    const query = new URLSearchParams();
    for (const name of ['queue', 'state', 'limit', 'after', 'reason', 'group']) {
      const value = textOption(call, name);
      if (value !== undefined) query.set(name, value);
    }
    const answer = await call.host().ask('GET', `${call.tenantPath()}/dead-letters?${query}`);
    const time = localTimeOf(answer);
    return showAnswer(call, answer, (data) => {
      const rows = deadLetterRows(data, time);
      const lines = tableLines([headOf(call.lang, time), ...rows]);
      for (const line of rows.length === 0 ? [] : lines) call.terminal.out(line);
      call.terminal.err(HINT[call.lang](rows.length));
      const next = nextPage(answer);
      if (next !== undefined) call.terminal.err(MORE[call.lang](next));
    });
  },
};

const MORE: Readonly<Record<Lang, (place: string) => string>> = {
  zh: (place) => `还有更多，下一页：--after ${place}`,
  en: (place) => `There are more, the next page: --after ${place}`,
};

function nextPage({ result }: HostAnswer): string | undefined {
  const next = result.DataAppend?.Next;
  return typeof next === 'string' ? next : undefined;
}

function headOf(lang: Lang, { zone }: LocalTime): readonly string[] {
  return lang === 'zh'
    ? ['队列', 'EventId', '次数', '原因', `时间 (${zone})`, '错误']
    : ['QUEUE', 'EVENT ID', 'ATTEMPT', 'REASON', `TIME (${zone})`, 'ERROR'];
}

const HINT: Readonly<Record<Lang, (rows: number) => string>> = {
  zh: (rows) =>
    rows === 0
      ? '没有这样的消息'
      : '完整的错误和经过：npx v8host trace EVENT_ID；修好之后：npx v8host dead-letters replay EVENT_ID',
  en: (rows) =>
    rows === 0
      ? 'No such messages'
      : 'The whole error and story: npx v8host trace EVENT_ID; after the repair: npx v8host dead-letters replay EVENT_ID',
};

function deadLetterRows(data: JsonValue, time: LocalTime): string[][] {
  const rows = Array.isArray(data) ? data.filter(isJsonObject) : [];
  return rows.map((row) => [
    String(row.queue),
    String(row.eventId),
    String(row.attempt),
    String(row.reason),
    time.text(Number(row.lastAt)),
    firstLine(String(row.error)),
  ]);
}
