import type { Lang } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json.ts';
import { toTopicFilter } from '../../core/mqtt-topic.ts';
import { type Command, type CommandCall, EXIT, textOption } from '../command.ts';
import { isSuccess, showAnswer } from '../show-answer.ts';
import { tableLines } from '../text-table.ts';

/** A topic of devices that goes into a queue, as `GET …/mqtt/bindings` answers. */
interface TopicBindingRow {
  readonly id: string;
  readonly filter: string;
  readonly queue: string;
  readonly engineKey: string | null;
  readonly eventIdPath: string;
  readonly enabled: boolean;
  readonly refusal: string;
}

/** `mqtt bindings`: topics whose messages go into a queue, and who handles them there. */
export const mqttBindings: Command = {
  name: 'mqtt bindings',
  summary: { zh: '列出绑定到队列的设备主题', en: 'list the topics of devices that are bound to a queue' },
  args: [],
  options: {},
  client: true,
  examples: ['v8host mqtt bindings'],
  async run(call) {
    const answer = await call.host().ask('GET', bindingsPath(call));
    return showAnswer(call, answer, (data) => {
      const rows = rowsOf(data).map((row) => cellsOf(row, call.lang));
      if (rows.length === 0) call.terminal.err(NONE[call.lang]);
      else for (const line of tableLines([HEAD[call.lang], ...rows])) call.terminal.out(line);
    });
  },
};

/** `mqtt bind`: messages to these topics go into the queue before the device has its acknowledgement. */
export const mqttBind: Command = {
  name: 'mqtt bind',
  summary: { zh: '把设备的主题绑定到队列', en: 'bind a topic of devices to a queue' },
  args: ['FILTER', 'QUEUE'],
  options: {
    'event-id': {
      value: 'PATH',
      summary: {
        zh: 'EventId 在内容中的字段，例如 head.id',
        en: 'where the EventId stands in the payload, such as head.id',
      },
    },
  },
  client: true,
  examples: [`v8host mqtt bind 'sensor/+/reading' readings --event-id head.id`],
  async run(call) {
    const [filter, queue] = call.args;
    const eventIdPath = textOption(call, 'event-id');
    const body = JSON.stringify({ filter, queue, ...(eventIdPath === undefined ? {} : { eventIdPath }) });
    const answer = await call.host().ask('POST', bindingsPath(call), body);
    return showAnswer(call, answer, (data) => {
      const row = data as unknown as TopicBindingRow;
      call.terminal.err(BOUND[call.lang](row.filter, row.queue));
      if (row.engineKey === null) call.terminal.err(UNHANDLED[call.lang](row.queue));
    });
  },
};

/** `mqtt unbind`: ends the binding of a topic, which is named as it was bound. */
export const mqttUnbind: Command = {
  name: 'mqtt unbind',
  summary: { zh: '解除设备主题的绑定', en: 'end the binding of a topic of devices' },
  args: ['FILTER'],
  options: {},
  client: true,
  examples: [`v8host mqtt unbind 'sensor/+/reading'`],
  async run(call) {
    const [filter = ''] = call.args;
    const host = call.host();
    const all = await host.ask('GET', bindingsPath(call));
    const row = rowsOf(all.result.Data ?? null).find((each) => isNamed(each, filter, call.tenant()));
    if (isSuccess(all.result) && row === undefined) {
      call.terminal.err(UNBOUND[call.lang](filter));
      return EXIT.notFound;
    }
    const answer = row === undefined ? all : await host.ask('DELETE', `${bindingsPath(call)}/${row.id}`);
    return showAnswer(call, answer, () => call.terminal.err(ENDED[call.lang](row?.filter ?? filter)));
  },
};

const HEAD: Readonly<Record<Lang, readonly string[]>> = {
  zh: ['主题', '队列', '引擎', 'EVENTID', '状态', '说明'],
  en: ['TOPIC', 'QUEUE', 'ENGINE', 'EVENTID', 'STATE', 'NOTE'],
};
const NONE: Readonly<Record<Lang, string>> = { zh: '没有绑定的主题', en: 'No topic is bound' };
const STATE: Readonly<Record<Lang, Readonly<Record<'on' | 'off', string>>>> = {
  zh: { on: '启用', off: '停用' },
  en: { on: 'on', off: 'off' },
};
const BOUND: Readonly<Record<Lang, (filter: string, queue: string) => string>> = {
  zh: (filter, queue) => `主题 ${filter} 的消息现在进入队列 ${queue}`,
  en: (filter, queue) => `Messages to ${filter} go into the queue ${queue} from now on`,
};
const UNHANDLED: Readonly<Record<Lang, (queue: string) => string>> = {
  zh: (queue) => `还没有接口引擎处理队列 ${queue}：在脚本头部写 @queue ${queue}，消息会等在队列中`,
  en: (queue) =>
    `No engine handles the queue ${queue} yet: write @queue ${queue} into a header; until then messages wait`,
};
const UNBOUND: Readonly<Record<Lang, (filter: string) => string>> = {
  zh: (filter) => `主题 ${filter} 没有绑定：见 npx v8host mqtt bindings`,
  en: (filter) => `The topic ${filter} is not bound: see npx v8host mqtt bindings`,
};
const ENDED: Readonly<Record<Lang, (filter: string) => string>> = {
  zh: (filter) => `已解除主题 ${filter} 的绑定`,
  en: (filter) => `The topic ${filter} is not bound any more`,
};

function bindingsPath(call: CommandCall): string {
  return `${call.tenantPath()}/mqtt/bindings`;
}

function rowsOf(data: JsonValue): readonly TopicBindingRow[] {
  return Array.isArray(data) ? (data as unknown as readonly TopicBindingRow[]) : [];
}

function cellsOf(row: TopicBindingRow, lang: Lang): string[] {
  const state = STATE[lang][row.enabled ? 'on' : 'off'];
  return [row.filter, row.queue, row.engineKey ?? '-', row.eventIdPath || '-', state, row.refusal];
}

/** Any form of the topic names it; one that cannot be is found as it is written. */
function isNamed({ filter }: TopicBindingRow, named: string, tenant: string): boolean {
  const canonical = toTopicFilter(named, { tenant, isOtherTenant: () => false });
  return filter === named || (canonical.ok && canonical.value === filter);
}
