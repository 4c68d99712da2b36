import { isJsonObject, type JsonValue } from '../../core/json.ts';
import { type Command, textOption } from '../command.ts';
import { localTime } from '../local-time.ts';
import { showAnswer } from '../show-answer.ts';
import { tableLines } from '../text-table.ts';

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
    limit: { value: 'N', summary: { zh: '最多行数，默认 100', en: 'rows at most, by default 100' } },
  },
  client: true,
  examples: ['v8host dead-letters list --queue orders'],
  async run(call) {
    const query = new URLSearchParams();
    for (const name of ['queue', 'state', 'limit']) {
      const value = textOption(call, name);
      if (value !== undefined) query.set(name, value);
    }
    const answer = await call.host().ask('GET', `${call.tenantPath()}/dead-letters?${query}`);
    return showAnswer(call, answer, (data) => {
      for (const line of tableLines([HEAD[call.lang], ...deadLetterRows(data)])) call.terminal.out(line);
    });
  },
};

const HEAD = {
  zh: ['队列', 'EventId', '次数', '原因', '时间', '错误'],
  en: ['QUEUE', 'EVENT ID', 'ATTEMPT', 'REASON', 'TIME', 'ERROR'],
} as const;

function deadLetterRows(data: JsonValue): string[][] {
  const rows = Array.isArray(data) ? data.filter(isJsonObject) : [];
  return rows.map((row) => [
    String(row.queue),
    String(row.eventId),
    String(row.attempt),
    String(row.reason),
    localTime(Number(row.lastAt)),
    String(row.error),
  ]);
}
