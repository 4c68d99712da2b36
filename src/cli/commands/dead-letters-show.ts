import type { Lang } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { type Command, textOption } from '../command.ts';
import { type LocalTime, localTimeOf } from '../local-time.ts';
import { showAnswer } from '../show-answer.ts';
import { tableLines } from '../text-table.ts';
import { visibleLines } from '../visible-text.ts';

/** `dead-letters show`: one dead letter with its message. */
export const deadLettersShow: Command = {
  name: 'dead-letters show',
  summary: { zh: '查看一条死信及其消息体', en: 'show one dead letter with its message' },
  args: ['EVENT_ID'],
  options: { queue: { value: 'QUEUE', summary: { zh: '哪个队列的', en: 'of which queue' } } },
  client: true,
  examples: ['v8host dead-letters show order-A-1'],
  async run(call) {
    const queue = textOption(call, 'queue');
    const query = queue === undefined ? '' : `?${new URLSearchParams({ queue })}`;
    const eventId = encodeURIComponent(call.args[0] ?? '');
    const answer = await call.host().ask('GET', `${call.tenantPath()}/dead-letters/${eventId}${query}`);
    const time = localTimeOf(answer);
    return showAnswer(call, answer, (data) => {
      if (!isJsonObject(data)) return;
      for (const line of shownLines(data, call.lang, time)) call.terminal.out(line);
    });
  },
};

function shownLines(row: JsonObject, lang: Lang, time: LocalTime): string[] {
  const words = WORDS[lang];
  const engine = row.engineKey === null ? '' : `${String(row.engineKey)}@${String(row.version ?? '')}`;
  const facts = [
    [words.queue, String(row.queue)],
    ['EventId', String(row.eventId)],
    [words.state, `${String(row.state)} · ${String(row.reason)}`],
    [words.cycle, `${String(row.cycle)} · ${words.attempt} ${String(row.attempt)}`],
    [words.engine, engine],
    [`${words.time} (${time.zone})`, time.text(Number(row.lastAt))],
  ];
  return [
    ...tableLines(facts),
    '',
    ...visibleLines(String(row.error), '  '),
    '',
    ...visibleLines(readable(String(row.body)), '  '),
  ];
}

/** JSON is indented; anything else stands as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}

const WORDS = {
  zh: { queue: '队列', state: '状态', cycle: '轮次', attempt: '第几次', engine: '接口引擎', time: '进入死信' },
  en: { queue: 'queue', state: 'state', cycle: 'cycle', attempt: 'attempt', engine: 'engine', time: 'parked' },
} as const;
